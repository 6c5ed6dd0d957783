"""Generators with a state of at most 32 bits, so small that all states can be tried: in shells, old BASICs and small
scripts.

Functions of states accept Python integers and int64 arrays: every product is below 2**63 or wraps around, and is
masked before it is shifted or divided.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from jaxtyping import Int64

Words = TypeVar("Words", int, Int64[np.ndarray, "..."])

MASK = 2**32 - 1
MINSTD = 2**31 - 1


@dataclass(frozen=True)
class Small:
    """A generator with states 0 … 2**state_bits − 1 and words of `bits` bits.

    The key of a word is word >> `key_shift`. `hidden(key, index)`, for every index below 2**`free`, gives all states
    that show words with this key; if it is None, a word does not tell which states show it.
    """

    name: str
    state_bits: int
    bits: int
    step: Callable
    output: Callable
    hidden: Callable | None = None
    free: int = 0
    key_shift: int = 0
    repeats: bool = True  # False: an output equal to the last one is drawn again


def _minstd(x: Words) -> Words:
    return x * 16807 % MINSTD


def _bash(x: Words) -> Words:
    return ((x >> 16) ^ x) & 32767


def _bash_before(word: Words, index: Words) -> Words:
    """The state whose halves have this exclusive or: its high half and the top bit of its low half are the index."""
    high = index >> 1
    return (high << 16) | (high ^ word) | ((index & 1) << 15)


def _old_bash(x: Words) -> Words:
    return x & 32767


def _old_bash_before(word: Words, index: Words) -> Words:
    return (index << 15) | word


def _mulberry(x: Words) -> Words:
    z = ((x ^ (x >> 15)) * (x | 1)) & MASK
    z = z ^ ((z + (((z ^ (z >> 7)) * (z | 61)) & MASK)) & MASK)
    return z ^ (z >> 14)


def _xorshift(x: Words) -> Words:
    x = x ^ ((x << 13) & MASK)
    x = x ^ (x >> 17)
    return x ^ ((x << 5) & MASK)


def _same(x: Words) -> Words:
    return x


def _pcg(x: Words) -> Words:
    word = (((x >> ((x >> 28) + 4)) ^ x) * 277803737) & MASK
    return (word >> 22) ^ word


PCG_INVERSE = pow(277803737, -1, 2**32)


def _pcg_before(word: Words, index: Words) -> Words:
    """The state that shows a word, of which there is one: each step of the output is invertible."""
    y = ((word ^ (word >> 22)) * PCG_INVERSE) & MASK
    shift = (y >> 28) + 4
    y = y ^ (y >> shift)
    y = y ^ (y >> (2 * shift))
    return (y ^ ((y >> (2 * shift)) >> (2 * shift))) | index


def same_before(word: Words, index: Words) -> Words:
    """The state that is shown, or whose key is known."""
    return word | index


def _window_before(word: Words, index: Words) -> Words:
    """States that show these words from bit 16 on."""
    return (word << 16) | index


def _lcg(a: int, c: int, bits: int) -> Callable:
    return lambda x: (x * a + c) & ((1 << bits) - 1)


def _rand_r_step(x: Words) -> Words:
    for _ in range(3):
        x = (x * 1103515245 + 12345) & (2**27 - 1)
    return x


def _rand_r(x: Words) -> Words:
    """31 bits of three states, the first of which is x: only bits 16 to 26 are used."""
    y = (x * 1103515245 + 12345) & (2**27 - 1)
    z = (y * 1103515245 + 12345) & (2**27 - 1)
    return ((x >> 16) << 20) ^ (((y >> 16) & 1023) << 10) ^ ((z >> 16) & 1023)


SMALL: tuple[Small, ...] = (
    Small("$RANDOM of bash 5.1 and later", 31, 15, _minstd, _bash, _bash_before, 16, repeats=False),
    Small("$RANDOM of bash 4.0 to 5.0", 31, 15, _minstd, _old_bash, _old_bash_before, 16, repeats=False),
    Small("glibc's rand_r()", 27, 31, _rand_r_step, _rand_r, _window_before, 16, key_shift=20),
    Small("rand() of MSVC", 31, 15, _lcg(214013, 2531011, 31), lambda x: x >> 16, _window_before, 16),
    Small("rand() as in the C standard", 31, 15, _lcg(1103515245, 12345, 31), lambda x: x >> 16, _window_before, 16),
    Small("Rnd of Visual Basic 6", 24, 24, _lcg(0xFD43FD, 0xC39EC3, 24), _same, same_before),
    Small("mulberry32", 32, 32, _lcg(1, 0x6D2B79F5, 32), _mulberry),
    Small("xorshift32 (13, 17, 5)", 32, 32, _xorshift, _same, same_before),
    Small("PCG RXS M XS 32", 32, 32, _lcg(747796405, 2891336453, 32), _pcg, _pcg_before),
)
"""Generators with small states."""
