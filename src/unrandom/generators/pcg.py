"""Permuted congruential generators (PCG): states of an LCG modulo a power of two, each shifted, folded or rotated by
its own top bits (O'Neill 2014); and PCG32, the one in use.

An output function maps a state of `state` bits to a word of `word` bits. It takes one Python integer of any width, or
a uint64 array of states of at most 64 bits. XSH-RS, XSH-RR and XSL-RR agree with the C++ library wherever it has
these widths; RS and RR are like them without folding, as in O'Neill's paper.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from unrandom.generators.lcg import LCG

MULTIPLIER = 6364136223846793005
STATE_BITS, WORD_BITS = 64, 32
FOLD, DROPPED = 18, 27
"""The fold, in bits, and the lowest bits that are dropped."""

INCREMENTS = {
    1442695040888963407: "of C++'s pcg32 and of pcg32_oneseq",
    0xDA3E39CB94B95BDB: "of PCG32_INITIALIZER in C",
    54 << 1 | 1: "of the stream 54, as in the demonstration",
    1: "of the stream 0",
    3: "of the stream 1",
}
"""Increments in use, by what has them (the C and C++ libraries of pcg-random.org)."""

SPARE_FOR_SHIFTS = (2, 6, 19, 36, 69)
"""The bits beyond the word that a state needs, so that 1, 2, 3, 4 or 5 of its top bits choose a shift."""

State: TypeAlias = Any  # a Python integer, or a uint64 array
OutputFunction: TypeAlias = Callable[[State, int, int], State]
"""A function of a state, of its number of bits, and of the number of bits of the word that it returns."""


def shift_bits(state: int, word: int) -> int:
    """The number of top bits of a state that choose a random shift; 0 if it has too few bits beyond the word."""
    return sum(state - word >= spare for spare in SPARE_FOR_SHIFTS)


def rotation_bits(state: int, word: int) -> int:
    """The number of top bits of a state that choose a rotation: enough to number the word's bits, if it has them."""
    return min(word.bit_length() - 1, state - word)


def whole_state(x: State, state: int, word: int) -> State:
    """The lowest bits of the state; all of them if the word is as wide as the state (LCG)."""
    return x & _mask(word)


def top_bits(x: State, state: int, word: int) -> State:
    """The highest bits of the state (truncated LCG)."""
    return x >> (state - word)


def random_shift(x: State, state: int, word: int) -> State:
    """A window of the state, at a place that the top bits choose: the larger they are, the lower it is (RS)."""
    control = shift_bits(state, word)
    return x >> (state - word - control - (x >> (state - control))) & _mask(word)


def random_rotation(x: State, state: int, word: int) -> State:
    """The bits below the top ones, rotated to the right by the number that these hold (RR)."""
    control = rotation_bits(state, word)
    return _rotated(x >> (state - word - control) & _mask(word), x >> (state - control), word)


def folded_shift(x: State, state: int, word: int) -> State:
    """The state is folded onto its high bits; the larger the top bits, the higher the window of it (XSH-RS)."""
    control = shift_bits(state, word)
    largest = (1 << control) - 1
    folded = x ^ x >> (control + (word + largest) // 2)
    return folded >> (state - word - control - largest + (x >> (state - control))) & _mask(word)


def folded_rotation(x: State, state: int, word: int) -> State:
    """The state is folded onto its high bits, and the bits below the top ones are rotated as these say (XSH-RR)."""
    control = rotation_bits(state, word)
    folded = x ^ x >> ((control + word) // 2)
    return _rotated(folded >> (state - word - control) & _mask(word), x >> (state - control), word)


def halves_rotation(x: State, state: int, word: int) -> State:
    """The high half of the state is folded onto the low one, which is rotated as the top bits say (XSL-RR)."""
    control = rotation_bits(state, word)
    return _rotated((x ^ x >> (state // 2)) & _mask(word), x >> (state - control), word)


def _mask(bits: int) -> int:
    return (1 << bits) - 1


def _rotated(value: State, turn: State, width: int) -> State:
    """The lowest `width` bits rotated to the right; `turn` is below the width."""
    return (value >> turn | value << (width - turn)) & _mask(width)


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
        return folded_rotation(x, STATE_BITS, WORD_BITS)


def unrotated(output: int, turn: int) -> int:
    """The state of `Pcg32` without its DROPPED lowest bits, from an output that was rotated by `turn`."""
    folded = _rotated(output, -turn % WORD_BITS, WORD_BITS)
    top = turn << WORD_BITS
    for bit in reversed(range(WORD_BITS)):
        above = top >> (bit + FOLD) & 1 if bit + FOLD < WORD_BITS + 5 else 0
        top |= (folded >> bit & 1 ^ above) << bit
    return top
