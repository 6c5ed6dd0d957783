"""How is a stream audited in one call? From numbers or a file to a verdict."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from unrandom.auditing.forms import stream_of
from unrandom.auditing.parsing import Numbers
from unrandom.auditing.reading import Raw, read
from unrandom.auditing.search import audit_stream, choose
from unrandom.auditing.verdict import Verdict
from unrandom.core.errors import UserError


def audit(
    numbers: str | Path | Sequence[int] | Sequence[float] | np.ndarray,
    *,
    bits: int | None = None,
    modulus: int | None = None,
    bounded: int | None = None,
    raw: Raw | None = None,
    column: str | None = None,
    family: str | None = None,
    max_seconds: float = 60.0,
    watch: Callable[[str], None] = lambda _family: None,
) -> Verdict:
    """Search for a generator that predicts a stream of numbers: a `Predictable` or a `NotPredicted`.

    ``numbers`` are the outputs of one generator in their order, as a list or an array: whole numbers of up to 64 bits,
    or fractions from 0 to 1; or the path of a file of them (``"-"`` is standard input). ``bits`` is the width of whole
    numbers (default: that of the largest), ``modulus`` that of the generator if it is known, ``bounded`` is N where
    outputs were reduced to 0 … N − 1. Of a file, ``raw`` (``"u32"`` or ``"u64"``) reads little-endian words and
    ``column`` selects a column of a table. ``family`` restricts the search to one family of generators, ``max_seconds``
    its time; ``watch`` is called with the name of each family before it is tried.

    A `Predictable` has ``family``, ``parameters``, ``next`` (outputs), ``outputs_needed`` and ``certificate``, the
    proof: it re-predicted outputs that were held back. A `NotPredicted` proves nothing about the stream. Both have
    ``text()`` and ``to_json()``. Raises UserError for what is no such stream.

    >>> import unrandom
    >>> verdict = unrandom.audit(unrandom.LCG(m=2**31 - 1, a=16807, c=0).orbit(x0=1, length=40))
    >>> verdict.parameters["a"], verdict.outputs_needed
    (16807, 5)
    >>> verdict.next[:2]
    [784558821, 530511967]
    """
    choose(family)
    if isinstance(numbers, str | Path):
        stream = read(str(numbers), raw=raw, bits=bits, modulus=modulus, bounded=bounded, column=column)
    else:
        if raw is not None or column is not None:
            raise UserError("raw and column are for files, but numbers were given")
        stream = stream_of(_parsed(numbers), "the list of numbers", bits, modulus, bounded)
    return audit_stream(stream, max_seconds=max_seconds, family=family, watch=watch)


def _parsed(numbers: Sequence[int] | Sequence[float] | np.ndarray) -> Numbers:
    """The numbers as a program would print them, one per line."""
    if np.ndim(numbers) != 1:
        raise UserError(f"numbers must be a list or an array with one axis, but have shape {list(np.shape(numbers))}")
    parsed = Numbers()
    for line, number in enumerate(numbers, start=1):
        parsed.add(line, [str(number)])
    return parsed
