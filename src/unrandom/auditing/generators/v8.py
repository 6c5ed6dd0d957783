"""Math.random() of V8 (Chrome, Node.js): the top bits of one word of a xorshift128+ state, or since 2026 of the sum of
both, in reversed blocks of 64.

64 fractions are generated at a time and handed out from the last to the first. The oldest versions show 52 bits of the
first word, those to Node.js 24 show 52 or 53, and Node.js 26 shows 53 bits of the sum (V8's sources,
`src/numbers/math-random.cc` and `src/base/utils/random-number-generator.h`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from unrandom.auditing.generators.xoshiro import V8_ENGINE as ENGINE

BLOCK = 64
"""Number of fractions that V8 generates at a time."""

State: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class MathRandom:
    """The generator that shows `shown` bits, 52 or 53, of the first word, or of the sum of both if `added`. Its numbers
    are the fractions times 2**shown.
    """

    shown: int
    added: bool = False

    def output(self, state: State) -> int:
        word = (state[0] + state[1]) & (2**64 - 1) if self.added else state[0]
        return word >> (64 - self.shown)

    def block(self, state: State) -> tuple[list[int], State]:
        """The 64 numbers generated from this state on, in the order of output; and the next state."""
        numbers, last = self._numbers(state, ENGINE.step)
        return numbers[::-1], ENGINE.step(last)

    def block_before(self, state: State) -> tuple[list[int], State]:
        """The 64 numbers generated before this state, in the order of output; and the first of their states."""
        return self._numbers(ENGINE.back(state), ENGINE.back)

    def _numbers(self, state: State, move: Callable[[State], State]) -> tuple[list[int], State]:
        """The outputs of this state and of the 63 that `move` leads to; and the last state."""
        numbers = [self.output(state)]
        while len(numbers) < BLOCK:
            state = move(state)
            numbers.append(self.output(state))
        return numbers, state


def step_of(i: int, left: int) -> int:
    """The generator step that produced output i of a stream that contains the last `left` outputs of its first block.

    Step 0 produced the last one of these, because blocks are handed out in reverse.
    """
    if i < left:
        return left - 1 - i
    block, place = divmod(i - left, BLOCK)
    return BLOCK * (block + 1) + BLOCK - 1 - place
