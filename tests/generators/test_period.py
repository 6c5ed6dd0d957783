"""The closed form of the period equals counting and another closed form."""

from itertools import product
from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.ntheory import n_order

from unrandom.core.errors import UserError
from unrandom.generators.period import period, periods

modest = settings(max_examples=60, deadline=None, derandomize=True)


def counted_period(m, a, c, x):
    first_seen = {}
    while x not in first_seen:
        first_seen[x] = len(first_seen)
        x = (a * x + c) % m
    return len(first_seen) - first_seen[x]


def period_as_one_order(m, a, c, x0):
    """The period from one multiplicative order: that of a modulo (a − 1) m', where m' is m without the primes of a."""
    while (g := gcd(m, a)) > 1:
        m //= g
    d = ((a - 1) * x0 + c) % m
    left = m // gcd(d, m)
    a %= m
    if left == 1 or a % left == 1:
        return left
    return int(n_order(a, (a - 1) * left))


def test_every_small_case_equals_counting():
    cases = [(m, *rest) for m in range(2, 15) for rest in product(range(m), repeat=3)]
    assert periods(*np.array(cases).T).tolist() == [counted_period(*case) for case in cases]


@pytest.mark.parametrize("m", [16, 18, 25, 27, 32, 36, 64, 72, 81])
def test_every_multiplier_of_some_prime_powers(m):
    for a in range(m):
        for c in (0, 1, 2, 6):
            assert period(m, a, c, 5) == counted_period(m, a, c, 5)


@given(st.integers(2, 200), st.data())
@modest
def test_cases_up_to_200_equal_counting(m, data):
    a, c, x0 = (data.draw(st.integers(0, m - 1)) for _ in range(3))
    assert period(m, a, c, x0) == counted_period(m, a, c, x0)


@given(st.one_of(st.integers(2, 2**20), st.integers(2**32 - 1000, 2**32)), st.data())
@modest
def test_arrays_equal_integers_equal_one_order(m, data):
    a, c, x0 = (data.draw(st.integers(0, m - 1)) for _ in range(3))
    assert period(m, a, c, x0) == periods(m, a, c, x0)[0] == period_as_one_order(m, a, c, x0)


def test_rows_of_many_moduli():
    rng = np.random.default_rng(0)
    m = rng.integers(2, 2500, 500, dtype=np.uint64)
    a, c, x0 = (rng.integers(0, m) for _ in range(3))
    rows = zip(m.tolist(), a.tolist(), c.tolist(), x0.tolist(), strict=True)
    assert periods(m, a, c, x0).tolist() == [period(*row) for row in rows]


def test_famous_periods():
    assert period(2**31 - 1, 16807, 0, 1) == 2**31 - 2
    assert period(2**31, 65539, 0, 1) == 2**29
    assert period(2**64, 6364136223846793005, 1442695040888963407, 0) == 2**64
    assert period(2**61 - 1, 2, 0, 1) == 61
    assert period(16, 6, 1, 0) == 1  # a tail, then a fixed point


def test_large_moduli_go_row_by_row():
    assert periods(np.array([2**40, 12], np.uint64), 5, 1, 0).tolist() == [2**40, period(12, 5, 1, 0)]
    assert periods(2**64, 5, 1, 0).tolist() == [2**64 - 1]  # 2**64 exceeds uint64
    assert period(2**64, 5, 1, 0) == 2**64


def test_parameters_must_be_residues():
    with pytest.raises(UserError, match="x0 must be"):
        period(10, 1, 1, 10)
    with pytest.raises(UserError, match="a must be"):
        periods(10, np.array([3, 11]), 1, 0)
