"""The algebraic predictor is correct on every LCG as soon as it guesses, and abstains on other sequences."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priors import arbitrary, full_period
from unrandom.core.errors import UserError
from unrandom.generators.known import known
from unrandom.generators.lcg import LCG
from unrandom.predictors import AlgebraicPredictor, Predictor, recover
from unrandom.predictors.modular import add, multiply, subtract

MODULI = [2, 12, 97, 1024, 2**32, 2**32 - 5, 2**40 - 87, 10**15, 2**63, 2**64 - 59, 2**64 - 1, 2**64]
modest = settings(max_examples=60, deadline=None, derandomize=True)
words = st.integers(0, 2**64 - 1)


def rows(*sequences):
    return np.array(sequences, dtype=np.uint64)


def said(predictor, *sequences):
    predictions = predictor.predict(rows(*sequences))
    pairs = zip(predictions.numbers.tolist(), predictions.abstained.tolist(), strict=True)
    return [[None if abstained else x for x, abstained in zip(*pair, strict=True)] for pair in pairs]


@given(st.sampled_from(MODULI), words, words)
@modest
def test_residues_are_added_and_multiplied_exactly(m, x, y):
    x, y = x % m, y % m
    results = [f(rows([x]), rows([y]), m).item() for f in (add, subtract, multiply)]
    assert results == [(x + y) % m, (x - y) % m, x * y % m]


@given(st.sampled_from(MODULI), words, words, words, st.sampled_from([1, 2, 3, 4, 6, 2**20]))
@modest
def test_three_numbers_fix_all_later_ones(m, a, c, x0, common):
    """For any common factors of a and m (which cause tails before the period), and of d[0] and m."""
    sequence = LCG(m, a * common % m, c % m).orbit(x0 % m, 12)
    assert said(AlgebraicPredictor(m), sequence)[0][2:] == sequence[3:]


@pytest.mark.parametrize("m", MODULI)
def test_many_rows_are_predicted_together(m):
    for x in (arbitrary(m, rows=40, length=20), full_period(m, rows=40, length=20)):
        predictions = AlgebraicPredictor(m).predict(x)
        assert (predictions.correct(x) == ~predictions.abstained).all()
        assert not predictions.abstained[:, 2:].any()
        assert predictions.abstained[:, 0].all()


def test_two_equal_numbers_repeat_for_ever():
    assert said(AlgebraicPredictor(8), [3, 3, 3, 3], [3, 5, 5, 5]) == [[None, 3, 3], [None, None, 5]]


@pytest.mark.parametrize("modulus", [1000, None])
def test_it_soon_abstains_on_other_sequences(modulus):
    x = np.random.default_rng(0).integers(0, 1000, size=(100, 40), dtype=np.uint64)
    assert AlgebraicPredictor(modulus).predict(x).abstained[:, 12:].all()


def test_the_first_failure_is_the_last_guess():
    assert said(AlgebraicPredictor(8), [0, 1, 2, 3, 5, 6, 7]) == [[None, None, 3, 4, None, None]]
    assert said(AlgebraicPredictor(8), [0, 2, 3, 3, 3]) == [[None] * 4]  # no multiple of 2 is 1 modulo 8
    assert said(AlgebraicPredictor(8), [0, 1, 2, 11, 4]) == [[None, None, 3, None]]  # 11 exceeds the modulus


@pytest.mark.parametrize("m", MODULI[3:])
def test_an_unknown_modulus_is_found(m):
    x = arbitrary(m, rows=40, length=48)
    predictions = AlgebraicPredictor().predict(x)
    assert predictions.correct(x)[:, 32:].all()
    assert predictions.correct(x)[:, 7].mean() > 0.7


@pytest.mark.parametrize("m", [12, 64, 97, 360, 10**6, 2**64])
def test_short_periods_and_tails_cause_few_errors(m):
    x = arbitrary(m, rows=100, length=64, seed=1)
    predictions = AlgebraicPredictor().predict(x)
    wrong = ~predictions.abstained & ~predictions.correct(x)
    assert wrong.sum(axis=1).max() <= 6
    assert not wrong[:, 32:].any()
    assert predictions.correct(x)[:, -1].mean() > 0.9


def test_if_all_minors_vanish_only_copying_is_possible():
    unknown = AlgebraicPredictor()
    assert said(unknown, [7, 7, 7, 7], [1, 5, 1, 5]) == [[None, 7, 7], [None, None, 5]]
    assert said(unknown, [0, 1, 2, 3, 4], [1, 2, 4, 8, 16]) == [[None] * 4] * 2


def test_a_modulus_is_trusted_once_it_has_predicted():
    sequence = LCG(101, 7, 3).orbit(5, 9)
    guesses = said(AlgebraicPredictor(), sequence)[0]
    first = next(t for t, guess in enumerate(guesses) if guess is not None)
    assert first >= 4  # three differences give a modulus, and one more number confirms it
    assert guesses[first:] == sequence[first + 1 :]


def test_no_number_follows_two_numbers():
    assert said(AlgebraicPredictor(), [1, 2, 1, 3, 1, 2]) == [[None, None, 2, None, None]]


def explaining_moduli(sequence, limit):
    pairs = list(pairwise(sequence))
    first, second = pairs[0]
    return [
        m
        for m in range(max(sequence) + 1, limit)
        if m > 1 and any(all((a * (x - first) + second - y) % m == 0 for x, y in pairs) for a in range(m))
    ]


def test_the_greatest_modulus_that_explains_a_sequence_is_recovered():
    rng = np.random.default_rng(2)
    for sequence in [*product(range(3), repeat=5), *rng.integers(0, 6, size=(150, 4)).tolist()]:
        moduli = explaining_moduli(sequence, 60)  # minors of numbers below 6 are at most 50
        unbounded = 58 in moduli and 59 in moduli
        lcg = recover(list(sequence))
        assert (lcg.m if lcg else None) == (None if unbounded or not moduli else moduli[-1]), sequence
        assert lcg is None or lcg.orbit(sequence[0], len(sequence)) == list(sequence)
        for m in (6, 8):
            told = recover(list(sequence), modulus=m)
            assert (told is not None) == (m in moduli)
            assert told is None or (told.m, told.orbit(sequence[0], len(sequence))) == (m, list(sequence))


@pytest.mark.parametrize("name", ["minstd", "turbo-pascal", "zx81"])
def test_known_generators_are_recovered(name):
    lcg = known(name).lcg
    assert recover(lcg.orbit(12345, 16)) == lcg
    assert recover(lcg.orbit(12345, 4), modulus=lcg.m) == lcg


def test_64_bits_are_recovered():
    lcg = LCG(2**64, 6364136223846793005, 1442695040888963407)  # Knuth's MMIX
    assert recover(lcg.orbit(1, 16)) == lcg


def test_undetermined_sequences_recover_nothing():
    assert recover([1, 5]) is None
    assert recover([4, 4, 4, 4]) is None  # any modulus above 4 is possible
    assert recover([4, 4, 4, 4], modulus=9) == LCG(9, 0, 4)
    assert recover(np.random.default_rng(0).integers(0, 2**32, size=20, dtype=np.uint64)) is None
    with pytest.raises(UserError, match="from 0 to"):
        recover([1, -5, 3])
    with pytest.raises(UserError, match="from 2 to"):
        AlgebraicPredictor(1)


def test_it_is_a_predictor():
    for predictor in (AlgebraicPredictor(), AlgebraicPredictor(8)):
        assert isinstance(predictor, Predictor)
        for length in (1, 2, 3):
            assert predictor.predict(full_period(8, rows=2, length=length)).numbers.shape == (2, length - 1)
