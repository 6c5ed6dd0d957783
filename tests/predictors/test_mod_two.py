"""Equations and recurrences modulo 2 recover known solutions."""

import random

import numpy as np
import pytest

from unrandom.predictors.mod_two import follows, plane, shortest_recurrence, solve


@pytest.mark.parametrize("unknowns", [1, 5, 64, 130])
def test_linear_equations(unknowns):
    chance = random.Random(unknowns)
    solution = chance.getrandbits(unknowns)
    masks = [chance.getrandbits(unknowns) for _ in range(unknowns + 20)]
    equations = [(mask, (mask & solution).bit_count() & 1) for mask in masks]
    assert solve(equations, unknowns) == solution
    assert solve(equations[: unknowns - 1], unknowns) is None  # too few
    mask, bit = equations[0]
    assert solve([*equations, (mask, 1 - bit)], unknowns) is None  # a contradiction


def test_shortest_recurrence():
    taps, state, bits = 0b101101, 0b100101, []  # x[i] = x[i-1] ^ x[i-3] ^ x[i-4] ^ x[i-6]
    for _ in range(40):
        bit = (state & taps).bit_count() & 1
        state = ((state << 1) | bit) & 0b111111
        bits.append(bit)
    packed = sum(bit << i for i, bit in enumerate(bits))
    assert shortest_recurrence(packed, 40) == (6, (taps << 1) | 1)
    assert follows(packed, 40, 6, (taps << 1) | 1)
    assert not follows(packed ^ (1 << 30), 40, 6, (taps << 1) | 1)
    assert shortest_recurrence(0, 40) == (0, 1)


def test_random_bits_have_no_short_recurrence():
    order, _ = shortest_recurrence(random.Random(3).getrandbits(2000), 2000)
    assert 990 <= order <= 1010


def test_the_order_may_jump_far():
    """A register of 1,279 bits that starts with ones looks like a constant for a long time."""
    bits = [1] * 1279
    while len(bits) < 3000:
        bits.append(bits[-1279] ^ bits[-418])
    packed = sum(bit << i for i, bit in enumerate(bits))
    order, connection = shortest_recurrence(packed, 3000)
    assert order == 1279
    assert follows(packed, 3000, order, connection)


def test_planes():
    numbers = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert [plane(numbers, bit) for bit in range(3)] == [0b0101, 0b0110, 0b1000]
