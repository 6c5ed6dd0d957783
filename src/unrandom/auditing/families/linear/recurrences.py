"""Is every bit of the outputs a linear recurrence modulo 2? By the Berlekamp–Massey algorithm, bit by bit.

Generators that use only shifts and exclusive ors (shift registers, Mersenne twisters, xorshifts without an addition)
obey such a recurrence, whose order is at most the size of their state in bits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unrandom.auditing.family import Generator
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.core.deadline import Deadline
from unrandom.core.files import JsonObject
from unrandom.generators.shift_register import ShiftRegisters
from unrandom.predictors.mod_two import MARGIN, follows, plane, shortest_recurrence

MAX_OUTPUTS = 50_000
"""Outputs used for recovery: enough for the 19,937 bits of MT19937."""


class LinearModuloTwo:
    """Any generator that is linear modulo 2."""

    name = "linear-mod-2"
    about = "a generator that is linear modulo 2 (a shift register, say): each bit is a recurrence of earlier ones"
    trivial = False
    slow = False
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return 32 if any(view.bits <= 64 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            recurrences = _recurrences(view, deadline)
            if recurrences is not None:
                yield _BitRecurrences(view, recurrences)


@dataclass(frozen=True)
class _Recurrence:
    order: int
    connection: int  # connection polynomial: bit j is the coefficient C[j]


def _recurrences(view: View, deadline: Deadline) -> list[_Recurrence] | None:
    """One recurrence per bit, lowest bit first; None if a bit has no recurrence short enough to be significant."""
    numbers, count = np.array(view.numbers, dtype=np.uint64), len(view.numbers)
    distinct: list[_Recurrence] = []
    by_bit: list[_Recurrence] = []  # highest bit first
    for bit in reversed(range(view.bits)):
        bits = plane(numbers, bit)
        recurrence = next((known for known in distinct if follows(bits, count, known.order, known.connection)), None)
        if recurrence is None:
            deadline.check()
            order, connection = shortest_recurrence(bits, count)
            if 2 * order > count - MARGIN:
                return None
            recurrence = _Recurrence(order, connection)
            distinct.append(recurrence)
        by_bit.append(recurrence)
    return by_bit[::-1]


class _BitRecurrences:
    """A generator with one recurrence per bit; its state is the first outputs."""

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
        outputs = backwards.following(self.first[::-1])
        return [self.view.show(next(outputs)) for _ in range(count)][::-1]
