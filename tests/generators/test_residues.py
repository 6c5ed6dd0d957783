"""Digits have an exact inverse, and known periods along full-period sequences."""

from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unrandom.core.errors import UserError
from unrandom.generators.lcg import lcg_orbits
from unrandom.generators.residues import Digit, digit_period, digits_of, from_digits, to_digits

modest = settings(max_examples=60, deadline=None, derandomize=True)
any_modulus = st.one_of(
    st.integers(2, 5000), st.sampled_from([2**32, 2**32 - 5, 2**64, 3**40, 10**19, 2**61 - 1, 6469693230])
)


def smallest_period(sequence):
    """The smallest period of a sequence that contains at least two periods."""
    return next(t for t in range(1, len(sequence)) if (sequence[t:] == sequence[:-t]).all())


@given(any_modulus, st.lists(st.integers(0, 2**64), min_size=1, max_size=5))
@modest
def test_digits_are_an_exact_inverse(m, numbers):
    x = np.array([n % m for n in (*numbers, -1)], dtype=np.uint64)
    digits = to_digits(x, m)
    assert digits.shape == (len(x), len(digits_of(m)))
    assert all((digits[:, i] < p).all() for i, (p, _) in enumerate(digits_of(m)))
    assert from_digits(digits, m).tolist() == x.tolist()


def test_digits_are_those_of_the_residues():
    x = np.arange(360, dtype=np.uint64)
    assert [str(d) for d in digits_of(360)] == ["2^0", "2^1", "2^2", "3^0", "3^1", "5^0"]
    digits = to_digits(x, 360)
    assert ((digits[:, :3] * np.array([1, 2, 4], np.uint64)).sum(axis=1) == x % 8).all()
    assert ((digits[:, 3:5] * np.array([1, 3], np.uint64)).sum(axis=1) == x % 9).all()
    assert (digits[:, 5] == x % 5).all()
    assert len(np.unique(digits, axis=0)) == 360


def test_bytes_are_digits_of_another_factorisation():
    assert to_digits(3214748365, 2**32, {256: 4}).tolist() == [205, 42, 157, 191]
    assert from_digits(np.array([205, 42, 157, 191]), 2**32, {256: 4}) == 3214748365
    assert to_digits(2**64 - 1, 2**64, {2**64: 1}).tolist() == [2**64 - 1]


@pytest.mark.parametrize(
    ("m", "factorization"), [(256, {4: 4}), (256, {16: 2}), (3600, {12: 2, 25: 1}), (10**19, {10: 19})]
)
def test_any_coprime_factorisation_is_invertible(m, factorization):
    x = np.array([[0, 1, m - 1], [m // 2, m // 3, m // 7]], dtype=np.uint64)
    assert from_digits(to_digits(x, m, factorization), m, factorization).tolist() == x.tolist()


@pytest.mark.parametrize(
    ("factorization", "message"),
    [
        ({4: 3}, "multiply to 256"),
        ({2: 4, 4: 2}, "coprime"),
        ({1: 1, 256: 1}, "bases >= 2"),
        ({}, "bases >= 2"),
    ],
)
def test_other_factorisations_are_refused(factorization, message):
    with pytest.raises(UserError, match=message):
        to_digits(1, 256, factorization)


def test_numbers_and_digits_must_fit():
    with pytest.raises(UserError, match="10 was given for m = 10"):
        to_digits(np.array([3, 10]), 10)
    with pytest.raises(UserError, match=r"the digit 5\^0 must be from 0 to 4"):
        from_digits(np.array([1, 5]), 10)
    with pytest.raises(UserError, match="has 2 digits"):
        from_digits(np.array([1, 2, 3]), 10)


FULL_PERIOD = [(64, 5, 3), (81, 4, 2), (72, 13, 5), (200, 41, 7), (2**5 * 3**3, 13, 5)]


@pytest.mark.parametrize(("m", "a", "c"), FULL_PERIOD)
def test_digit_w_has_period_p_to_the_w_plus_1(m, a, c):
    digits = to_digits(lcg_orbits(1, a=a, c=c, m=m, length=2 * m)[0], m)
    for column, digit in zip(digits.T, digits_of(m), strict=True):
        assert smallest_period(column) == digit_period(digit) == digit.prime ** (digit.power + 1)


@pytest.mark.parametrize(("m", "a", "c"), FULL_PERIOD[:-1])
@pytest.mark.parametrize("r", [1, 2, 3, 4, 6, 8, 9, 12, 100])
def test_every_rth_element_shortens_the_periods(m, a, c, r):
    """Digit w has period p**(w+1) / gcd(r, p**(w+1)) there: it is constant if p**(w+1) | r."""
    digits = to_digits(lcg_orbits(1, a=a, c=c, m=m, length=2 * m * r)[0, ::r], m)
    for column, digit in zip(digits.T, digits_of(m), strict=True):
        full = digit_period(digit)
        assert smallest_period(column) == full // gcd(r, full)


def test_a_digit_prints_as_its_place_value():
    assert f"{Digit(2, 3)}" == "2^3"
