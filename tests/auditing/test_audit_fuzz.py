"""Plausible inputs with any options are answered in time; ``fuzz_audits.py`` tries more of them."""

import random

import pytest
from fuzz_audits import check, fuzzed_audit
from hostile_streams import HostileAudit, attack

from tiers import slow_but
from unrandom.auditing.forms import interpretations as forms
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.cycles import MOST_OUTPUTS
from unrandom.auditing.reading.values import numbers_of_values

PATIENCE = 30.0
"""Seconds of an audit beyond its limit, beside busy processes and while what is loaded once is loaded."""


@pytest.mark.parametrize("first", slow_but([0], range(0, 60, 10)))
def test_any_audit_has_a_verdict_or_a_line_in_time(first: int) -> None:
    for number in range(first, first + 10):
        check(number, PATIENCE)


def test_an_audit_is_the_same_whenever_it_is_asked_for() -> None:
    numbers = range(100, 140)
    first, again = ([repr(fuzzed_audit(number)) for number in numbers] for _ in range(2))
    assert first == again
    assert len(set(first)) == len(numbers)


FOUND: dict[str, HostileAudit] = {
    "a fraction that no seed makes": HostileAudit([1.2288498616051359e86]),
    "hexadecimal digits from -1 on": HostileAudit([*"a1a9ac5df1e0" * 5], options={"start": -1}),
    "deviates whose squares are 0": HostileAudit([-2.6e-120, 2.3e-174, -2.1e-262, 1.3e-17, 0.5, -0.25] * 9),
    "numbers far from 0 for their range": HostileAudit([10**400 + i * i for i in range(40)]),
    "a word of 64 bits rounded up to 1": HostileAudit([0.29791230066385027, 1.0, 0.24449497793078426, 0.0] * 9),
    "rare numbers": HostileAudit([random.Random(i).random() for i in range(1000)], options={"pattern": "4000"}),
}


@pytest.mark.parametrize("case", FOUND.values(), ids=FOUND)
def test_what_was_found_by_trying(case: HostileAudit) -> None:
    assert attack(case, 1) != "refused"


def test_outputs_between_the_printed_ones_are_limited() -> None:
    numbers = numbers_of_values([random.Random(i).getrandbits(32) for i in range(2000)])
    streams = forms.interpretations(numbers, Assumed.of(pattern="999"))
    assert {len(stream) for stream in streams} == {MOST_OUTPUTS}
    assert numbers.notes == ["only the first 500 numbers were used"]


def test_wide_numbers_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MOST_WIDE_BITS", 512 * 30)
    numbers = numbers_of_values([2**511 + random.Random(i).getrandbits(511) for i in range(40)])
    assert len(forms.interpretations(numbers, Assumed())[0]) == 30
    assert numbers.notes == ["only the first 30 numbers were used"]
