"""Whole numbers: factors, orders, powers, and the door into uint64."""

from math import gcd, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unrandom.core.arithmetic import (
    as_residues,
    as_words,
    digits_needed,
    factorize,
    is_power_of_two,
    is_prime,
    multiplicative_order,
    power_mod,
    top_residue,
    valuation,
)
from unrandom.core.errors import UserError

modest = settings(max_examples=60, deadline=None, derandomize=True)


def is_prime_below_10000(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


@given(st.integers(1, 10_000))
@modest
def test_a_number_is_the_product_of_its_prime_powers(n):
    factors = factorize(n)
    assert prod(p**e for p, e in factors.items()) == n
    assert all(is_prime_below_10000(p) for p in factors)
    assert list(factors) == sorted(factors)


@pytest.mark.parametrize(
    ("n", "factors"),
    [
        (1, {}),
        (2**64, {2: 64}),
        (2**32 - 5, {2**32 - 5: 1}),
        (2**32 + 1, {641: 1, 6700417: 1}),
        (2**61 - 1, {2**61 - 1: 1}),
        (2**64 - 1, {3: 1, 5: 1, 17: 1, 257: 1, 641: 1, 65537: 1, 6700417: 1}),
        (65537 * 65537, {65537: 2}),
        (6 * (2**31 - 1) * 65537, {2: 1, 3: 1, 65537: 1, 2**31 - 1: 1}),
    ],
)
def test_known_factorisations(n, factors):
    assert factorize(n) == factors
    assert list(factorize(n)) == sorted(factors)


def test_the_caller_owns_the_factors():
    factorize(12).clear()
    assert factorize(12) == {2: 2, 3: 1}


@pytest.mark.parametrize("n", [0, -4, 2**64 + 1])
def test_no_factors_outside_the_range(n):
    with pytest.raises(UserError, match=str(n)):
        factorize(n)


def test_powers_of_two():
    assert [n for n in range(-4, 70) if is_power_of_two(n)] == [1, 2, 4, 8, 16, 32, 64]
    assert is_power_of_two(2**64)


@given(st.integers(0, 2**64), st.integers(2, 2**32))
@modest
def test_digits_needed_is_the_least_that_suffices(limit, base):
    digits = digits_needed(limit, base)
    assert base**digits > limit
    assert digits == 1 or base ** (digits - 1) <= limit


def test_digits_need_a_base():
    with pytest.raises(UserError, match="base=1"):
        digits_needed(10, 1)


def test_the_order_is_the_first_power_that_is_one():
    for n in range(1, 60):
        for a in range(1, n + 1):
            if gcd(a, n) == 1:
                powers = [pow(a, t, n) for t in range(1, n + 1)]
                assert multiplicative_order(a, n) == 1 + powers.index(1 % n)


def test_orders_of_large_moduli():
    assert multiplicative_order(16807, 2**31 - 1) == 2**31 - 2  # Park and Miller's primitive root
    assert multiplicative_order(5, 2**64) == 2**62
    assert multiplicative_order(2, 2**61 - 1) == 61
    with pytest.raises(UserError, match="unit"):
        multiplicative_order(6, 9)


@given(st.lists(st.tuples(*[st.integers(0, 2**64 - 1)] * 2, st.integers(1, 2**32)), min_size=1, max_size=8))
@modest
def test_power_mod_equals_python(cases):
    a, exponent, m = (np.array(column, dtype=np.uint64) for column in zip(*cases, strict=True))
    assert power_mod(a, exponent, m).tolist() == [pow(*case) for case in cases]


def test_power_mod_broadcasts_and_knows_its_limit():
    assert power_mod(3, np.arange(4, dtype=np.uint64), 7).tolist() == [1, 3, 2, 6]
    assert power_mod(3, 4, 7) == 4
    with pytest.raises(UserError, match="4294967297"):
        power_mod(3, 4, 2**32 + 1)


def test_words_are_exact_or_refused():
    assert as_words(2**64 - 1, name="x") == 2**64 - 1
    assert as_words([2**63, 1], name="x").tolist() == [2**63, 1]
    assert as_words(np.array([5], np.int8), name="x").dtype == np.uint64
    for wrong in (-1, 2**64, np.array([3, -2]), np.array([1.0]), np.array([1.5], dtype=object)):
        with pytest.raises(UserError, match="seed"):
            as_words(wrong, name="seed")


def test_a_modulus_is_kept_as_its_greatest_residue():
    assert top_residue(2**64) == 2**64 - 1
    assert top_residue(np.array([2, 2**63], np.uint64)).tolist() == [1, 2**63 - 1]
    assert top_residue(np.array([2**64, 10**6], dtype=object)).tolist() == [2**64 - 1, 10**6 - 1]
    for wrong in (1, 0, 2**64 + 1, np.array([4, 0], np.uint64)):
        with pytest.raises(UserError, match="from 2 to 2\\*\\*64"):
            top_residue(wrong)


def test_parameters_share_their_rows():
    top, a, c = as_residues(10, a=np.array([3, 4, 5]), c=7)
    assert (top.tolist(), a.tolist(), c.tolist()) == ([9] * 3, [3, 4, 5], [7] * 3)
    with pytest.raises(UserError, match=r"a must be .* but 10 was given for m = 10"):
        as_residues(10, a=np.array([3, 10]))
    with pytest.raises(UserError, match=r"m \[\], a \[2\], c \[3\]"):
        as_residues(10, a=np.array([1, 2]), c=np.array([1, 2, 3]))


def test_is_prime_above_words():
    assert is_prime(2**89 - 1)
    assert not is_prime(2**128)
    assert not is_prime((2**61 - 1) * (2**31 - 1))


def test_is_prime_against_trial_division():
    for n in range(1, 400):
        assert is_prime(n) == (n > 1 and all(n % d for d in range(2, n)))


def test_valuation_counts_how_often_a_prime_divides():
    assert [valuation(n, 2) for n in (1, 2, -12, 2**70)] == [0, 1, 2, 70]
    assert valuation(45, 3) == 2
    for n, p in ((0, 2), (4, 1)):
        with pytest.raises(ValueError, match="a number other than 0"):
            valuation(n, p)
