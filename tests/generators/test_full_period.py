"""The Hull–Dobell theorem agrees with counting, and samples of full-period parameters are uniform."""

from itertools import pairwise
from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from priors import full_period_increments
from unrandom.core.errors import UserError
from unrandom.generators.full_period import (
    count_increments,
    count_multipliers,
    draw_units,
    full_period_mask,
    full_period_multipliers,
    has_full_period,
    lookback,
    multiplier_step,
    sample_distinct,
    sample_increments,
    sample_multipliers,
)

modest = settings(max_examples=40, deadline=None, derandomize=True)
any_modulus = st.one_of(st.integers(2, 300), st.sampled_from([2**32, 2**48, 3**20, 10**15, 2**64 - 1, 2**64]))


def visits_everything(a, c, m):
    x, steps = c % m, 1
    while x and steps < m:
        x, steps = (a * x + c) % m, steps + 1
    return not x and steps == m


def test_hull_dobell_agrees_with_counting():
    for m in range(2, 65):
        a, c = (v.ravel() for v in np.mgrid[:m, :m].astype(np.uint64))
        visits = [visits_everything(*pair, m) for pair in zip(a.tolist(), c.tolist(), strict=True)]
        assert full_period_mask(a, c, m).tolist() == visits
        assert [has_full_period(int(p), int(q), m) for p, q in zip(a, c, strict=True)] == visits


def test_lists_agree_with_the_theorem():
    for m in range(2, 65):
        multipliers, increments = list(full_period_multipliers(m)), full_period_increments(m)
        assert multipliers == [a for a in range(m) if has_full_period(a, 1, m)]
        assert increments == [c for c in range(m) if has_full_period(1, c, m)]
        assert len(multipliers) == count_multipliers(m)
        assert len(increments) == count_increments(m)


@given(any_modulus, st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
@modest
def test_arrays_equal_integers(m, a, c):
    a, c = a % m, c % m
    nearby = a - a % multiplier_step(m) + 1
    for multiplier in {a, min(nearby, m - 1)}:
        assert full_period_mask(multiplier, c, m)[0] == has_full_period(multiplier, c, m)


def test_each_row_may_have_its_modulus():
    m = np.array([9, 8, 2**64], dtype=object)
    assert full_period_mask(np.array([4, 4, 5]), 1, m).tolist() == [True, False, True]


def test_counts_of_large_moduli():
    assert (multiplier_step(2**64), count_multipliers(2**64), count_increments(2**64)) == (4, 2**62, 2**63)
    assert (multiplier_step(1800), count_multipliers(1800), count_increments(1800)) == (60, 30, 480)
    assert full_period_multipliers(2**64)[-1] == 2**64 - 3
    with pytest.raises(UserError, match="from 2"):
        multiplier_step(1)


@given(
    st.one_of(st.integers(1, 40), st.integers(1, 2**64), st.just(2**64)),
    st.integers(0, 40),
    st.integers(0, 9),
)
@modest
def test_samples_are_distinct(n, k, seed):
    k = min(n, k)
    sample = sample_distinct(np.random.default_rng(seed), n, k)
    assert sample.dtype == np.uint64
    assert len(set(sample.tolist())) == k
    assert all(x < n for x in sample.tolist())


def test_too_large_samples_are_refused():
    with pytest.raises(UserError, match="11 distinct numbers cannot be drawn from 10"):
        sample_distinct(np.random.default_rng(0), 10, 11)


@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_every_set_is_equally_likely(k):
    """Each of the 8 numbers has probability 1/8 at each position: a chi-square statistic with 7 degrees of freedom."""
    rng = np.random.default_rng(5)
    samples = np.array([sample_distinct(rng, 8, k) for _ in range(4000)])
    for place in samples.T:
        counts = np.bincount(place.astype(np.int64), minlength=8)
        assert ((counts - 500) ** 2 / 500).sum() < 24.3  # exceeded with probability 0.001


def chi_square(bits):
    """The chi-square statistic of four bits: 16 values, 15 degrees of freedom."""
    counts = np.bincount(bits.astype(np.int64), minlength=16)
    expected = len(bits) / 16
    return ((counts - expected) ** 2 / expected).sum()


@pytest.mark.parametrize("m", [2**64, 2**32, 2**20])
@pytest.mark.parametrize(("sample", "free"), [(sample_multipliers, 2), (sample_increments, 1)])
def test_samples_are_uniform_in_low_and_high_bits(m, sample, free):
    drawn = sample(np.random.default_rng(11), m, 8000, exclude=range(1, 1000, 4))
    bits = m.bit_length() - 1
    assert chi_square((drawn >> np.uint64(free)) & np.uint64(15)) < 37.7  # exceeded with probability 0.001
    assert chi_square(drawn >> np.uint64(bits - 4)) < 37.7


@pytest.mark.parametrize("m", [2048, 1800, 6561, 2**5 * 3**3 * 7**2, 2**32, 3**20, 10**15, 2**64])
@pytest.mark.parametrize("sample", [sample_multipliers, sample_increments])
def test_excluded_values_are_never_drawn(m, sample):
    test = sample(np.random.default_rng(1), m, 15)
    train = sample(np.random.default_rng(2), m, 15, exclude=test)
    assert len({*test.tolist(), *train.tolist()}) == 30
    for x in (*test.tolist(), *train.tolist()):
        assert x < m
        assert gcd(x, m) == 1
        assert sample is sample_increments or has_full_period(x, 1, m)


@pytest.mark.parametrize("m", [16, 30, 36, 49])
def test_all_can_be_drawn(m):
    rng = np.random.default_rng(0)
    assert sorted(sample_multipliers(rng, m, count_multipliers(m)).tolist()) == list(full_period_multipliers(m))
    assert sorted(sample_increments(rng, m, count_increments(m)).tolist()) == full_period_increments(m)
    rest = sample_increments(rng, m, count_increments(m) - 1, exclude=[1, 0, m, -3])
    assert sorted(rest.tolist()) == full_period_increments(m)[1:]


def test_errors_count_what_is_available():
    rng = np.random.default_rng(0)
    with pytest.raises(UserError, match=r"^modulus 251 has 1 full-period multiplier; 64 were requested$"):
        sample_multipliers(rng, 251, 64)
    with pytest.raises(UserError, match="16 has 8 full-period increments, 2 of them excluded; 7 were"):
        sample_increments(rng, 16, 7, exclude=(3, 5, 6))
    with pytest.raises(UserError, match="at least 0"):
        sample_increments(rng, 16, -1)


@pytest.mark.parametrize("m", [4, 8, 27, 30, 36, 50, 98, 108, 125, 128])
def test_differences_repeat_after_the_look_back_and_not_before(m):
    for a in full_period_multipliers(m):
        x = [0]
        while len(x) < 3 * m:
            x.append((a * x[-1] + 1) % m)
        differences = [(after - before) % m for before, after in pairwise(x)]
        repeats = [r for r in range(1, m + 1) if differences[r:] == differences[:-r]]
        assert lookback(m, a) == repeats[0]


def test_units_are_coprime_to_their_modulus_and_uniform():
    m = np.repeat(np.array([2, 9, 30], dtype=np.uint64), 4000)
    drawn = draw_units(np.random.default_rng(0), m)
    for modulus in (2, 9, 30):
        values, counts = np.unique(drawn[m == modulus], return_counts=True)
        assert values.tolist() == [c for c in range(1, modulus) if gcd(c, modulus) == 1]
        assert len(values) == 1 or chisquare(counts).pvalue > 1e-3
