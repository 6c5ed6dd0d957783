"""Is it java.util.Random with two states in each output: nextLong() or nextDouble()?

nextLong() is (next(32) << 32) + next(32), signed, and nextDouble() is ((next(26) << 27) + next(27)) / 2**53, where
next(b) steps x = (0x5DEECE66D x + 11) mod 2**48 and gives its top b bits (Java's documentation says so).
"""

from collections.abc import Callable, Iterator

from unrandom.audit.families.lcg import backwards
from unrandom.audit.family import Deadline, Generator, Machine
from unrandom.audit.stream import Stream, View
from unrandom.generators.known import KNOWN
from unrandom.predictors.hidden_state import states_within

JAVA = KNOWN["java"].lcg
STEPS = JAVA.jump(2)
BITS = 48


class Java:
    """nextLong() and nextDouble(); what shows one state at a time is among the truncated LCGs."""

    name = "java"
    about = "java.util.Random, two states in each output"
    trivial = False
    most = 2

    def needs(self, stream: Stream) -> int | None:
        return 2 if any(view.bits in (53, 64) for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if len(view.numbers) < 2:
                return
            if view.bits == 53 and stream.fractions:
                first, second = view.numbers[0] >> 27, view.numbers[0] & 2**27 - 1
                yield from _machines(view, "nextDouble()", (first, 26), (second, 27), _double)
            if view.bits == 64:
                second = view.numbers[0] & 2**32 - 1
                first = (view.numbers[0] >> 32) + (second >> 31) & 2**32 - 1  # a low half below 0 borrowed
                yield from _machines(view, "nextLong()", (first, 32), (second, 32), _long)


def _machines(
    view: View, method: str, first: tuple[int, int], second: tuple[int, int], show: Callable[[int], int]
) -> Iterator[Generator]:
    bounds = [(y << BITS - b, (y + 1 << BITS - b) - 1) for y, b in (first, second)]
    for state in states_within([1, JAVA.a], [0, JAVA.c], JAVA.m, bounds):
        if show(state) == view.numbers[0]:
            parameters = {"method": method, "state": state}
            yield Machine(parameters, state, STEPS, lambda x: view.show(show(x)), backwards(STEPS))


def _double(x: int) -> int:
    return (x >> 22 << 27) + (JAVA(x) >> 21)


def _long(x: int) -> int:
    low = JAVA(x) >> 16
    return ((x >> 16 << 32) + low - (low >> 31 << 32)) % 2**64
