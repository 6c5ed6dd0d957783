"""Streams for audits, and what an audit must find in them."""

import numpy as np

from unrandom.auditing.search import audit
from unrandom.auditing.stream import Form, Stream
from unrandom.auditing.verdict import Predictable


def stream_of(numbers: list[int], bits: int | None = None, **about: int) -> Stream:
    """Whole numbers as if they had been read."""
    return Stream(
        np.array(numbers, dtype=np.uint64), Form("decimal"), bits or max(max(numbers).bit_length(), 1), **about
    )


def found(numbers: list[int], family: str, *, bits: int | None = None, **about: int) -> Predictable:
    """The verdict on all but the last 20 numbers, which must be that of this family and predict the next ten."""
    verdict = audit(stream_of(numbers[:-20], bits, **about))
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.family == family
    assert verdict.next == numbers[-20:-10]
    return verdict
