"""Subtract-with-borrow agrees with the C++ standard, add-with-carry with long addition."""

import random
from itertools import islice

import pytest

from plainly import ranlux24_base, take
from unrandom.auditing.generators.carry import WithCarry


def run(generator, window, carry):
    window = list(window)
    while True:
        number, carry = generator.following(window, carry)
        window.append(number)
        yield number


def test_ranlux24_base():
    numbers = take(ranlux24_base(), 10_000)
    assert numbers[-1] == 7937952  # value in the C++ standard
    generator = WithCarry(10, 24, 1, -1, 24)
    runs = [take(run(generator, numbers[:24], carry), 9976) for carry in (0, 1)]
    assert numbers[24:] in runs
    assert generator.carry_sign == -1


@pytest.mark.parametrize("carry", [0, 1])
def test_add_with_carry_is_long_addition(carry):
    """x[i] = x[i−far] + x[i−near] + carry is the addition of two long numbers, digit by digit."""
    chance = random.Random(4)
    near, far, bits = 5, 21, 32
    window = [chance.getrandbits(bits) for _ in range(far)]
    made = list(islice(run(WithCarry(near, far, 1, 1, bits), window, carry), near))

    def whole(digits):
        return sum(digit << (bits * i) for i, digit in enumerate(digits))

    assert whole(made) == (whole(window[:near]) + whole(window[-near:]) + carry) % 2 ** (bits * near)


@pytest.mark.parametrize("signs", [(1, -1), (-1, 1)])
def test_subtract_with_borrow_is_long_subtraction(signs):
    chance = random.Random(5)
    near, far, bits = 5, 21, 16
    window = [chance.getrandbits(bits) for _ in range(far)]
    made = list(islice(run(WithCarry(near, far, *signs, bits), window, 0), near))

    def whole(digits):
        return sum(digit << (bits * i) for i, digit in enumerate(digits))

    difference = signs[0] * whole(window[-near:]) + signs[1] * whole(window[:near])
    assert whole(made) == difference % 2 ** (bits * near)
