"""Recovers generators that show the top part of a sum of two words, as Math.random() of V8 since 2026, or xoshiro256+,
by equations modulo 2 that are nearly always right.

For a sum a + b = f modulo 1, with a uniform in [0, 1), the top bits of a and b are equal with probability 2 f if
f < 1/2, else 2 (1 - f). So the exclusive or of these bits is almost certain when f is close to 0, 1/2 or 1. The same
holds for the k-th bits and the fraction of 2**k f. The exclusive or is linear in the state: the equations with the
smallest probabilities of error are solved, several times with other choices, until a solution predicts all outputs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import ceil, exp, inf

import numpy as np
from jaxtyping import Float64, Int64

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.linear.v8 import Blocks
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.layers import Number, split
from unrandom.auditing.forms.shown import Fractions, Range, Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.linear_words import unknown_states
from unrandom.auditing.generators.v8 import BLOCK, ENGINE, MathRandom, step_of
from unrandom.auditing.generators.xoshiro import XOSHIROS, Plus, Xoshiro, XoshiroEngine
from unrandom.auditing.notation import hexadecimal
from unrandom.core.files import JsonObject
from unrandom.predictors.mod_two import solve

FEW_ERRORS, MANY_ERRORS = 0.3, 2.2
"""Wrong equations, on average, among those used. If the outputs suffice, there are FEW_ERRORS, so that a few choices of
equations suffice, too; with more than MANY_ERRORS, few choices have none.
"""

SOLUTIONS = 4096  # largest number of systems of equations that are solved; fewer if all equations are probably right
PATIENCE = 6  # choices of equations if all are probably right; otherwise their number grows with the errors
KEPT = 0.5  # share of the equations kept at every attempt but the first: each choice leaves out some that are wrong
MAX_ERROR = 0.2  # equations with a larger probability of error are not considered
MAX_POSITIONS = 4096  # outputs from which equations are taken


FEWEST = 8  # outputs from which a state is never determined
HELD_BACK = 16  # outputs that are not used, if there are enough others


@dataclass(frozen=True)
class Equations:
    """Bits `place` (0 is the highest) of two words at output `position`: their exclusive or is `bit`, with this
    probability of `error`, by which they are sorted.
    """

    position: Int64[np.ndarray, " n"]
    place: Int64[np.ndarray, " n"]
    bit: Int64[np.ndarray, " n"]
    error: Float64[np.ndarray, " n"]

    @classmethod
    def of(cls, stream: Stream, bits: int) -> "Equations | None":
        """From the first outputs of a stream, which show the top part of sums of `bits` bits."""
        bounds = known_bounds(stream.head(MAX_POSITIONS), bits)
        if not bounds:
            return None
        low, high = (np.array(ends, dtype=object) << (64 - bits) for ends in zip(*bounds, strict=True))
        centre = ((low + high) // 2).astype(np.uint64)
        width = (high - low).astype(np.float64) / 2.0**64
        places = np.arange(bits, dtype=np.uint64)
        shifted = (centre[:, None] << places).astype(np.float64) / 2.0**64
        same = 2 * np.minimum(shifted, 1 - shifted)  # the probability that the bits are equal
        widths = width[:, None] * 2.0 ** np.arange(bits)
        error = np.maximum(np.minimum(same, 1 - same), widths / 2)
        position, place = np.nonzero((error < MAX_ERROR) & (widths < MAX_ERROR))
        order = np.argsort(error[position, place], kind="stable")
        position, place = position[order], place[order]
        return cls(position, place, (same[position, place] < 0.5).astype(np.int64), error[position, place])

    def expected_errors(self, count: int, outputs: int) -> float:
        """How many of the `count` best equations from the first `outputs` are wrong, on average."""
        best = self.error[self.position < outputs][:count]
        return float(best.sum()) if len(best) == count else inf

    def chosen(self, attempt: int, count: int) -> list[tuple[int, int, int]]:
        """Position, place and bit of `count` good equations; others at every attempt, the best ones at the first."""
        kept = np.arange(len(self.error))
        if attempt:
            kept = kept[np.random.default_rng(attempt).random(len(kept)) < KEPT]
        order = kept[:count]
        columns = (self.position[order].tolist(), self.place[order].tolist(), self.bit[order].tolist())
        return list(zip(*columns, strict=True))


def known_bounds(stream: Stream, bits: int) -> list[tuple[int, int]] | None:
    """The smallest and the largest word of `bits` bits behind each output, of which it shows the top part; None if no
    such words make the outputs.
    """
    exact = next((view for view in stream.views if view.divisor and bits >= view.bits > 32), None)
    if exact is not None and exact.divisor == 1 << exact.bits and max(exact.numbers, default=0) < exact.divisor:
        lost = bits - exact.bits
        return [(y << lost, ((y + 1) << lost) - 1) for y in exact.numbers]
    if not isinstance(stream.shown, Words):
        bounds = stream.state_bounds(1 << bits)
        return None if bounds is None or any(low > high for low, high in bounds) else bounds
    if not 8 <= stream.bits < bits:
        return None
    lost = bits - stream.bits
    return [(y << lost, ((y + 1) << lost) - 1) for y in stream.values.tolist()]


class _Forms:
    """The exclusive or of the first and the last word of a state, as linear forms in the bits of the first state."""

    def __init__(self, engine: XoshiroEngine) -> None:
        self.bits, self._states = engine.bits, unknown_states(engine.step, [engine.bits] * engine.words)
        self._masks: list[list[int]] = []  # of each step, for the bits from the highest one down

    def mask(self, step: int, place: int) -> int:
        """The bits of the first state whose exclusive or is bit `place` (0 is the highest) at this step."""
        while len(self._masks) <= step:
            first, *_, last = next(self._states)
            self._masks.append((first ^ last).masks(range(self.bits - 1, -1, -1)))
        return self._masks[step][place]


class Sums(Family):
    """A generator whose output is the top part of the sum of the first and the last word of its state."""

    name = "sums"
    max_outputs = 0
    alignments = 1  # positions of the first output that are tried

    def __init__(self, about: str, engine: XoshiroEngine) -> None:
        self.about, self.engine = about, engine
        self.unknowns = engine.bits * engine.words

    def needs(self, stream: Stream) -> int | None:
        """The number of outputs whose best equations contain few wrong ones, which depends on the outputs."""
        equations = Equations.of(stream, self.engine.bits) if stream.likely else None
        if equations is None or self.unknowns * min(equations.error, default=1.0) > MANY_ERRORS:
            return None
        given = min(len(stream), MAX_POSITIONS) - HELD_BACK
        for errors in (FEW_ERRORS, MANY_ERRORS):
            if given >= FEWEST and equations.expected_errors(self.unknowns, given) <= errors:
                return self._fewest(equations, given, errors)
        expected = equations.expected_errors(self.unknowns, len(stream))
        # both the number of equations and the inverse of their errors grow with the outputs
        growth = self.unknowns / len(equations.error) if expected == inf else expected / MANY_ERRORS
        needed = ceil(len(stream) * max(1.1, growth))
        return needed if needed <= MAX_POSITIONS else None

    def _fewest(self, equations: Equations, most: int, errors: float) -> int:
        """The fewest outputs with at most this many errors, by bisection up to `most`, which suffice."""
        low, high = FEWEST - 1, most
        while high - low > 1:
            middle = (low + high) // 2
            enough = equations.expected_errors(self.unknowns, middle) <= errors
            low, high = (low, middle) if enough else (middle, high)
        return high

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        equations = Equations.of(stream, self.engine.bits) if len(stream) >= FEWEST else None
        errors = inf if equations is None else equations.expected_errors(self.unknowns, len(stream))
        if equations is None or errors > 2 * MANY_ERRORS:
            return
        forms = _Forms(self.engine)
        for attempt in range(min(SOLUTIONS // self.alignments, ceil(PATIENCE * exp(errors / KEPT)))):
            chosen = equations.chosen(attempt, 2 * self.unknowns)
            yield from self._solutions(chosen, forms, stream, deadline)

    def _solutions(
        self, chosen: list[tuple[int, int, int]], forms: _Forms, stream: Stream, deadline: Deadline
    ) -> Iterator[Generator]:
        deadline.check()
        state = self._state(chosen, forms, lambda i: i)
        for xoshiro in XOSHIROS:
            if state is not None and xoshiro.engine == self.engine and isinstance(xoshiro.scrambler, Plus):
                yield showing_top_bits(xoshiro, state, stream)
                return

    def _state(
        self, chosen: list[tuple[int, int, int]], forms: _Forms, step: Callable[[int], int]
    ) -> tuple[int, ...] | None:
        """The state that satisfies the first equations which determine it; `step` is that of an output."""
        equations = ((forms.mask(step(position), place), bit) for position, place, bit in chosen)
        packed = solve(equations, self.unknowns, exact=False)
        if packed is None:
            return None
        return tuple(split(packed, self.engine.bits, self.engine.words, low_first=True))


def showing_top_bits(xoshiro: Xoshiro, state: tuple[int, ...], stream: Stream) -> Machine:
    """The generator with this state, of whose outputs the stream shows the top bits, as a number or a fraction, or
    ⌊N u⌋ for that fraction u.
    """
    width = xoshiro.scrambler.bits
    parameters: JsonObject = {"engine": xoshiro.name, "state": hexadecimal(state, xoshiro.engine.bits)}

    def machine(bits: int, show: Callable[[int], Number]) -> Machine:
        def output(state: tuple[int, ...]) -> Number:
            return show(xoshiro.output(state) >> (width - bits))

        return Machine(parameters, state, xoshiro.step, output, xoshiro.back, float(xoshiro.engine.bits * len(state)))

    match stream.shown:
        case Fractions(scales=scales):
            bits = min([width, 53, *(s.divisor.bit_length() - 1 for s in scales if s.divisor > 2**32)])
            return machine(bits, lambda top: top / 2**bits)
        case Range(size):
            bits = min(width, 53)
            return machine(bits, lambda top: (top * size) >> bits)
        case _:
            return machine(stream.bits, int)


class V8Sums(Sums):
    """Math.random() of V8 since 2026, which hands out its numbers in blocks of 64 backwards: each position of the first
    output in a block is tried.
    """

    alignments = BLOCK

    about = "Math.random() of V8 since 2026 (Chrome, Node.js 26): the top bits of a sum of xorshift128+'s words"

    def __init__(self) -> None:
        super().__init__(self.about, ENGINE)

    def needs(self, stream: Stream) -> int | None:
        return None if isinstance(stream.shown, Words) else super().needs(stream)

    def _solutions(
        self, chosen: list[tuple[int, int, int]], forms: _Forms, stream: Stream, deadline: Deadline
    ) -> Iterator[Generator]:
        for remaining in range(BLOCK, 0, -1):
            deadline.check()
            state = self._state(chosen, forms, partial(step_of, left=remaining))
            if state is not None:
                yield Blocks(state, remaining, MathRandom(53, added=True), stream)


SUMS: tuple[Sums, ...] = (
    V8Sums(),
    *(
        Sums(f"{xoshiro.name}, the top bits of the sum", xoshiro.engine)
        for xoshiro in XOSHIROS
        if isinstance(xoshiro.scrambler, Plus) and xoshiro.scrambler.bits == xoshiro.engine.bits
    ),
)
