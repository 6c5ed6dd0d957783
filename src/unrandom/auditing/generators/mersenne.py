"""Mersenne twisters: tempered words of a linear recurrence modulo 2 (Matsumoto and Nishimura 1998; MT19937-64:
Nishimura 2000).

Words of w bits obey s[t+n] = s[t+m] ^ twist(s[t], s[t+1]), where twist joins the highest bits of s[t] and the lowest 31
bits of s[t+1], and multiplies them by a matrix modulo 2. An output is a tempered word. A state is n successive words,
oldest first, of which 19,937 bits matter.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.generators.shifts import Word

Words = UInt64[np.ndarray, "*rows n"]


@dataclass(frozen=True)
class MersenneTwister:
    """Parameters, named as in the C++ standard (`mersenne_twister_engine`)."""

    name: str
    w: int
    n: int
    m: int
    a: int
    u: int
    d: int
    s: int
    b: int
    t: int
    c: int
    f: int  # the last shift, l in the standard
    odd_of_oldest: bool = False  # whether the matrix is selected by the lowest bit of s[t] instead of s[t+1]

    @property
    def lower(self) -> int:
        """Mask of the bits of s[t+1] that twist uses, r = 31 of them."""
        return (1 << 31) - 1

    @property
    def upper(self) -> int:
        """Mask of the bits of s[t] that twist uses."""
        return ((1 << self.w) - 1) ^ self.lower

    def next_block(self, words: Words) -> Words:
        """The n words after these n."""
        both = np.concatenate([words, np.zeros_like(words)], axis=-1)
        new = both[..., self.n :]
        size = self.n - self.m  # this many words do not depend on each other
        for start in range(0, self.n, size):
            end = min(start + size, self.n)
            twisted = self.twist(both[..., start:end], both[..., start + 1 : end + 1])
            new[..., start:end] = both[..., start + self.m : end + self.m] ^ twisted
        return new

    def block_before(self, words: Words, count: int = 1) -> Words:
        """The n words that begin `count` positions earlier.

        The top bits of an earlier word come from one twisted word, its other bits from the preceding one.
        """
        for _ in range(count):
            twisted = words[..., -2:] ^ words[..., self.m - 2 : self.m]
            before, last = self.untwist(twisted[..., :1]), self.untwist(twisted[..., 1:])
            oldest = (last & self.upper) | (before & self.lower)
            if self.odd_of_oldest:
                oldest = (oldest & ~np.uint64(1)) | (last & np.uint64(1))
            words = np.concatenate([oldest, words[..., :-1]], axis=-1)
        return words

    def twist(self, word: Word, following: Word) -> Word:
        """The contribution of s[t] and s[t+1] to s[t+n]."""
        y = (word & self.upper) | (following & self.lower)
        return (y >> 1) ^ (((word if self.odd_of_oldest else y) & 1) * self.a)

    def untwist(self, twisted: Word) -> Word:
        """Inverse of `twist`: the highest bits of s[t] joined with the lowest bits of s[t+1]; if `odd_of_oldest`, the
        lowest bit is that of s[t].
        """
        odd = twisted >> (self.w - 1)  # the top bit is set in a, and clear in y >> 1
        return ((twisted ^ (odd * self.a)) << 1) | odd

    def temper(self, word: Word) -> Word:
        """The output for a state word."""
        y = word ^ ((word >> self.u) & self.d)
        y = y ^ ((y << self.s) & self.b)
        y = y ^ ((y << self.t) & self.c)
        return y ^ (y >> self.f)

    def untemper(self, output: Word) -> Word:
        """The state word for an output: the inverse of `temper`."""
        y = output ^ (output >> self.f)
        for shift, mask, left in ((self.t, self.c, True), (self.s, self.b, True), (self.u, self.d, False)):
            solution = y
            for _ in range(0, self.w, shift):  # each iteration makes `shift` more bits correct
                solution = y ^ ((solution << shift if left else solution >> shift) & mask)
            y = solution
        return y


MT19937 = MersenneTwister("MT19937", 32, 624, 397, 0x9908B0DF, 11, 0xFFFFFFFF, 7, 0x9D2C5680, 15, 0xEFC60000, 18)
MT19937_64 = MersenneTwister(
    "MT19937-64", 64, 312, 156, 0xB5026F5AA96619E9,
    29, 0x5555555555555555, 17, 0x71D67FFFEDA60000, 37, 0xFFF7EEE000000000, 43,
)  # fmt: skip
MT19937_PHP5 = replace(MT19937, name="MT19937 of PHP before 7.1", odd_of_oldest=True)
"""The engine of PHP 5.2 to 7.0, and of MT_RAND_PHP since: its twist takes the lowest bit of the wrong word."""
