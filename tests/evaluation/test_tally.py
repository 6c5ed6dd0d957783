"""Counts are added and divided last; intervals are Wilson's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from unrandom.evaluation import Tally


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=9), min_size=1, max_size=5))
def test_tallies_of_parts_add_up_to_the_tally_of_the_whole(parts):
    total = Tally.of(np.zeros(0, dtype=bool))
    for part in parts:
        total = total + Tally.of(np.array(part))
    whole = Tally.of(np.concatenate([np.array(part) for part in parts]))
    assert (total.correct, total.total) == (whole.correct, whole.total)
    assert total.value == whole.value  # not the mean of the means of the parts


@given(n=st.integers(1, 2000), share=st.floats(0, 1, allow_subnormal=False))
def test_the_interval_is_scipy_s(n, share):
    k = round(n * share)
    low, high = Tally(np.array(k), np.array(n)).interval()
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_by_position_is_a_tally_of_arrays():
    correct = np.array([[True, False], [True, True]])
    tally = Tally.of(correct, axis=0) + Tally.of(correct, axis=0)
    assert tally.correct.tolist() == [4, 2]
    assert tally.total.tolist() == [4, 4]
    assert tally.to_json()["value"] == [1.0, 0.5]


def test_an_empty_tally_is_null():
    assert Tally.of(np.zeros(0, dtype=bool)).to_json()["value"] is None
