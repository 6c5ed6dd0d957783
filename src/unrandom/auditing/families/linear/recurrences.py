"""Recovers linear recurrences modulo 2 in every bit of the outputs, by the Berlekamp–Massey algorithm, bit by bit.

Generators that use only shifts and exclusive ors (shift registers, Mersenne twisters, xorshifts without an addition)
obey such a recurrence, whose order is at most the size of their state in bits.
"""

from collections.abc import Iterator
from itertools import chain, islice
from math import log2

import numpy as np

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Replay
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.shift_register import ShiftRegisters
from unrandom.core.files import JsonObject
from unrandom.predictors.mod_two import MARGIN, follows, plane, shortest_recurrence

MAX_OUTPUTS = 50_000  # outputs used for recovery: enough for the 19,937 bits of MT19937


class LinearModuloTwo(Family):
    """Any generator that is linear modulo 2."""

    name = "linear-mod-2"
    about = "a generator that is linear modulo 2 (a shift register, say): each bit is a recurrence of earlier ones"
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        return 32 if any(view.bits <= 64 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            recurrences = _recurrences(view, deadline)
            if recurrences is not None:
                yield _bit_recurrences(view, recurrences)


def _recurrences(view: View, deadline: Deadline) -> list[tuple[int, int]] | None:
    """Order and connection polynomial of each bit, lowest bit first; None if a bit has no recurrence short enough to be
    significant.
    """
    numbers, count = np.array(view.numbers, dtype=np.uint64), len(view.numbers)
    distinct: list[tuple[int, int]] = []
    by_bit: list[tuple[int, int]] = []  # highest bit first
    for bit in reversed(range(view.bits)):
        bits = plane(numbers, bit)
        recurrence = next((known for known in distinct if follows(bits, count, *known)), None)
        if recurrence is None:
            deadline.check()
            recurrence = shortest_recurrence(bits, count)
            if 2 * recurrence[0] > count - MARGIN:
                return None
            distinct.append(recurrence)
        by_bit.append(recurrence)
    return by_bit[::-1]


def _bit_recurrences(view: View, recurrences: list[tuple[int, int]]) -> Replay:
    """A generator with one recurrence per bit; its state is the first outputs."""
    orders, connections = zip(*recurrences, strict=True)
    registers, size = ShiftRegisters(connections, max(orders)), max(orders)
    first = view.numbers[:size]
    parameters: JsonObject = {"bits": view.bits, "orders": sorted(set(orders), reverse=True)}
    if size <= 64 and len(set(connections)) == 1:
        parameters["taps"] = [j for j in range(1, size + 1) if (connections[0] >> j) & 1]

    def previous(count: int) -> list[Number] | None:
        backwards = registers.backwards()
        if backwards is None:
            return None
        return [view.show(x) for x in islice(backwards.following(first[::-1]), count)][::-1]

    free = float(sum(orders)) + sum(order + 2 * log2(order + 1) for order, _ in set(recurrences))
    return Replay(parameters, lambda: map(view.show, chain(first, registers.following(first))), previous, free)
