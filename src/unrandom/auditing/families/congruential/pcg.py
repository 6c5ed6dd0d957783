"""Recovers PCG32 of a known increment: for each of its 32 rotations, an output tells all except the 27 lowest bits of
its state.

For two outputs and their rotations, x and a x + c are known except for these bits: the first multiple of a in a range
tells whether there is such an x.
"""

from collections.abc import Iterator
from itertools import product
from math import log2

from unrandom.auditing.algebra.range_of_multiples import first_multiple
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.stream import Stream, View
from unrandom.generators.pcg import DROPPED, INCREMENTS, MULTIPLIER, STATE_BITS, WORD_BITS, Pcg32, unrotated

M, LOW = 1 << STATE_BITS, 1 << DROPPED


class Pcgs(Family):
    """Whole words; the increment is one in use, or the user's."""

    name = "pcg32"
    about = "PCG32 (PCG-XSH-RR 64/32) of a known increment"
    max_outputs = 3
    of_own = True

    def needs(self, stream: Stream) -> int | None:
        ours = stream.multiplier in (None, MULTIPLIER) and stream.modulus in (None, M)
        odd = stream.increment is None or stream.increment % 2 == 1
        return 3 if ours and odd and any(_possible(view) for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        increments = INCREMENTS if stream.increment is None else {stream.increment: "given"}
        for view in filter(_possible, stream.views):
            for increment, about in increments.items() if len(view.numbers) > 2 else ():
                deadline.check()
                generator = Pcg32(increment)
                for state in _states(generator, view.numbers):
                    parameters = {"increment": increment, "increment is that": about, "state": state}
                    yield Machine.of(parameters, generator, state, view.show)

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state, and of the increments in use."""
        return STATE_BITS + log2(len(INCREMENTS))


def _possible(view: View) -> bool:
    return WORD_BITS - 4 <= view.bits <= WORD_BITS and view.divisor in (None, 1 << WORD_BITS)


def _states(generator: Pcg32, outputs: list[int]) -> Iterator[int]:
    """States that make the first three outputs."""
    turns = range(WORD_BITS)
    known = [[unrotated(output, turn) << DROPPED for turn in turns] for output in outputs[:2]]
    for first, second in product(*known):
        low = (second - generator.step(first)) % M  # where a times the lowest bits must lie, modulo M
        ranges = [(low, low + LOW - 1)] if low + LOW <= M else [(low, M - 1), (0, low + LOW - 1 - M)]
        for least, greatest in ranges:
            rest = first_multiple(MULTIPLIER, M, least, greatest)
            if rest is None or rest >= LOW:
                continue
            state = first + rest
            after = generator.step(generator.step(state))
            if [generator.output(state), generator.output(after)] == [outputs[0], outputs[2]]:
                yield state
