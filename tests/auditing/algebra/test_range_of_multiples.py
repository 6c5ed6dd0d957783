"""The first multiple in a range, modulo a number, is the one that trying all finds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from unrandom.auditing.algebra.range_of_multiples import first_multiple


def by_trial(a, m, low, high):
    return next((x for x in range(m) if low <= a * x % m <= high), None)


def test_all_small_moduli():
    for m in range(1, 13):
        for a in range(m):
            for low in range(m):
                for high in range(low, m):
                    assert first_multiple(a, m, low, high) == by_trial(a, m, low, high)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.integers(2, 5000))
def test_moduli_of_four_digits(data, m):
    a, low = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, m - 1))
    high = data.draw(st.integers(low, m - 1))
    assert first_multiple(a, m, low, high) == by_trial(a, m, low, high)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**27))
def test_wide_moduli(a, low, width):
    m = 2**64
    high = min(low + width, m - 1)
    x = first_multiple(a, m, low, high)
    assert x is None or low <= a * x % m <= high
    known = first_multiple(a, m, a * 12345 % m, a * 12345 % m)
    assert known is not None
    assert known <= 12345
