"""Streams for tests of audits, and a check of the verdict."""

import numpy as np

from unrandom.auditing.search import audit_stream
from unrandom.auditing.stream import Form, Stream
from unrandom.auditing.verdict import Predictable


def stream_of(numbers: list[int], bits: int | None = None, **about: int) -> Stream:
    """Integers as a stream, as if they had been read."""
    return Stream(
        np.array(numbers, dtype=np.uint64), Form("decimal"), bits or max(max(numbers).bit_length(), 1), **about
    )


def found(numbers: list[int], family: str, *, bits: int | None = None, **about: int) -> Predictable:
    """The verdict on all but the last 20 numbers; asserts that it names this family and predicts the next ten."""
    verdict = audit_stream(stream_of(numbers[:-20], bits, **about))
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.family == family
    assert verdict.next == numbers[-20:-10]
    return verdict
