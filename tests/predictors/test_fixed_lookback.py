"""A look-back of one stride predicts exactly the multipliers whose look-back divides its square."""

import numpy as np
import pytest

from unrandom.core.errors import UserError
from unrandom.generators.full_period import full_period_multipliers, lookback
from unrandom.predictors import Predictor
from unrandom.predictors.fixed_lookback import FixedLookback
from unrandom.runs.recipes import recipe
from unrandom.tasks import LCGParameters, make_predictors

LENGTH = 200


def sequences(m, a, rows=8, length=LENGTH):
    rng = np.random.default_rng(m * a)
    units = np.array([c for c in range(1, m) if np.gcd(c, m) == 1], dtype=np.uint64)
    a_rows = np.full(rows, a, dtype=np.uint64)
    return LCGParameters(m, a_rows, rng.choice(units, rows), rng.integers(0, m, rows, dtype=np.uint64)).numbers(length)


def test_it_is_a_predictor():
    assert isinstance(FixedLookback(3), Predictor)


@pytest.mark.parametrize("m", [50, 54, 64, 72, 98, 125, 144])
def test_it_is_right_exactly_where_the_look_back_divides_the_square_of_the_stride(m):
    for a in full_period_multipliers(m)[1:]:
        x = sequences(m, a)
        for stride in range(1, 25):
            right = FixedLookback(stride).predict(x).correct(x)[:, -50:]
            assert right.all() == (stride**2 % lookback(m, a) == 0), (a, stride)


def test_it_does_not_guess_before_it_has_two_strides_or_knows_the_modulus():
    x = sequences(64, 5)
    predictions = FixedLookback(8).predict(x)
    assert predictions.abstained[:, :15].all()
    guessed = ~predictions.abstained[:, 15:]
    assert (predictions.correct(x)[:, 15:] | ~guessed | (predictions.numbers[:, 15:] >= x.max())).all()
    assert FixedLookback(200).predict(x).abstained.all()


def test_interleaved_progressions_modulo_a_prime_are_predicted():
    """They are no LCG: the shortcut needs no look-back that fits the modulus."""
    rng, s, p = np.random.default_rng(0), 5, 101
    starts, step = rng.integers(0, p, (16, s)), rng.integers(1, p, (16, 1))
    x = np.stack([(starts[:, n % s] + step[:, 0] * (n // s)) % p for n in range(LENGTH)], axis=1).astype(np.uint64)
    for stride in (5, 10, 15):
        assert FixedLookback(stride).predict(x).correct(x)[:, -50:].all()
    for stride in (4, 6, 7):
        assert FixedLookback(stride).predict(x).correct(x)[:, -50:].mean() < 0.1


def test_tasks_with_unseen_moduli_offer_it_by_name():
    task = recipe("um-144").build().data
    best, other = make_predictors(["fixed-lookback", "fixed-lookback:5"], task)
    assert (best.stride, other.stride, other.name) == (12, 5, "fixed-lookback:5")
    with pytest.raises(UserError, match="1 number or more"):
        make_predictors(["fixed-lookback:0"], task)


def test_numbers_too_large_for_differences_are_refused():
    with pytest.raises(UserError, match="below 2\\^62"):
        FixedLookback(1).predict(np.array([[1, 2, 2**63]], dtype=np.uint64))
