"""The posterior equals that from enumerating every (m, a, c), guess by guess; its accuracies equal known values."""

import numpy as np
import pytest

from priors import arbitrary, assert_exact, full_period, listed
from unrandom.core.errors import UserError
from unrandom.predictors import BayesFixed, BayesUnseen, Predictor

SHARES = [(1, 1), (0, 1), (1, 3)]


@pytest.mark.parametrize(("part", "whole"), SHARES)
@pytest.mark.parametrize("m", [2, 4, 7, 8, 9, 12])
def test_a_known_modulus_equals_enumeration(m, part, whole):
    sequences, chances = listed([m], (part, whole), length=6)
    assert_exact(BayesFixed(m, full_period_share=part / whole), sequences, chances)


@pytest.mark.parametrize(("part", "whole"), SHARES)
def test_an_unknown_modulus_equals_enumeration(part, whole):
    sequences, chances = listed(range(2, 14), (part, whole), length=6)
    some = np.random.default_rng(0).permutation(len(sequences))[:500]
    assert_exact(BayesUnseen(range(2, 14), full_period_share=part / whole), [sequences[i] for i in some], chances)


@pytest.mark.parametrize(("part", "whole"), [(1, 1), (1, 3)])
def test_primes_may_have_a_prior_of_their_own(part, whole):
    sequences, chances = listed(range(2, 14), (part, whole), length=6, arbitrary_for=(2, 3, 5, 7, 11, 13))
    some = [sequences[i] for i in np.random.default_rng(0).permutation(len(sequences))[:500]]
    predictor = BayesUnseen(range(2, 14), full_period_share=part / whole, arbitrary_for_primes=True)
    assert_exact(predictor, some, chances)


def test_moduli_may_be_few():
    sequences, chances = listed([6, 8, 9, 16], (1, 1), length=6)
    assert_exact(BayesUnseen([16, 9, 6, 8]), sequences[::7], chances)


def test_both_predictors_agree_for_a_single_modulus():
    x = np.concatenate([full_period(36, 20, 8), arbitrary(36, 40, 8)])
    for share in (1.0, 0.0, 0.25):
        one, other = (
            p.predict(x) for p in (BayesFixed(36, full_period_share=share), BayesUnseen([36], full_period_share=share))
        )
        assert (one.numbers == other.numbers).all()
        assert (one.abstained == other.abstained).all()
        assert np.allclose(one.truth_probability, other.truth_probability)


@pytest.mark.parametrize("m", [256, 2**32, 2**64])
def test_two_numbers_leave_a_quarter_of_m_and_three_leave_nothing(m):
    x = full_period(m, rows=50, length=9)
    predictions = BayesFixed(m).predict(x)
    assert (predictions.truth_probability[:, 1] == 4 / m).all()
    assert (predictions.truth_probability[:, 2:] == 1).all()
    assert predictions.correct(x)[:, 2:].all()


@pytest.mark.parametrize(("m", "expected"), [(2048, [0.91, 0.96, 0.99, 1.0]), (1800, [0.75, 0.91, 0.97, 0.99])])
def test_accuracies_of_unseen_moduli(m, expected):
    """After 4, 5, 6 and 8 numbers, compared with an independent calculation by 300 trials; here 400."""
    x = full_period(m, rows=400, length=9, seed=3)
    predictions = BayesUnseen(range(2, m * 6 // 5 + 1)).predict(x)
    assert predictions.correct(x).mean(axis=0)[[3, 4, 5, 7]] == pytest.approx(expected, abs=0.07)


def test_numbers_beyond_every_modulus_are_impossible():
    x = np.array([[1, 2, 2**64 - 1, 4, 5, 6]], dtype=np.uint64)
    for predictor in (BayesFixed(9), BayesUnseen([9, 10])):
        predictions = predictor.predict(x)
        assert predictions.abstained.tolist() == [[False, False, True, True, True]]
        assert predictions.truth_probability[0, 1:].tolist() == [0, 0, 0, 0]


def test_they_are_predictors_of_any_length():
    for predictor in (BayesFixed(8), BayesUnseen(range(2, 9))):
        assert isinstance(predictor, Predictor)
        for length in (1, 2, 3):
            assert predictor.predict(full_period(8, rows=2, length=length)).truth_probability.shape == (2, length - 1)


def test_invalid_parameters_are_refused():
    with pytest.raises(UserError, match=r"full_period_share=1\.5"):
        BayesFixed(8, full_period_share=1.5)
    with pytest.raises(UserError, match="2 from 2 to 2000000 were given"):
        BayesUnseen([2, 2_000_000])
    with pytest.raises(UserError, match="none were given"):
        BayesUnseen([])
