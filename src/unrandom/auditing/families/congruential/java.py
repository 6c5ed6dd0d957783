"""Recovers nextLong() and nextDouble() of java.util.Random by the state behind two partial states per output."""

from collections.abc import Iterator

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.java import JAVA, NEXT_DOUBLE, NEXT_LONG, JavaMethod
from unrandom.generators.windows import states_showing
from unrandom.predictors.hidden_state import states_within

STATE_BITS = 48


class Java(Family):
    """nextLong() and nextDouble(). Methods that show one state per output belong to the truncated LCGs."""

    name = "java"
    about = "java.util.Random, two states in each output"
    max_outputs = 2

    def needs(self, stream: Stream) -> int | None:
        return 2 if any(view.bits in (53, 64) for view in stream.views) else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state, and of the method."""
        return STATE_BITS + 1.0

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if len(view.numbers) < 2:
                return
            if view.bits == 53 and stream.fractions:
                first, second = view.numbers[0] >> 27, view.numbers[0] & (2**27 - 1)
                yield from _machines(view, NEXT_DOUBLE, (first, 26), (second, 27))
            if view.bits == 64:
                second = view.numbers[0] & (2**32 - 1)
                first = ((view.numbers[0] >> 32) + (second >> 31)) & (2**32 - 1)  # a negative low half borrows
                yield from _machines(view, NEXT_LONG, (first, 32), (second, 32))


def _machines(view: View, method: JavaMethod, first: tuple[int, int], second: tuple[int, int]) -> Iterator[Generator]:
    """Candidates from the top bits of two successive states, each given as (bits, number of bits)."""
    bounds = [states_showing(top, STATE_BITS - bits) for top, bits in (first, second)]
    for state in states_within([1, JAVA.a], [0, JAVA.c], JAVA.m, bounds):
        if method.output(state) == view.numbers[0]:
            yield Machine.of({"method": method.name, "state": state}, method, state, view.show)
