"""Generators that are linear modulo 2 or over the integers are predicted once their recurrence is determined."""

import random

import numpy as np
import pytest

from plainly import ranlux24_base, take
from unrandom.core.errors import UserError
from unrandom.predictors import LaggedPredictor, LinearPredictor, Predictor


def row(numbers):
    return np.array([numbers], dtype=np.uint64)


def xorshift128():
    """The outputs of Marsaglia's example (2003), with his seeds."""
    x, y, z, w = 123456789, 362436069, 521288629, 88675123
    while True:
        t = x ^ ((x << 11) & 0xFFFFFFFF)
        x, y, z, w = y, z, w, w ^ (w >> 19) ^ t ^ (t >> 8)
        yield w


def test_xorshift128_is_linear_in_its_128_bits():
    x = row(take(xorshift128(), 300))
    assert x[0, :3].tolist() == [3701687786, 458299110, 2500872618]
    made = LinearPredictor(32).predict(x)
    assert isinstance(LinearPredictor(32), Predictor)
    assert made.abstained[0, : 2 * 128 - 1].all()
    assert made.correct(x)[0, 2 * 128 + 8 :].all()


def test_a_shift_register_that_turns_out_longer():
    bits = [1, 0, 1, 1, 0]
    while len(bits) < 60:
        bits.append(bits[-3] ^ bits[-5])
    x = row(bits)
    made = LinearPredictor(1).predict(x)
    assert made.correct(x)[0, 17:].all()  # 2 x 5 bits, and a margin of 8
    x[0, 40] ^= np.uint64(1)
    made = LinearPredictor(1).predict(x)
    assert not made.correct(x)[0, 39]
    assert made.abstained[0, 40:].all()


def test_random_numbers_are_not_guessed():
    chance = random.Random(1)
    x = row([chance.getrandbits(16) for _ in range(300)])
    assert LinearPredictor(16).predict(x).abstained.all()
    assert LaggedPredictor(2**16).predict(x).abstained.all()


@pytest.mark.parametrize(
    ("modulus", "near", "far", "signs"),
    [
        (2**32, 3, 31, (1, 1)),
        (2**64, 24, 55, (1, 1)),
        (10**9, 21, 55, (1, -1)),
        (1000, 5, 17, (-1, 1)),
        (2, 3, 7, (1, 1)),
    ],
)
def test_lagged_fibonacci(modulus, near, far, signs):
    chance = random.Random(far)
    numbers = [chance.randrange(modulus) for _ in range(far)]
    while len(numbers) < 200:
        numbers.append((signs[0] * numbers[-near] + signs[1] * numbers[-far]) % modulus)
    x = row(numbers)
    predictor = LaggedPredictor(modulus)
    assert isinstance(predictor, Predictor)
    made = predictor.predict(x)
    enough = far + -(-32 // (modulus.bit_length() - 1))
    assert made.abstained[0, : far - 1].all()
    assert made.correct(x)[0, enough:].all()


def test_subtraction_with_carry_of_the_standard():
    x = row(take(ranlux24_base(), 200))
    made = LaggedPredictor(2**24).predict(x)
    assert made.abstained[0, :25].all()
    assert made.correct(x)[0, 25:].all()  # 24 numbers of state, and two correct predictions


def test_addition_with_carry():
    chance = random.Random(3)
    numbers, carry = [chance.randrange(1000) for _ in range(20)], 1
    while len(numbers) < 120:
        total = numbers[-8] + numbers[-20] + carry
        carry = int(total >= 1000)
        numbers.append(total % 1000)
    x = row(numbers)
    assert LaggedPredictor(1000).predict(x).correct(x)[0, 24:].all()


def test_no_guess_depends_on_what_follows():
    x = row(take(ranlux24_base(), 80))
    other = x.copy()
    other[0, 50:] ^= np.uint64(1)
    for predictor in (LaggedPredictor(2**24), LinearPredictor(24)):
        before, after = predictor.predict(x), predictor.predict(other)
        assert (before.numbers[:, :49] == after.numbers[:, :49]).all()
    assert LaggedPredictor(2**24).predict(other).abstained[0, 50:].all()


def test_invalid_parameters_give_one_line():
    with pytest.raises(UserError, match="1 to 64 bits"):
        LinearPredictor(65)
    with pytest.raises(UserError, match="modulus"):
        LaggedPredictor(1)
