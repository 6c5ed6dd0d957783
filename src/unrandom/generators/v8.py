"""Which numbers does Math.random() of V8 (Chrome, Node.js) produce?

xorshift128+ steps on, but shows only the top bits of one word of its state. 64 fractions are made at once and handed
out from the last to the first. Older versions show 52 bits of the word, newer ones 53 (V8's sources,
`src/numbers/math-random.cc` and `src/base/utils/random-number-generator.h`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from unrandom.generators.xoshiro import V8_ENGINE as ENGINE

BLOCK = 64
"""Fractions that V8 makes at once."""

State: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class MathRandom:
    """The generator with so many bits shown, 52 or 53. Its numbers are the fractions times 2**shown."""

    shown: int

    def output(self, state: State) -> int:
        return state[0] >> (64 - self.shown)

    def block(self, state: State) -> tuple[list[int], State]:
        """The 64 numbers made from this state on, in the order in which they are handed out; and the state after."""
        made, last = self._made(state, ENGINE.step)
        return made[::-1], ENGINE.step(last)

    def block_before(self, state: State) -> tuple[list[int], State]:
        """The 64 numbers made before this state, in the order in which they are handed out; and the first's state."""
        return self._made(ENGINE.back(state), ENGINE.back)

    def _made(self, state: State, move: Callable[[State], State]) -> tuple[list[int], State]:
        made = [self.output(state)]
        while len(made) < BLOCK:
            state = move(state)
            made.append(self.output(state))
        return made, state


def step_of(i: int, left: int) -> int:
    """The step of the generator that made output i when `left` outputs were left of its first block, whose last one to
    be handed out is that of step 0.
    """
    if i < left:
        return left - 1 - i
    block, place = divmod(i - left, BLOCK)
    return BLOCK * (block + 1) + BLOCK - 1 - place
