"""Plausible inputs with any options are answered in time; ``fuzz_audits.py`` tries more of them."""

import pytest
from fuzz_audits import check, fuzzed_audit

PATIENCE = 30.0
"""Seconds of an audit beyond its limit, beside busy processes and while what is loaded once is loaded."""


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_any_audit_has_a_verdict_or_a_line_in_time(first: int) -> None:
    for number in range(first, first + 10):
        check(number, PATIENCE)


def test_an_audit_is_the_same_whenever_it_is_asked_for() -> None:
    numbers = range(100, 140)
    first, again = ([repr(fuzzed_audit(number)) for number in numbers] for _ in range(2))
    assert first == again
    assert len(set(first)) == len(numbers)
