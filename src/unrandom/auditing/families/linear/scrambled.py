"""Recovers xorshift and xoshiro generators that show only a part of their outputs: an SMT solver finds the state from
very few outputs, if it is installed.

The part is the top bits, as of fractions and of ⌊N u⌋, or the lowest 53 bits, as of Firefox's fractions. Sums of words
are solved in milliseconds, words multiplied and rotated (xoroshiro128**) in a second, states of 256 bits (xoshiro256**,
as in .NET and Lua) in some twenty.
"""

from collections.abc import Iterator
from math import ceil, log2

from unrandom.auditing.algebra.bit_vectors import Bound, available, find_words
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.linear.sums import V8Sums, known_bounds, showing_top_bits
from unrandom.auditing.families.linear.v8 import Blocks
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.shown import Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.shifts import Expression
from unrandom.auditing.generators.v8 import BLOCK, ENGINE, MathRandom, State, step_of
from unrandom.auditing.generators.xoshiro import XOSHIROS, Plus, StarStar, Xorshift128, Xoshiro

SURPLUS = 1.62  # bits of the outputs used per bit of the state: fewer leave several states possible
LEAST_BITS = 44.0  # bits of an output that the solver needs to finish in time
LEAST_BITS_OF_XORSHIFTS = 14.0  # the same for the sums of xorshift128+, which are much easier
QUICK_SECONDS, SOLVER_SECONDS = 1.0, 40.0
"""Time limits in seconds of one call of the solver, for the quick and for the slow families."""

LONG, LONG_OF_FEW_BITS = 400, 1500
"""Outputs from which on sums are recovered by linear algebra (`sums`, `xoshiro`), so that no solver is needed: for
outputs of LEAST_BITS, and of fewer.
"""


class Scrambled(Family):
    """One generator, whose outputs show the top bits, or all, or the lowest bits if the scrambler has fewer than the
    words.
    """

    name = "scrambled"
    max_outputs = 0

    def __init__(self, xoshiro: Xoshiro, *, slow: bool, about: str | None = None) -> None:
        self.xoshiro, self.slow = xoshiro, slow
        self.about = about or f"{xoshiro.name}, a part of whose outputs is shown"
        self.state_bits = xoshiro.engine.bits * xoshiro.engine.words
        self.adds = isinstance(xoshiro.scrambler, Plus)
        self.seconds = SOLVER_SECONDS if slow else QUICK_SECONDS
        self.least_bits = LEAST_BITS_OF_XORSHIFTS if isinstance(xoshiro.engine, Xorshift128) else LEAST_BITS

    def needs(self, stream: Stream) -> int | None:
        width = self.xoshiro.scrambler.bits
        shown = stream.fractions or stream.bounded is not None or LEAST_BITS <= stream.bits < width
        if not (available() and stream.likely and shown):
            return None
        bounds = known_bounds(stream.head(64), width)
        if not bounds:
            return None
        known = sum(width - log2(high - low + 1) for low, high in bounds) / len(bounds)
        if self.adds and len(stream) > (LONG if known >= LEAST_BITS else LONG_OF_FEW_BITS):
            return None
        return ceil(SURPLUS * self.state_bits / known) if known >= self.least_bits else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state."""
        return float(self.state_bits)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        state = self._state(stream, deadline, backwards=False)
        if state is not None:
            yield showing_top_bits(self.xoshiro, state, stream)

    def _state(self, stream: Stream, deadline: Deadline, *, backwards: bool) -> tuple[int, ...] | None:
        """The state of the first output, or of the last one if each state precedes that of the output before it."""
        xoshiro = self.xoshiro
        engine, bounds = xoshiro.engine, known_bounds(stream, xoshiro.scrambler.bits)
        if not bounds or not available():
            return None

        def outputs(state: tuple[Expression, ...]) -> Iterator[Bound]:
            for low, high in reversed(bounds) if backwards else bounds:
                yield xoshiro.output(state), low, high
                state = engine.step(state)

        return find_words(engine.words, engine.bits, outputs, min(self.seconds, deadline.left))


class ScrambledV8(Scrambled):
    """Math.random() of V8 since 2026. Of the first and the following outputs, either these or those are in one block,
    each of a state before the last one; then every position in the block is possible.
    """

    max_outputs = BLOCK

    def needs(self, stream: Stream) -> int | None:
        return None if isinstance(stream.shown, Words) else super().needs(stream)

    def __init__(self, *, slow: bool) -> None:
        xoshiro = next(one for one in XOSHIROS if one.engine == ENGINE and one.scrambler.bits == 64)
        super().__init__(xoshiro, slow=slow, about=V8Sums.about)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        size = self.needs(stream) or len(stream) + 1
        for start in range(0, len(stream) - size + 1, size)[:2]:
            last = self._state(stream.part(start, start + size), deadline, backwards=True)
            if last is not None:
                yield from _blocks(last, start + size - 1, stream)
                return


def _blocks(state: State, position: int, stream: Stream) -> Iterator[Generator]:
    """Generators with this state at an output, for every possible end of the first block."""
    states = [state]
    while len(states) <= position + 2 * BLOCK:
        states.append(ENGINE.back(states[-1]))
    for remaining in range(BLOCK, 0, -1):
        yield Blocks(states[step_of(position, remaining)], remaining, MathRandom(53, added=True), stream)


WORDS_OF_64_BITS = sorted(
    (xoshiro for xoshiro in XOSHIROS if xoshiro.engine.bits == 64),
    key=lambda xoshiro: (xoshiro.engine.words, isinstance(xoshiro.scrambler, StarStar)),
)
"""The easiest ones first."""

SOLVED_QUICKLY = (
    ScrambledV8(slow=False),
    *(
        Scrambled(one, slow=False)
        for one in WORDS_OF_64_BITS
        if isinstance(one.scrambler, Plus) and one.engine.words == 2
    ),
)
"""Sums of the words of a short state, which are mostly solved within a second."""

SOLVED_SLOWLY = (ScrambledV8(slow=True), *(Scrambled(xoshiro, slow=True) for xoshiro in WORDS_OF_64_BITS))
"""All of them, with the time that products and long states need."""
