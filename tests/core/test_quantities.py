"""Quantities are written with a few digits, in the unit that is read most easily."""

import pytest

from unrandom.core.quantities import duration, scaled


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.00012, "0.12 ms"),
        (0.1184, "118 ms"),
        (0.9996, "1 s"),
        (8.34, "8.3 s"),
        (89.4, "89 s"),
        (96, "1.6 minutes"),
        (1200, "20 minutes"),
        (2 * 3600, "2 hours"),
        (4.3e6, "50 days"),
        (1e9, "11,574 days"),
    ],
)
def test_times(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 B"), (999, "999 B"), (999.6, "1 kB"), (19.34e9, "19.3 GB"), (1.22e18, "1.22 EB")]
)
def test_prefixes(number, words):
    assert scaled(number, "B") == words
