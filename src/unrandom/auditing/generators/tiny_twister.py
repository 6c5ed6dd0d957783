"""The tiny Mersenne twister: words of a state of 127 bits that steps linearly modulo 2, mixed by an addition (Saito and
Matsumoto 2011).

The addition makes the output non-linear, but its lowest bit is linear. The parameters come from the authors' test
programs, which most programs use.
"""

from dataclasses import dataclass

from unrandom.auditing.generators.shifts import AnyWord


@dataclass(frozen=True)
class TinyTwister32:
    """TinyMT32: four words of 32 bits; the highest bit of the first one is unused."""

    name: str = "TinyMT32"
    bits: int = 32
    mat1: int = 0x8F7011EE
    mat2: int = 0xFC78FF1F
    tmat: int = 0x3793FDFF
    sizes: tuple[int, ...] = (32,) * 4
    silent: int = 1

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        s0, s1, s2, y = state
        x = (s0 & 0x7FFFFFFF) ^ s1 ^ s2
        x = x ^ ((x << 1) & 0xFFFFFFFF)
        y = y ^ (y >> 1) ^ x
        odd = y & 1
        return s1, s2 ^ (odd * self.mat1), x ^ ((y << 10) & 0xFFFFFFFF) ^ (odd * self.mat2), y

    def output(self, state: tuple[int, ...]) -> int:
        added = (state[0] + (state[2] >> 8)) & 0xFFFFFFFF
        return state[3] ^ added ^ ((added & 1) * self.tmat)

    def linear_output(self, state: tuple[AnyWord, ...]) -> AnyWord:
        """The lowest bit of an output; the sum's lowest bit enters it twice if `tmat` is odd."""
        return (state[3] if self.tmat & 1 else state[3] ^ state[0] ^ (state[2] >> 8)) & 1


@dataclass(frozen=True)
class TinyTwister64:
    """TinyMT64: two words of 64 bits; the highest bit of the first one is unused."""

    name: str = "TinyMT64"
    bits: int = 64
    mat1: int = 0xFA051F40
    mat2: int = 0xFFD0FFF4
    tmat: int = 0x58D02FFEFFBFFFBC
    sizes: tuple[int, ...] = (64,) * 2
    silent: int = 1

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        mask = 2**64 - 1
        s0, s1 = state
        x = (s0 & (mask >> 1)) ^ s1
        x = x ^ ((x << 12) & mask)
        x = x ^ (x >> 32)
        x = x ^ ((x << 32) & mask)
        x = x ^ ((x << 11) & mask)
        odd = x & 1
        return s1 ^ (odd * self.mat1), x ^ (odd * (self.mat2 << 32))

    def output(self, state: tuple[int, ...]) -> int:
        mixed = ((state[0] + state[1]) & (2**64 - 1)) ^ (state[0] >> 8)
        return mixed ^ ((mixed & 1) * self.tmat)

    def linear_output(self, state: tuple[AnyWord, ...]) -> AnyWord:
        """The lowest bit of an output."""
        return (state[0] ^ state[1] ^ (state[0] >> 8)) & 1


TINY_MT32, TINY_MT64 = TinyTwister32(), TinyTwister64()
