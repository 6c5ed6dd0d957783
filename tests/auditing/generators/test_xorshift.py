"""Xorshifts agree with the definitions of Marsaglia and Vigna, forwards and backwards, singly and in parallel."""

import numpy as np
import pytest

from orbits import orbits
from plainly import take, xorshift, xorshift_words
from unrandom.auditing.generators.shifts import Shift
from unrandom.auditing.generators.xorshift import XORSHIFT64_STAR, Xorshift, XorshiftWords


def shifts(*by):
    return tuple(Shift(one > 0, abs(one)) for one in by)


def words(bits, *shape):
    return np.random.default_rng(bits).integers(1, 2**bits, shape, dtype=np.uint64)


@pytest.mark.parametrize(("bits", "by"), [(32, (13, -17, 5)), (64, (13, -7, 17)), (64, (-12, 25, -27))])
@pytest.mark.parametrize("multiplier", [1, XORSHIFT64_STAR])
def test_one_word(bits, by, multiplier):
    generator, seeds = Xorshift(bits, shifts(*by), multiplier), words(bits, 20)
    made = orbits(generator, generator.step(seeds), 30)
    assert made.dtype == np.uint64
    plain = [[x * multiplier % 2**bits for x in take(xorshift(seed, bits, by), 30)] for seed in seeds.tolist()]
    assert made.tolist() == plain
    assert generator.back(generator.step(seeds)).tolist() == seeds.tolist()
    for seed in seeds.tolist():
        assert generator.output(generator.step(seed)) == next(xorshift(seed, bits, by)) * multiplier % 2**bits
        assert generator.back(generator.step(seed)) == seed


@pytest.mark.parametrize(("bits", "by", "last"), [(32, (11, -8), 19), (64, (23, -17), 26), (32, (-2, 7), 9)])
@pytest.mark.parametrize("order", [2, 4, 5])
def test_several_words(bits, by, last, order):
    generator, seeds = XorshiftWords(bits, shifts(*by), last), words(bits, order, 10)
    made = orbits(generator, tuple(seeds), 30)
    assert made.tolist() == [take(xorshift_words(seed, bits, by, last), 30) for seed in seeds.T.tolist()]
    for seed in map(tuple, seeds.T.tolist()):
        assert generator.back(generator.step(seed)) == seed


def test_the_first_numbers_of_xor128():
    """The outputs for Marsaglia's seeds."""
    generator, state = XorshiftWords(32, shifts(11, -8), 19), (123456789, 362436069, 521288629, 88675123)
    for number in (3701687786, 458299110, 2500872618, 3633119408, 516391518):
        state = generator.step(state)
        assert state[-1] == number
