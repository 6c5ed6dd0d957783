"""Xorshift128+, xoroshiro and xoshiro generators: scrambled words of a state that steps linearly modulo 2.

The scrambler, a non-linear output function, is the sum of two words (+), or one word multiplied and rotated (**). Vigna
(2017) describes xorshift128+, Blackman and Vigna (2018) the others. Every state but 0 is allowed.
"""

from dataclasses import dataclass
from typing import TypeAlias

from unrandom.auditing.generators.shifts import AnyWord, Shift, Word, rotate, undo_xor_shift


@dataclass(frozen=True)
class Xorshift128:
    """Two words x, y of 64 bits: x ^= x << a; the next two words are y, x ^ (x >> b) ^ y ^ (y >> c)."""

    a: int
    b: int
    c: int
    words: int = 2
    bits: int = 64

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        x, y = state
        x = x ^ ((x << self.a) & (2**64 - 1))
        return y, x ^ (x >> self.b) ^ y ^ (y >> self.c)

    def back(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        y, newest = state
        x = undo_xor_shift(newest ^ y ^ (y >> self.c), Shift(False, self.b), 64)
        return undo_xor_shift(x, Shift(True, self.a), 64), y


@dataclass(frozen=True)
class Xoroshiro128:
    """Two words x, y of 64 bits: y ^= x; the next two words are rotl(x, a) ^ y ^ (y << b), rotl(y, c)."""

    a: int
    b: int
    c: int
    words: int = 2
    bits: int = 64

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        x, y = state
        y = y ^ x
        return rotate(x, self.a, 64) ^ y ^ ((y << self.b) & (2**64 - 1)), rotate(y, self.c, 64)

    def back(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        y = rotate(state[1], 64 - self.c, 64)
        x = rotate(state[0] ^ y ^ ((y << self.b) & (2**64 - 1)), 64 - self.a, 64)
        return x, y ^ x


@dataclass(frozen=True)
class XoshiroWords:
    """Four words: t = s1 << a; s2 ^= s0; s3 ^= s1; s1 ^= s2; s0 ^= s3; s2 ^= t; s3 = rotl(s3, b)."""

    a: int
    b: int
    bits: int
    words: int = 4

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        s0, s1, s2, s3 = state
        shifted = (s1 << self.a) & ((1 << self.bits) - 1)
        s2, s3 = s2 ^ s0, s3 ^ s1
        return s0 ^ s3, s1 ^ s2, s2 ^ shifted, rotate(s3, self.b, self.bits)

    def back(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        s3 = rotate(state[3], self.bits - self.b, self.bits)
        s0 = state[0] ^ s3
        s1 = undo_xor_shift(state[1] ^ state[2], Shift(True, self.a), self.bits)
        return s0, s1, state[1] ^ s1 ^ s0, s3 ^ s1


XoshiroEngine: TypeAlias = Xorshift128 | Xoroshiro128 | XoshiroWords
"""A state of `words` words of `bits` bits, with an invertible step that is linear modulo 2."""


@dataclass(frozen=True)
class Plus:
    """The lowest `bits` bits of the sum of the first and the last word. Its lowest bit is linear in the state."""

    bits: int
    linear_bits: int = 1

    def output(self, state: tuple[Word, ...]) -> Word:
        return (state[0] + state[-1]) & ((1 << self.bits) - 1)

    def linear_in_state(self, state: tuple[AnyWord, ...]) -> AnyWord:
        """The part of an output that is linear modulo 2 in the state."""
        return (state[0] ^ state[-1]) & 1

    def linear_in_output(self, output: int) -> int:
        """The same value, computed from the output."""
        return output & 1


@dataclass(frozen=True)
class StarStar:
    """rotl(5 x, 7) · 9 modulo 2**bits for one word x of the state, which the output determines."""

    bits: int
    word: int

    @property
    def linear_bits(self) -> int:
        return self.bits

    def output(self, state: tuple[Word, ...]) -> Word:
        mask = (1 << self.bits) - 1
        return (rotate((state[self.word] * 5) & mask, 7, self.bits) * 9) & mask

    def linear_in_state(self, state: tuple[AnyWord, ...]) -> AnyWord:
        """The word x."""
        return state[self.word]

    def linear_in_output(self, output: int) -> int:
        """The word x, computed from the output."""
        m = 1 << self.bits
        rotated = output * pow(9, -1, m) % m
        return rotate(rotated, self.bits - 7, self.bits) * pow(5, -1, m) % m


@dataclass(frozen=True)
class Xoshiro:
    """A generator under its usual name: a linear engine, and a scrambler as output function."""

    name: str
    engine: XoshiroEngine
    scrambler: Plus | StarStar

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        return self.engine.step(state)

    def back(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        return self.engine.back(state)

    def output(self, state: tuple[Word, ...]) -> Word:
        return self.scrambler.output(state)


V8_ENGINE = Xorshift128(23, 17, 26)

XOSHIROS: tuple[Xoshiro, ...] = (
    Xoshiro("xoshiro256**", XoshiroWords(17, 45, 64), StarStar(64, 1)),
    Xoshiro("xoroshiro128**", Xoroshiro128(24, 16, 37), StarStar(64, 0)),
    Xoshiro("xorshift128+ (23, 17, 26)", V8_ENGINE, Plus(64)),
    Xoshiro("xorshift128+ (23, 18, 5)", Xorshift128(23, 18, 5), Plus(64)),
    Xoshiro("xoroshiro128+ (24, 16, 37)", Xoroshiro128(24, 16, 37), Plus(64)),
    Xoshiro("xoroshiro128+ (55, 14, 36)", Xoroshiro128(55, 14, 36), Plus(64)),
    Xoshiro("xoshiro256+", XoshiroWords(17, 45, 64), Plus(64)),
    Xoshiro("xorshift128+ (23, 17, 26), low 53 bits as in Firefox and Safari", V8_ENGINE, Plus(53)),
    Xoshiro("xoshiro128**", XoshiroWords(9, 11, 32), StarStar(32, 1)),
    Xoshiro("xoshiro128+", XoshiroWords(9, 11, 32), Plus(32)),
)
"""Generators in use, sorted by output width (largest first), then by the number of outputs that determine the state."""
