"""The posterior by arrays equals that from listing every sequence with its exact probability, guess by guess."""

from collections import defaultdict
from fractions import Fraction
from itertools import accumulate, product, repeat

import numpy as np
import pytest

from priors import assert_posterior
from tiers import slow
from unrandom.core.errors import UserError
from unrandom.predictors import EnumeratedPosterior, Predictor
from unrandom.predictors import enumeration as module
from unrandom.predictors.enumeration import hidden_lcg


def lcg_prior(table, multipliers, length):
    prior, m = defaultdict(Fraction), len(table)
    for a, c, x in product(multipliers, range(1, m, 2), range(m)):
        states = accumulate(repeat(x, length), lambda x, _, a=a, c=c: (a * x + c) % m)
        prior[tuple(int(table[x]) for x in states)] += Fraction(2, len(multipliers) * m * m)
    return prior


@pytest.mark.parametrize(
    ("table", "multipliers"),
    [
        (np.arange(8), [1, 5]),
        (np.arange(8) >> 1, [1, 5]),
        (np.arange(16) >> 2, [1, 5, 9, 13]),
        (np.arange(16) >> 3, [5]),
        (np.arange(16) >> 1 & 3, [1, 5, 9, 13]),
        (np.array([0, 0, 0, 0, 0, 1, 3, 5]), [1, 5]),  # some numbers never occur, and some more often than others
    ],
)
def test_a_hidden_lcg_equals_listing(table, multipliers, monkeypatch):
    prior = lcg_prior(table, multipliers, 7)
    vocabulary = int(table.max()) + 1
    others = list(product(range(vocabulary), repeat=7))[:: vocabulary**7 // 300 or 1]
    for chunk in (2**20, 8):
        monkeypatch.setattr(module, "CHUNK", chunk)
        predictor = hidden_lcg(table, np.array(multipliers), vocabulary=vocabulary, assumes="all of it")
        assert_posterior(predictor, prior, [*prior, *others])


def dice(vocabulary=7, chunks=1, after=1, early=None):
    """x[t+1] = (a x[t] + c) mod m of the moduli 3, 5 and 7, where m has the weight 1 / m² and so a, c and x0 do."""
    kinds = [(m, a, c, x) for m in (3, 5, 7) for a, c, x in product(range(m), repeat=3)]
    every = np.array(kinds, dtype=np.uint64).T

    def step(states):
        m, a, c, x = states
        return m, a, c, (a * x + c) % m

    def begin(seen):
        assert len(seen) == after
        states, fits = tuple(every), np.ones(len(kinds), dtype=bool)
        for t, number in enumerate(seen):
            states = step(states) if t else states
            fits &= states[3] == number
        return [tuple(values[fits][i::chunks] for values in states) for i in range(chunks)]

    prior = defaultdict(Fraction)
    for m, a, c, x in kinds:
        states = accumulate(repeat(x, 5), lambda x, _, m=m, a=a, c=c: (a * x + c) % m)
        prior[tuple(states)] += Fraction(1, m * m)
    predictor = EnumeratedPosterior(
        begin,
        step,
        lambda states: states[3],
        vocabulary=vocabulary,
        assumes="the moduli",
        after=after,
        early=early,
        weights=lambda states: 1.0 / states[0].astype(float) ** 2,
    )
    return predictor, prior


@pytest.mark.parametrize("vocabulary", [7, 2**40])
@pytest.mark.parametrize("chunks", [1, 4, *slow(500)])
def test_weights_chunks_and_large_vocabularies_equal_listing(vocabulary, chunks):
    predictor, prior = dice(vocabulary, chunks)
    others = [(0, 1, 6, 6, 5), (6, 0, 1, 0, 2), (0, 0, 1, 0, 0)]
    assert_posterior(predictor, prior, [*prior, *others])


def test_before_the_first_hypotheses_numbers_are_as_probable_as_the_family_says():
    first, _ = dice()
    uniform, _ = dice(after=3)
    told, _ = dice(after=2, early=lambda seen: np.arange(7.0) if seen[0] < 5 else np.zeros(7))
    x = np.array([[1, 2, 4, 1, 2], [6, 2, 4, 1, 2]], dtype=np.uint64)
    expected = first.predict(x)
    found = uniform.predict(x)
    assert found.truth_probability[:, :2] == pytest.approx(1 / 7)
    assert (found.numbers[:, :2] == 0).all()
    assert not found.abstained[:, :2].any()
    assert found.truth_probability[:, 2:] == pytest.approx(expected.truth_probability[:, 2:])
    found = told.predict(x)
    assert found.truth_probability[:, 0] == pytest.approx([2 / 21, 0])
    assert found.numbers[:, 0].tolist() == [6, 0]
    assert found.abstained[:, 0].tolist() == [False, True]


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_number_beyond_the_vocabulary_is_impossible_and_so_is_what_follows(after):
    predictor, _ = dice(after=after)
    usual = predictor.predict(np.array([[1, 2, 3, 4, 5]], dtype=np.uint64))
    for place in range(5):
        x = np.array([[1, 2, 3, 4, 5]], dtype=np.uint64)
        x[0, place] = 2**64 - 1
        found = predictor.predict(x)
        assert (found.truth_probability[0, max(0, place - 1) :] == 0).all()
        assert found.abstained[0, place:].all()
        assert (found.numbers[0, :place] == usual.numbers[0, :place]).all()


def test_it_is_a_predictor_of_any_length():
    predictor = hidden_lcg(np.arange(16) >> 2, np.array([1, 5]), vocabulary=4, assumes="all of it")
    assert isinstance(predictor, Predictor)
    assert predictor.name == "bayes"
    for length in (1, 2, 3):
        assert predictor.predict(np.zeros((2, length), dtype=np.uint64)).truth_probability.shape == (2, length - 1)


def test_what_cannot_be_enumerated_is_said_in_one_line():
    with pytest.raises(UserError, match="modulo a power of two from 4 to 2\\^16, not 12"):
        hidden_lcg(np.arange(12), np.array([1]), vocabulary=12, assumes="")
    with pytest.raises(UserError, match="after=0 was given"):
        dice(after=0)
