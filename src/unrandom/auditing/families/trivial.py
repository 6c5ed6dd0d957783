"""Is it no generator at all? A constant, a counter, or numbers that begin again after a while."""

from collections.abc import Iterator, Sequence
from itertools import chain, cycle, islice, pairwise

from unrandom.auditing.family import Deadline, Generator, Machine
from unrandom.auditing.stream import Number, Stream
from unrandom.core.files import JsonObject

MAX_OUTPUTS = 100_000
"""Outputs looked at."""


class Trivial:
    """Constants, arithmetic progressions (also modulo a number that is read off), and short periods."""

    name = "trivial"
    about = "a constant, a counter (also modulo a number), or a short period"
    trivial = True
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return 2

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        values: list[Number] = stream.values.tolist()
        if len(values) < 2:
            return
        period = _period(values)
        if period == 1:
            yield _Repetition({"kind": "constant", "value": stream.form.write(values[0])}, values[:1])
        if not stream.fractions and period != 1:
            yield from _counters([int(value) for value in values], stream)
        if 1 < period <= len(values) // 2:
            yield _Repetition({"kind": "period", "length": period}, values[:period])
        half = values[len(values) // 2 :]
        later = _period(half)
        if period > len(values) // 2 and later <= len(half) // 2:  # it begins after some other numbers
            start = len(values) - len(half)
            while start and values[start - 1] == values[start - 1 + later]:
                start -= 1
            parameters: JsonObject = {"kind": "period", "length": later, "after": start}
            yield _Repetition(parameters, values[start : start + later], values[:start])


class _Repetition:
    """The same numbers again and again, maybe after others."""

    def __init__(self, parameters: JsonObject, numbers: list[Number], first: Sequence[Number] = ()) -> None:
        self.parameters, self.numbers, self.first = parameters, numbers, first

    def outputs(self) -> Iterator[Number]:
        return chain(self.first, cycle(self.numbers))

    def previous(self, count: int) -> list[Number] | None:
        if self.first:
            return None
        return list(islice(cycle(self.numbers[::-1]), count))[::-1]


def _counters(numbers: list[int], stream: Stream) -> Iterator[Generator]:
    steps = {after - before for before, after in pairwise(numbers)}
    wraps = len(steps) == 2 and min(steps) < 0 < max(steps)
    if len(steps) > 1 and not wraps:
        return
    by = max(steps)
    m = max(steps) - min(steps) if wraps else stream.modulus or 2 ** (stream.form.signed_bits or 64)
    if m <= max(numbers):
        return
    parameters: JsonObject = {"kind": "counter", "step": by, **({"modulus": m} if wraps or stream.modulus else {})}
    # A counter that has not wrapped around may have begun where its first numbers would be below 0.
    goes_back = wraps or stream.modulus is not None or stream.form.signed_bits > 0
    yield Machine(parameters, numbers[0], lambda x: (x + by) % m, int, (lambda x: (x - by) % m) if goes_back else None)


def _period(values: list[Number]) -> int:
    """The least p with values[i] = values[i + p] for all i: the length less the longest border (Knuth–Morris–Pratt)."""
    borders = [0] * len(values)
    for i in range(1, len(values)):
        k = borders[i - 1]
        while k and values[i] != values[k]:
            k = borders[k - 1]
        borders[i] = k + 1 if values[i] == values[k] else 0
    return len(values) - borders[-1]
