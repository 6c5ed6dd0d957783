"""Recovers Math.random() of V8 (Chrome, Node.js) by solving linear equations modulo 2 for the 128 bits of its state.

The generator is xorshift128+ but shows only the top bits of one state word, which are linear in the state. Blocks of 64
outputs are handed out in reverse order; every possible position of the stream's start within a block is tried.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from math import log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.layers import Number, split
from unrandom.auditing.forms.scales import Scale
from unrandom.auditing.forms.shown import Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.linear_words import unknown_states
from unrandom.auditing.generators.v8 import BLOCK, ENGINE, MathRandom, State, step_of
from unrandom.auditing.notation import hexadecimal
from unrandom.core.files import JsonObject
from unrandom.predictors.mod_two import solve

STEPS = 8 * BLOCK  # number of generator steps for which equations are prepared
UNKNOWNS = 128  # bits of state
REDUNDANT = 8  # equations beyond the number of unknowns, which a stream of another kind is unlikely to satisfy
MAX_SHOWN_BITS = 53  # largest number of bits of a word that are shown


class V8(Family):
    """V8's Math.random(), as fractions or as ⌊N · Math.random()⌋."""

    name = "v8"
    about = "Math.random() of V8 before 2026 (Chrome, Node.js 12 to 24): top bits of xorshift128+, in blocks backwards"
    max_outputs = STEPS - 2 * BLOCK
    with_gaps = True

    def needs(self, stream: Stream) -> int | None:
        return None if isinstance(stream.shown, Words) else 4

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state, of the place in a block, and of the two versions of the engine."""
        return UNKNOWNS + log2(2 * BLOCK)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        exact = stream.fractions and not stream.rounded
        for shown in (52, 53) if stream.fractions else (52,):
            if not exact or any(scale.divisor == 2**shown for scale in stream.scales):
                yield from _generators(stream, MathRandom(shown), deadline)


def _generators(stream: Stream, generator: MathRandom, deadline: Deadline) -> Iterator[Generator]:
    known = _top_bits(stream, generator.shown)
    if sum(count for _, count in known) < UNKNOWNS + REDUNDANT:
        return
    masks = _masks()
    # The outputs of the first block that are in the stream. If no block ends there, its first output is most likely
    # the first of a block.
    for remaining in range(BLOCK, 0, -1):
        deadline.check()
        equations = (
            (masks[step_of(i, remaining)][bit], (top >> (count - 1 - bit)) & 1)
            for i, (top, count) in enumerate(known)
            for bit in range(count)
        )
        state = solve(equations, UNKNOWNS)
        if state is not None:
            yield Blocks(tuple(split(state, 64, 2, low_first=True)), remaining, generator, stream)


def _top_bits(stream: Stream, shown: int) -> list[tuple[int, int]]:
    """The known top bits of the word behind each of the first outputs, and their number."""
    if stream.fractions and not stream.rounded and stream.known is None:
        return [(int(value * 2.0**shown), shown) for value in stream.values[: BLOCK + 8].tolist()]
    known = []
    for low, high in stream.state_bounds(2**shown) or []:
        count = shown - (low ^ high).bit_length()
        known.append((low >> (shown - count), count))
    return known


@cache
def _masks() -> list[list[int]]:
    """For each step and each bit of the shown word, top bit first: mask of the bits of state 0 whose xor it is."""
    states = islice(unknown_states(ENGINE.step, [64, 64]), STEPS)
    return [state[0].masks(range(63, 63 - MAX_SHOWN_BITS, -1)) for state in states]


class Blocks:
    """V8's Math.random() with its cache of 64 numbers.

    `state` is the one at step 0, which makes the last output of the block in which the stream begins; `remaining` is
    the number of outputs of that block that are in the stream.
    """

    def __init__(self, state: State, remaining: int, generator: MathRandom, stream: Stream) -> None:
        self.state, self.remaining, self.generator = state, remaining, generator
        self.range_of, self.scale = stream.range_of, Scale(2**generator.shown)
        self.parameters: JsonObject = {
            "engine": "xorshift128+ (23, 17, 26)" + ", sum of its words" * generator.added,
            "bits": generator.shown,
            "left_of_first_block": remaining,
            "state": hexadecimal(state, 64),
        }

    @property
    def free_bits(self) -> float:
        """Bits of the state, of the place in a block, and of the two versions of the engine."""
        return UNKNOWNS + log2(2 * BLOCK)

    def outputs(self) -> Iterator[Number]:
        state, first = self.state, self.remaining - BLOCK  # index of the block's first output
        while True:
            block, state = self.generator.block(state)
            yield from (self._shown(x, i) for i, x in enumerate(block, start=first) if i >= 0)
            first += BLOCK

    def previous(self, count: int) -> list[Number]:
        """The outputs of the first block before the stream's first one, preceded by the earlier blocks."""
        block, _ = self.generator.block(self.state)
        before, state = block[: BLOCK - self.remaining], self.state
        while len(before) < count:
            block, state = self.generator.block_before(state)
            before = block + before
        return [self._shown(x, i) for i, x in enumerate(before[len(before) - count :], start=-count)]

    def assumption(self, outputs: int) -> str | None:
        """Where the first block ends is known only if this many outputs reach beyond it."""
        if outputs > self.remaining:
            return None
        return (
            f"V8 makes {BLOCK} numbers at a time. No such block ends within these: their first number is assumed to be "
            f"number {BLOCK - self.remaining + 1} of a block. If it is not, only those next numbers are right that "
            "belong to the same block."
        )

    def _shown(self, x: int, i: int) -> Number:
        """What output i of the stream shows."""
        fraction, size = self.scale.show(x), self.range_of(i)
        return fraction if size is None else int(fraction * size)
