"""Which numbers does a xorshift generator produce? One word, or a few of them, that shifts of itself are added to
modulo 2.

Marsaglia (2003) gives the steps and the shifts that have full period; Vigna (2016) multiplies the word of 64 bits by a
constant before it is shown (xorshift64*). No state but 0 runs into 0, which stays 0.
"""

from dataclasses import dataclass

from unrandom.generators.words import Shift, Word, undo_xor_shifts, xor_shifts

STAR = 0x2545F4914F6CDD1D
"""The factor of xorshift64* (Vigna 2016)."""


@dataclass(frozen=True)
class Xorshift:
    """One word of state, x ^= x << a; x ^= x >> b; x ^= x << c (or other shifts), and the output x · multiplier modulo
    2**bits, whose multiplier must be odd.
    """

    bits: int
    shifts: tuple[Shift, ...]
    multiplier: int = 1

    def step(self, x: Word) -> Word:
        return xor_shifts(x, self.shifts, self.bits)

    def back(self, x: Word) -> Word:
        return undo_xor_shifts(x, self.shifts, self.bits)

    def output(self, x: Word) -> Word:
        return (x * self.multiplier) & ((1 << self.bits) - 1)


@dataclass(frozen=True)
class XorshiftWords:
    """Several words of state, the oldest first, which is the output. The shifts change the oldest word, the newest is
    shifted to the right by `last`, and both together are the next one: x[i+r] = shifts(x[i]) ^ w ^ (w >> last) with
    w = x[i+r−1]. Marsaglia's xor128 has four words of 32 bits, the shifts << 11 and >> 8, and last = 19.
    """

    bits: int
    shifts: tuple[Shift, ...]
    last: int

    def step(self, state: tuple[Word, ...]) -> tuple[Word, ...]:
        words, newest = list(state), state[-1]
        words.append(xor_shifts(words.pop(0), self.shifts, self.bits) ^ newest ^ (newest >> self.last))
        return tuple(words)

    def back(self, state: tuple[Word, ...]) -> tuple[Word, ...]:
        words, newest = list(state), state[-2]
        words.insert(0, undo_xor_shifts(words.pop() ^ newest ^ (newest >> self.last), self.shifts, self.bits))
        return tuple(words)

    def output(self, state: tuple[Word, ...]) -> Word:
        return state[0]
