"""Is it Math.random() of V8 (Chrome, Node.js)? A xorshift128+ that shows only the top bits of one word, which are
linear in its 128 bits of state.

V8 makes 64 fractions at once and hands them out from the last to the first. So the stream runs backwards in blocks of
64, and how much of the first block was used before it began has to be tried out. Older versions show 52 bits of the
word, newer ones 53 (V8's sources, `src/numbers/math-random.cc` and `src/base/utils/random-number-generator.h`).
"""

from collections.abc import Iterator
from functools import cache

from unrandom.audit.families.xoshiro import ENGINES, State
from unrandom.audit.family import Deadline, Generator, Tree
from unrandom.audit.stream import Number, Scale, Stream
from unrandom.predictors.mod_two import solve

BLOCK = 64
"""Fractions that V8 makes at once."""

TIMES = 8 * BLOCK
"""Steps of the generator that the equations reach."""

UNKNOWNS = 128

STEP = next(engine for engine in ENGINES[64] if engine.name == "xorshift128+ (23, 17, 26)").step


class MathRandom:
    """V8's Math.random(), as fractions or as ⌊N · Math.random()⌋."""

    name = "v8"
    about = "Math.random() of V8 (Chrome, Node.js): xorshift128+, its top bits, in blocks of 64 backwards"
    trivial = False
    most = TIMES - 2 * BLOCK

    def needs(self, stream: Stream) -> int | None:
        return 4 if stream.fractions or stream.bounded is not None else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        exact = [shown for shown in (52, 53) if any(scale.divisor == 2**shown for scale in stream.scales)]
        for shown in exact if stream.fractions and not stream.rounded else [52]:  # what is rounded shows no difference
            yield from _generators(stream, shown, deadline)


def _generators(stream: Stream, shown: int, deadline: Deadline) -> Iterator[Generator]:
    known = _top_bits(stream, shown)
    if sum(count for _, count in known) < UNKNOWNS + 8:
        return
    masks = _masks()
    for left in range(1, BLOCK + 1):  # outputs left of the first block
        deadline.check()
        equations = (
            (masks[time(i, left)][bit], top >> (count - 1 - bit) & 1)
            for i, (top, count) in enumerate(known)
            for bit in range(count)
        )
        state = solve(equations, UNKNOWNS)
        if state is not None:
            yield Blocks((state >> 64, state & 2**64 - 1), left, shown, stream)


def _top_bits(stream: Stream, shown: int) -> list[tuple[int, int]]:
    """For each of the first outputs the top bits of the word that are known, and how many."""
    if stream.fractions and not stream.rounded:
        return [(int(value * 2.0**shown), shown) for value in stream.values[: BLOCK + 8].tolist()]
    known = []
    for low, high in stream.within(2**shown) or []:
        count = shown - (low ^ high).bit_length()
        known.append((low >> (shown - count), count))
    return known


def time(i: int, left: int) -> int:
    """The step of the generator that made output i, when `left` outputs were left of its first block."""
    if i < left:
        return left - 1 - i
    block, place = divmod(i - left, BLOCK)
    return BLOCK * (block + 1) + BLOCK - 1 - place


@cache
def _masks() -> list[list[int]]:
    """For each step and bit of the word, from the top, which bits of the state at step 0 it is the exclusive or of."""
    masks = [[0] * 53 for _ in range(TIMES)]
    for unknown in range(UNKNOWNS):
        state: State = (1 << unknown >> 64, 1 << unknown & 2**64 - 1)
        for row in masks:
            for bit in range(53):
                row[bit] |= (state[0] >> (63 - bit) & 1) << unknown
            state = STEP(state)
    return masks


class Blocks:
    """V8's cache of 64 words: step 0 makes the one that is handed out last of the block in which the stream begins."""

    def __init__(self, state: State, left: int, shown: int, stream: Stream) -> None:
        self.state, self.left, self.shown = state, left, shown
        self.bounded, self.scale = stream.bounded, Scale(2**shown)
        self.parameters: Tree = {
            "engine": "xorshift128+ (23, 17, 26)",
            "bits": shown,
            "left_of_first_block": left,
            "state": [f"0x{word:016x}" for word in state],
        }

    def outputs(self) -> Iterator[Number]:
        state, left = self.state, self.left
        while True:
            made = []
            for _ in range(BLOCK):
                made.append(self._shown(state))
                state = STEP(state)
            yield from made[:left][::-1]
            left = BLOCK

    def previous(self, count: int) -> list[Number]:
        """What is left of the first block came out before; and before that, blocks that end where this one begins."""
        state, made = self.state, []
        for _ in range(BLOCK):
            made.append(self._shown(state))
            state = STEP(state)
        before = made[self.left :][::-1]
        state = self.state
        while len(before) < count:
            block = []
            for _ in range(BLOCK):
                state = _step_back(state)
                block.append(self._shown(state))
            before = block + before
        return before[len(before) - count :]

    def _shown(self, state: State) -> Number:
        fraction = self.scale.show(state[0] >> (64 - self.shown))
        return fraction if self.bounded is None else int(fraction * self.bounded)


def _step_back(state: State) -> State:
    s0, mixed = state  # s0 was the second word; mixed = y ^ s0 ^ y >> 17 ^ s0 >> 26 with y = x ^ x << 23
    mixed ^= s0 ^ s0 >> 26
    y = mixed ^ mixed >> 17 ^ mixed >> 34 ^ mixed >> 51
    x = y ^ y << 23 ^ y << 46
    return x & 2**64 - 1, s0
