"""Is it Math.random() of V8 (Chrome, Node.js)? A xorshift128+ that shows only the top bits of one word, which are
linear in its 128 bits of state.

The stream runs backwards in blocks of 64, and how much of the first block was used before it began has to be tried out.
"""

from collections.abc import Iterator
from functools import cache

from unrandom.auditing.family import Deadline, Generator
from unrandom.auditing.notation import hexadecimal
from unrandom.auditing.stream import Number, Scale, Stream
from unrandom.core.files import JsonObject
from unrandom.generators.v8 import BLOCK, ENGINE, MathRandom, State, step_of
from unrandom.predictors.mod_two import solve

STEPS = 8 * BLOCK
"""Steps of the generator that the equations reach."""

UNKNOWNS = 128

REDUNDANT = 8
"""Equations beyond that, so that a stream of another kind is rarely taken for one."""

TOP = 53
"""Bits of a word that are shown, at most."""


class V8:
    """V8's Math.random(), as fractions or as ⌊N · Math.random()⌋."""

    name = "v8"
    about = "Math.random() of V8 (Chrome, Node.js): xorshift128+, its top bits, in blocks of 64 backwards"
    trivial = False
    max_outputs = STEPS - 2 * BLOCK

    def needs(self, stream: Stream) -> int | None:
        return 4 if stream.fractions or stream.bounded is not None else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        exact = [shown for shown in (52, 53) if any(scale.divisor == 2**shown for scale in stream.scales)]
        for shown in exact if stream.fractions and not stream.rounded else [52]:  # what is rounded shows no difference
            yield from _generators(stream, MathRandom(shown), deadline)


def _generators(stream: Stream, generator: MathRandom, deadline: Deadline) -> Iterator[Generator]:
    known = _top_bits(stream, generator.shown)
    if sum(count for _, count in known) < UNKNOWNS + REDUNDANT:
        return
    masks = _masks()
    for left in range(1, BLOCK + 1):  # outputs left of the first block
        deadline.check()
        equations = (
            (masks[step_of(i, left)][bit], (top >> (count - 1 - bit)) & 1)
            for i, (top, count) in enumerate(known)
            for bit in range(count)
        )
        state = solve(equations, UNKNOWNS)
        if state is not None:
            yield Blocks((state >> 64, state & (2**64 - 1)), left, generator, stream)


def _top_bits(stream: Stream, shown: int) -> list[tuple[int, int]]:
    """For each of the first outputs the top bits of the word that are known, and how many."""
    if stream.fractions and not stream.rounded:
        return [(int(value * 2.0**shown), shown) for value in stream.values[: BLOCK + 8].tolist()]
    known = []
    for low, high in stream.within(2**shown) or []:
        count = shown - (low ^ high).bit_length()
        known.append((low >> (shown - count), count))
    return known


@cache
def _masks() -> list[list[int]]:
    """For each step and bit of the word, from the top, which bits of the state at step 0 it is the exclusive or of."""
    masks = [[0] * TOP for _ in range(STEPS)]
    for unknown in range(UNKNOWNS):
        state: State = ((1 << unknown) >> 64, (1 << unknown) & (2**64 - 1))
        for row in masks:
            for bit in range(TOP):
                row[bit] |= ((state[0] >> (63 - bit)) & 1) << unknown
            state = ENGINE.step(state)
    return masks


class Blocks:
    """V8's cache of 64 words: step 0 makes the one that is handed out last of the block in which the stream begins."""

    def __init__(self, state: State, left: int, generator: MathRandom, stream: Stream) -> None:
        self.state, self.left, self.generator = state, left, generator
        self.bounded, self.scale = stream.bounded, Scale(2**generator.shown)
        self.parameters: JsonObject = {
            "engine": "xorshift128+ (23, 17, 26)",
            "bits": generator.shown,
            "left_of_first_block": left,
            "state": hexadecimal(state, 64),
        }

    def outputs(self) -> Iterator[Number]:
        state, left = self.state, self.left
        while True:
            block, state = self.generator.block(state)
            yield from map(self._shown, block[BLOCK - left :])
            left = BLOCK

    def previous(self, count: int) -> list[Number]:
        """What is left of the first block came out before; and before that, blocks that end where this one begins."""
        block, _ = self.generator.block(self.state)
        before, state = block[: BLOCK - self.left], self.state
        while len(before) < count:
            block, state = self.generator.block_before(state)
            before = block + before
        return [self._shown(x) for x in before[len(before) - count :]]

    def _shown(self, x: int) -> Number:
        fraction = self.scale.show(x)
        return fraction if self.bounded is None else int(fraction * self.bounded)
