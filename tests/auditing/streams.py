"""Streams for tests of audits, and a check of the verdict; the time that an audit may take."""

import numpy as np

from unrandom.auditing.audit import audit_streams
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.forms.scales import scales
from unrandom.auditing.forms.shown import Cycle, Fractions, Range, Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.reading.contents import read
from unrandom.auditing.verdict import Predictable, Verdict

PATIENT = 300.0
"""Seconds that an audit may take unless a test says otherwise, of the processor's time (see `conftest.py`)."""

WHOLE, FRACTION = Form("whole"), Form("fraction")


def stream_of(
    numbers: list[int],
    bits: int | None = None,
    bounded: int | None = None,
    cycle: tuple[int, ...] | None = None,
    **about: int,
) -> Stream:
    """Integers as a stream, as if they had been read."""
    bits = bits or max(max(numbers).bit_length(), 1)
    shown = Words(bits) if bounded is None else Range(bounded, bits)
    shown = shown if cycle is None else Cycle(cycle, bits)
    return Stream(np.array(numbers, dtype=np.uint64), WHOLE, shown, **about)


def fractions_of(numbers: list[float], places: int | None = None) -> Stream:
    """Fractions as a stream: exact, or rounded to so many decimal places."""
    values = np.array(numbers) if places is None else np.array(numbers).round(places)
    errors = np.full(len(values), 0.0 if places is None else 0.5 * 10.0**-places)
    form = Form("fraction", digits=places, fixed=places is not None)
    return Stream(values, form, Fractions(errors, scales=scales(values, errors)))


def stream_in(path: str, **assumed) -> Stream:
    """The stream in a file, in its first interpretation."""
    return interpretations(read(path), Assumed.of(**assumed))[0]


def audit_stream(stream: Stream, **options) -> Verdict:
    """The verdict on numbers in this interpretation alone."""
    return audit_streams([stream], **{"max_seconds": PATIENT, **options})


def found(numbers: list[int], family: str, *, bits: int | None = None, **about: int) -> Predictable:
    """The verdict on all but the last 20 numbers; asserts that it names this family and predicts the next ten."""
    verdict = audit_stream(stream_of(numbers[:-20], bits, **about))
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.verdict == "predictable"
    assert verdict.family == family
    assert verdict.next == numbers[-20:-10]
    return verdict
