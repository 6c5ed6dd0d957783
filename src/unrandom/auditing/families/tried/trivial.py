"""Recognises constants, counters and short periods by the differences of the numbers and their shortest period."""

from collections.abc import Iterator, Sequence
from itertools import chain, cycle, islice, pairwise
from math import lgamma, log, log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine, Replay
from unrandom.auditing.forms.layers import Number, Signed
from unrandom.auditing.forms.stream import Stream
from unrandom.core.files import JsonObject

MAX_OUTPUTS = 100_000  # outputs used for recovery
SIZES = 200  # sizes of a set that are compared, to find the one from which numbers were most likely drawn


class Trivial(Family):
    """Constants, arithmetic progressions (also modulo an inferred number), and short periods. Not in parts of the
    printed numbers: a few words that recur have many such parts in common by chance.
    """

    name = "trivial"
    about = "a constant, a counter (also modulo a number), or a short period"
    trivial = True
    any_width = True
    of_own = True
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return None if _has_parts(stream) else 2

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        values: list[Number] = stream.values.tolist()
        if len(values) < 2:
            return
        period = _period(values)
        if period == 1:
            yield _repetition({"kind": "constant", "value": values[0]}, values[:1])
        if not stream.fractions and period != 1:
            yield from _counters([int(value) for value in values], stream)
        if 1 < period <= len(values) // 2 and stream.likely:  # other forms of the numbers have the same period
            yield _periodic(stream, period)
        second_half = values[len(values) // 2 :]
        late_period = _period(second_half)
        if period > len(values) // 2 and late_period <= len(second_half) // 2:  # periodic after a tail
            start = len(values) - len(second_half)
            while start and values[start - 1] == values[start - 1 + late_period]:
                start -= 1
            parameters: JsonObject = {"kind": "period", "length": late_period, "after": start}
            yield _repetition(parameters, values[start : start + late_period], values[:start])


class LongPeriod(Family):
    """A period of more than half of the outputs; tried after generators that explain it with fewer numbers."""

    name = "trivial"
    about = "a period that is not yet complete for the second time"
    any_width = True
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return None if _has_parts(stream) else 2

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        period = _period(stream.values.tolist()) if len(stream) else 0
        if len(stream) // 2 < period < len(stream):
            yield _periodic(stream, period)


def _has_parts(stream: Stream) -> bool:
    """Whether several printed numbers consist of several outputs each."""
    return stream.form.inner > stream.form.outer and len(stream) > stream.form.inner


def _periodic(stream: Stream, period: int) -> Replay:
    """The repetition of the first numbers. It explains no more than the bits of all others, and no more than it would
    if the numbers were drawn from a few.
    """
    values: list[Number] = stream.values.tolist()
    distinct = len(set(values))
    of_few = _likelihood(period, distinct) - _likelihood(len(values), distinct)
    explained = min(float(stream.information[period:].sum()), of_few)
    free = float(stream.information.sum()) - explained + 2 * log2(period)
    return _repetition({"kind": "period", "length": period}, values[:period], free_bits=free)


def _likelihood(draws: int, distinct: int) -> float:
    """log2 of the greatest probability, among sets of all sizes, that draws from a set are these, up to their names:
    K! / (K − distinct)! / K**draws for a set of size K.
    """
    if draws == distinct:
        return 0.0  # the larger the set, the more certain that all draws are different
    sizes = {round(distinct ** (1 + i / SIZES)) for i in range(SIZES + 1)}
    return max(lgamma(size + 1) - lgamma(size - distinct + 1) - draws * log(size) for size in sizes) / log(2)


def _repetition(
    parameters: JsonObject, numbers: list[Number], first: Sequence[Number] = (), free_bits: float | None = None
) -> Replay:
    """The same numbers repeated endlessly, after an optional tail `first`."""

    def previous(count: int) -> list[Number] | None:
        return None if first else list(islice(cycle(numbers[::-1]), count))[::-1]

    return Replay(parameters, lambda: chain(first, cycle(numbers)), previous, free_bits)


def _counters(numbers: list[int], stream: Stream) -> Iterator[Generator]:
    """A counter with constant step; it wraps around modulo m if there are two different steps, which differ by m."""
    steps = {after - before for before, after in pairwise(numbers)}
    wraps = len(steps) == 2 and min(steps) < 0 < max(steps)
    if len(steps) > 1 and not wraps:
        return
    step = max(steps)
    signed = next((layer.bits for layer in stream.form.layers if isinstance(layer, Signed)), 0)
    m = max(steps) - min(steps) if wraps else stream.modulus or (1 << signed if signed else None)
    if m is None:
        # the numbers before the first one might be negative
        yield Machine({"kind": "counter", "step": step}, numbers[0], lambda x: x + step, int)
    elif m > max(numbers):
        parameters: JsonObject = {"kind": "counter", "step": step, **({} if signed else {"modulus": m})}
        yield Machine(parameters, numbers[0], lambda x: (x + step) % m, int, lambda x: (x - step) % m)


def _period(values: list[Number]) -> int:
    """The least p with values[i] = values[i + p]: the length minus the longest border (Knuth–Morris–Pratt)."""
    borders = [0] * len(values)
    for i in range(1, len(values)):
        k = borders[i - 1]
        while k and values[i] != values[k]:
            k = borders[k - 1]
        borders[i] = k + 1 if values[i] == values[k] else 0
    return len(values) - borders[-1]
