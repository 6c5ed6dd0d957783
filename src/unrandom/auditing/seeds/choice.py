"""Chooses the trials for a stream: all methods of programs that may have made one of its readings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from unrandom.auditing.forms.layers import Backwards, Digits, Divided, Gaps, InTurn, Joined, Reversed
from unrandom.auditing.forms.normals import FEWEST, exponential_streams, normal_streams
from unrandom.auditing.forms.shown import Cycle, Fractions, Normals, Range, Real, Shown, Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.reading.tokens import shown
from unrandom.auditing.seeds import draws
from unrandom.auditing.seeds.methods import Method, OutputKind
from unrandom.auditing.seeds.programs import PROGRAMS, Program
from unrandom.auditing.seeds.samples import Sample, samples
from unrandom.auditing.seeds.trials import Trial
from unrandom.core.errors import UserError

UNUSED_BITS = 24
"""If the whole numbers of a stream have fewer bits than the outputs of a method, the chance of that is at most 2 to
the power of minus this number.
"""

WIDEST_BITS = 64  # numbers with more bits are compared with no method: compiled comparisons take 64-bit words
RARE = (Gaps, InTurn, Joined)  # interpretations of the printed numbers that are not tried with seeds, except for BYTES
BYTES = Joined(8, 4, low_first=True)  # Python's randbytes and Java's nextBytes print words so

FEWEST_NORMAL = 4  # normal deviates that are hardly ever all from 0 to 1


def choose(program: str | None) -> Sequence[Program]:
    """The programs whose names contain this text, or all; UserError if there are none."""
    chosen = [one for one in PROGRAMS if program is None or program.lower() in one.about.lower()]
    if not chosen:
        some = "; ".join(one.about for one in PROGRAMS[:5])
        raise UserError(f"--program: no program contains {shown(program or '')}; there are {some} and others")
    return chosen


def trials(streams: Sequence[Stream], program: str | None = None) -> list[Trial]:
    """All methods that may have made one of the streams, in the order of their programs; none for constants, nor for
    numbers of more than WIDEST_BITS.
    """
    found: dict[object, Trial] = {}
    usual = [one for one in streams if not any(isinstance(layer, RARE) and layer != BYTES for layer in one.form.layers)]
    usual += [other for stream in usual for other in _others(stream)]
    usual = [one for one in usual if len(one) and one.bits <= WIDEST_BITS and varied(one)]
    for one in choose(program):
        for stream in usual:
            for method in _methods(one, stream):
                ranges = (stream.bounded, stream.cycle) if method.kind == "range" else ()
                key = (one.about, method, stream.form.layers, stream.form.single, ranges)
                found.setdefault(key, Trial(_near(stream, method.error), one, method))
    return list(found.values())


def _others(stream: Stream) -> Iterator[Stream]:
    """Interpretations that are tried with seeds only: bytes and characters in another order, samples without
    replacement, and a few deviates from 0 to 1.
    """
    yield from samples(stream)
    layer = stream.form.layers[0] if stream.form.layers else None
    if isinstance(layer, Digits) and layer.count > 1 and len(stream) % layer.count == 0:
        turned = stream.values.reshape(-1, layer.count)[:, ::-1].ravel()
        yield replace(stream, values=turned, form=stream.form.within(Backwards(layer.count)))
    if _of_four_bytes(stream):
        yield _bytes_of_words(stream)
    if isinstance(stream.shown, Fractions) and not stream.form.layers:
        values, errors, form = stream.values, stream.shown.rounding_error, stream.form
        few = [exponential_streams(values, errors, form)] * (0 < len(values) < FEWEST)
        few += [normal_streams(values, errors, form)] * (0 < len(values) < FEWEST_NORMAL)
        yield from (replace(one, likely=False) for one in chain.from_iterable(few))


def _of_four_bytes(stream: Stream) -> bool:
    """Whether the outputs are words of 32 bits, the bytes of which were printed in their order."""
    layer = stream.form.layers[0] if stream.form.layers else None
    return isinstance(layer, Divided) and layer.bits == 32 and not layer.low_first and stream.bounded is None


def _bytes_of_words(stream: Stream) -> Stream:
    """The words if the lowest byte of each was printed first, as by Python's randbytes and numpy's bytes."""
    swapped = stream.values.astype(np.uint32).byteswap().astype(np.uint64)
    return replace(stream, values=swapped, form=stream.form.within(Reversed(32, 8)))


def _near(stream: Stream, error: float) -> Stream:
    """The stream for a method whose real numbers have a relative error."""
    if not error or not isinstance(stream.shown, Real):
        return stream
    errors = stream.shown.rounding_error + np.abs(stream.values) * error
    printed = stream.values if stream.form.digits is None else None
    return replace(stream, shown=replace(stream.shown, rounding_error=errors, printed=printed))


def varied(stream: Stream) -> bool:
    """False for constants, of which any seed may be the cause that leads to an error."""
    return len(stream) == 1 or stream.bits_per_output > 0


def _kind(shown: Shown) -> tuple[OutputKind, tuple[int, ...]]:
    """The kind of outputs that a method must have, and their ranges, 0 for none."""
    match shown:
        case Normals():
            return "normal", (0,)
        case Fractions():
            return "fraction", (0,)
        case Range(size):
            return "range", (size,)
        case Cycle(ranges):
            return "range", ranges
        case Words():
            return "word", (0,)


def _methods(program: Program, stream: Stream) -> Iterator[Method]:
    kind, ranges = _kind(stream.shown)
    innermost = stream.form.layers[0] if stream.form.layers else None
    if isinstance(innermost, Sample):
        ranges = tuple(n for n in ranges if n > 1)
    for method in program.methods_for(kind, stream.bits):
        letters = method.code == draws.LETTERS
        if (letters and not isinstance(innermost, Backwards | Digits)) or method.through not in (None, innermost):
            continue
        if isinstance(innermost, Backwards) and not letters:
            continue
        if isinstance(innermost, Sample) and method.code not in (draws.R_BITS, draws.TOP_BITS):
            continue
        if kind == "word":
            unused = method.bits - stream.bits
            if unused >= 0 and unused * len(stream) <= UNUSED_BITS:
                yield method
        elif method.real or all(method.fits(n) for n in ranges):
            yield method
