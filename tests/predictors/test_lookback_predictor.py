"""Digits that look-back declares certain are correct in every full-period sequence, and no certain digit is missed."""

import numpy as np
import pytest

from priors import full_period
from unrandom.core.errors import UserError
from unrandom.generators.residues import Digit, digits_of, to_digits
from unrandom.predictors import LookbackPredictor, Predictor


def right_digits(predictor, x):
    m = predictor.modulus
    return to_digits(predictor.predict(x).numbers, m) == to_digits(x[:, 1:], m)


def known_digits(predictor, length):
    return np.array([predictor.digits_known(t) for t in range(length - 1)])


@pytest.mark.parametrize("order", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("m", [256, 216, 360, 2048, 2, 30, 97, 2352, 3**7, 2**31 * 3**20, 2**64])
def test_a_certain_digit_is_right(m, order):
    predictor = LookbackPredictor(m, order=order)
    right = right_digits(predictor, full_period(m, rows=60, length=80))
    assert right[:, known_digits(predictor, 80)].all()


@pytest.mark.parametrize("order", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("m", [256, 216, 2048, 3**7, 2**64])
def test_a_digit_that_is_not_certain_is_wrong_in_some_sequence(m, order):
    predictor = LookbackPredictor(m, order=order)
    right = right_digits(predictor, full_period(m, rows=400, length=80))
    assert (right.all(axis=0) == known_digits(predictor, 80)).all()


def bits_known(m, order):
    return known_digits(LookbackPredictor(m, order=order), 40).sum(axis=1).tolist()


def test_bits_become_known_at_powers_of_two():
    seen = [1, 2, 3, 4, 7, 8, 15, 16, 31, 32]
    copied, extrapolated = bits_known(256, 1), bits_known(256, 2)
    assert [copied[n - 1] for n in seen] == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    assert [extrapolated[n - 1] for n in seen] == [0, 2, 2, 4, 4, 6, 6, 8, 8, 8]


def test_the_accuracy_of_numbers_jumps_there():
    x = full_period(256, rows=2000, length=40)
    accuracy = LookbackPredictor(256).predict(x).correct(x).mean(axis=0)
    steps = [accuracy[start:end] for start, end in ((3, 7), (7, 15), (15, 39))]  # after 4 to 7 numbers, 8 to 15, …
    assert [step.round(1).tolist() for step in steps[::2]] == [[0.1] * 4, [1.0] * 24]
    assert steps[0].max() + 0.1 < steps[1].min()
    assert (steps[2] == 1).all()


def test_each_prime_looks_back_by_its_own_powers():
    known = LookbackPredictor(360, order=1).digits_known(5)  # after 6 numbers: 4, 3 and 5 back
    assert dict(zip(digits_of(360), known.tolist(), strict=True)) == {
        Digit(2, 0): True,
        Digit(2, 1): True,
        Digit(2, 2): False,
        Digit(3, 0): True,
        Digit(3, 1): False,
        Digit(5, 0): True,
    }


def test_a_guess_is_the_number_with_the_guessed_residues():
    x = np.array([[3, 10, 5, 1]], dtype=np.uint64)
    assert LookbackPredictor(12).predict(x).numbers.tolist() == [[3, 2 * 10 - 3 - 12, 2 * 5 - 10]]
    copied = LookbackPredictor(12, order=1).predict(x).numbers
    assert copied.tolist() == [[3, 7, 6]]  # 7 is 3 modulo 4 and 10 modulo 3; 6 is 10 modulo 4 and 3 modulo 3


def test_it_is_a_predictor_and_never_abstains():
    predictor = LookbackPredictor(8)
    assert isinstance(predictor, Predictor)
    assert not predictor.predict(full_period(8, rows=3, length=9)).abstained.any()
    assert predictor.predict(np.array([[5]], dtype=np.uint64)).numbers.shape == (1, 0)


def test_invalid_orders_are_refused():
    for order in (0, 65):
        with pytest.raises(UserError, match=f"from 1 to 64, but order={order} was given"):
            LookbackPredictor(8, order=order)
    with pytest.raises(UserError, match="from 0 to m - 1"):
        LookbackPredictor(8).predict(np.array([[8, 1]], dtype=np.uint64))
    with pytest.raises(UserError, match="from 2 to"):
        LookbackPredictor(1)
