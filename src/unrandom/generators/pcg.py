"""Which numbers does PCG32 produce? The states of an LCG modulo 2**64, each folded to 32 bits and rotated by its own
top bits (O'Neill 2014, PCG-XSH-RR 64/32).
"""

from dataclasses import dataclass
from functools import cached_property

from unrandom.generators.lcg import LCG

MULTIPLIER = 6364136223846793005
STATE_BITS, WORD_BITS = 64, 32
FOLD, DROPPED, ROTATION = 18, 27, 59
"""The state is folded by this many bits, so many of its lowest bits are dropped, and the bits from here on rotate."""

INCREMENTS = {
    1442695040888963407: "of C++'s pcg32 and of pcg32_oneseq",
    0xDA3E39CB94B95BDB: "of PCG32_INITIALIZER in C",
    54 << 1 | 1: "of the stream 54, as in the demonstration",
    1: "of the stream 0",
    3: "of the stream 1",
}
"""Increments in use, by what has them (the C and C++ libraries of pcg-random.org)."""


@dataclass(frozen=True)
class Pcg32:
    """x ← (6364136223846793005 x + increment) mod 2**64, the increment odd; an output is made before each step."""

    increment: int

    @cached_property
    def lcg(self) -> LCG:
        return LCG(2**STATE_BITS, MULTIPLIER, self.increment)

    @cached_property
    def _back(self) -> LCG:
        return self.lcg.inverse()

    def step(self, x: int) -> int:
        return self.lcg(x)

    def back(self, x: int) -> int:
        return self._back(x)

    def output(self, x: int) -> int:
        folded, turn = (x ^ (x >> FOLD)) >> DROPPED & (2**WORD_BITS - 1), x >> ROTATION
        return (folded >> turn | folded << (-turn % WORD_BITS)) & (2**WORD_BITS - 1)


def top_bits(output: int, turn: int) -> int:
    """The state without its DROPPED lowest bits, of which an output is made that was rotated by `turn`."""
    folded = (output << turn | output >> (-turn % WORD_BITS)) & (2**WORD_BITS - 1)
    top = turn << WORD_BITS
    for bit in reversed(range(WORD_BITS)):
        above = top >> (bit + FOLD) & 1 if bit + FOLD < WORD_BITS + 5 else 0
        top |= (folded >> bit & 1 ^ above) << bit
    return top
