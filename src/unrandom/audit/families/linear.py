"""Is every bit of the outputs a linear recurrence modulo 2? Shift registers, Mersenne twisters, all xorshifts without
an addition: what a generator makes by shifts and exclusive ors alone obeys one, of the size of its state.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unrandom.audit.family import Deadline, Generator, Tree
from unrandom.audit.stream import Number, Stream, View
from unrandom.predictors.mod_two import MARGIN, follows, plane, shortest_recurrence

MOST = 50_000
"""Outputs looked at: enough for the 19,937 bits of MT19937."""


class LinearModuloTwo:
    """Generators that are linear modulo 2, of any kind."""

    name = "linear-mod-2"
    about = "a generator that is linear modulo 2 (a shift register, say): each bit is a recurrence of earlier ones"
    trivial = False
    most = MOST

    def needs(self, stream: Stream) -> int | None:
        return 32 if stream.views else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            found = _recurrences(view, deadline)
            if found is not None:
                yield _Planes(view, found)


@dataclass(frozen=True)
class _Recurrence:
    order: int
    connection: int


def _recurrences(view: View, deadline: Deadline) -> list[_Recurrence] | None:
    """One for each bit, the lowest first; None as soon as a bit has none that is short enough to be believed."""
    numbers, count = np.array(view.numbers, dtype=np.uint64), len(view.numbers)
    known: list[_Recurrence] = []
    found: list[_Recurrence] = []
    for bit in reversed(range(view.bits)):
        bits = plane(numbers, bit)
        same = next((one for one in known if follows(bits, count, one.order, one.connection)), None)
        if same is None:
            deadline.check()
            order, connection = shortest_recurrence(bits, count)
            if 2 * order > count - MARGIN:
                return None
            same = _Recurrence(order, connection)
            known.append(same)
        found.append(same)
    return found[::-1]


class _Planes:
    """The recurrences at work, each on its bit."""

    def __init__(self, view: View, recurrences: list[_Recurrence]) -> None:
        self.view, self.recurrences = view, recurrences
        self.size = max(one.order for one in recurrences)
        orders = sorted({one.order for one in recurrences}, reverse=True)
        self.parameters: Tree = {"bits": view.bits, "orders": orders}
        if self.size <= 64 and len({one.connection for one in recurrences}) == 1:
            connection = recurrences[0].connection
            self.parameters["taps"] = [j for j in range(1, self.size + 1) if connection >> j & 1]

    def outputs(self) -> Iterator[Number]:
        first = self.view.numbers[: self.size]
        yield from map(self.view.show, first)
        for number in self._run(first, [one.connection >> 1 for one in self.recurrences]):
            yield self.view.show(number)

    def previous(self, count: int) -> list[Number] | None:
        if any(one.order != self.size or not one.connection >> self.size & 1 for one in self.recurrences):
            return None
        first = self.view.numbers[: self.size][::-1]
        backwards = [_reversed_bits(one.connection, self.size + 1) >> 1 for one in self.recurrences]
        run = self._run(first, backwards)
        return [self.view.show(next(run)) for _ in range(count)][::-1]

    def _run(self, first: list[int], taps: list[int]) -> Iterator[int]:
        """The numbers after these; bit j of a plane's taps adds the bit j + 1 places back."""
        mask = (1 << self.size) - 1
        windows = [sum((x >> bit & 1) << i for i, x in enumerate(reversed(first))) for bit in range(self.view.bits)]
        while True:
            number = 0
            for bit, tap in enumerate(taps):
                following = (windows[bit] & tap).bit_count() & 1
                windows[bit] = (windows[bit] << 1 | following) & mask
                number |= following << bit
            yield number


def _reversed_bits(number: int, count: int) -> int:
    return int(f"{number:0{count}b}"[::-1], 2)
