"""Lagged Fibonacci generators step forwards and backwards."""

import random

import pytest

from plainly import lagged, take
from unrandom.auditing.generators.lagged import LaggedFibonacci


@pytest.mark.parametrize(("near", "far", "m"), [(3, 31, 2**32), (24, 55, 2**64), (1, 2, 10), (34, 55, 2**31 - 1)])
@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1)])
def test_forwards_and_backwards(near, far, m, signs):
    chance = random.Random(far)
    numbers = take(lagged([chance.randrange(m) for _ in range(far)], near, far, signs, m), 3 * far)
    generator = LaggedFibonacci(near, far, *signs, m)
    window = numbers[:far]
    while len(window) < len(numbers):
        window.append(generator.following(window))
    assert window == numbers
    window = numbers[far:]
    while len(window) < len(numbers):
        window.insert(0, generator.preceding(window))
    assert window == numbers
