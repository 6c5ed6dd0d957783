"""Is every bit of the outputs a linear recurrence modulo 2? Shift registers, Mersenne twisters, all xorshifts without
an addition: what a generator makes by shifts and exclusive ors alone obeys one, of the size of its state.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unrandom.auditing.family import Deadline, Generator
from unrandom.auditing.stream import Number, Stream, View
from unrandom.core.files import JsonObject
from unrandom.generators.shift_register import ShiftRegisters
from unrandom.predictors.mod_two import MARGIN, follows, plane, shortest_recurrence

MAX_OUTPUTS = 50_000
"""Outputs looked at: enough for the 19,937 bits of MT19937."""


class LinearModuloTwo:
    """Generators that are linear modulo 2, of any kind."""

    name = "linear-mod-2"
    about = "a generator that is linear modulo 2 (a shift register, say): each bit is a recurrence of earlier ones"
    trivial = False
    max_outputs = MAX_OUTPUTS

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
        self.view = view
        self.registers = ShiftRegisters(
            tuple(one.connection for one in recurrences), max(one.order for one in recurrences)
        )
        size = self.registers.size
        self.first = view.numbers[:size]
        orders = sorted({one.order for one in recurrences}, reverse=True)
        self.parameters: JsonObject = {"bits": view.bits, "orders": orders}
        if size <= 64 and len(set(self.registers.connections)) == 1:
            connection = recurrences[0].connection
            self.parameters["taps"] = [j for j in range(1, size + 1) if (connection >> j) & 1]

    def outputs(self) -> Iterator[Number]:
        yield from map(self.view.show, self.first)
        yield from map(self.view.show, self.registers.following(self.first))

    def previous(self, count: int) -> list[Number] | None:
        backwards = self.registers.backwards()
        if backwards is None:
            return None
        run = backwards.following(self.first[::-1])
        return [self.view.show(next(run)) for _ in range(count)][::-1]
