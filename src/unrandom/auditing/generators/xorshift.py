"""Xorshift generators: one or several words, each step xored with shifted copies of themselves.

Marsaglia (2003) gives the steps and the shifts with full period; xorshift64* (Vigna 2016) outputs the 64-bit word
multiplied by a constant. The state 0 steps to itself, and no other state steps to 0.
"""

from dataclasses import dataclass

from unrandom.auditing.generators.shifts import AnyWord, Shift, undo_xor_shift, undo_xor_shifts, xor_shifts

XORSHIFT64_STAR = 0x2545F4914F6CDD1D
"""The factor of xorshift64* (Vigna 2016)."""


@dataclass(frozen=True)
class Xorshift:
    """One word of state, x ^= x << a; x ^= x >> b; x ^= x << c (or other shifts), and the output x · multiplier modulo
    2**bits, with an odd multiplier.
    """

    bits: int
    shifts: tuple[Shift, ...]
    multiplier: int = 1

    def step(self, x: AnyWord) -> AnyWord:
        return xor_shifts(x, self.shifts, self.bits)

    def back(self, x: AnyWord) -> AnyWord:
        return undo_xor_shifts(x, self.shifts, self.bits)

    def output(self, x: AnyWord) -> AnyWord:
        return (x * self.multiplier) & ((1 << self.bits) - 1)


@dataclass(frozen=True)
class XorshiftWords:
    """Several words of state, oldest first; the output is the oldest word. The next word is the exclusive or of the
    oldest word after `shifts`, and of the newest word w with its right shift by `last`: x[i+r] = shifts(x[i]) ^ w ^ (w
    >> last) with w = x[i+r−1]. Marsaglia's xor128 has four words of 32 bits, the shifts << 11 and >> 8, and last = 19.
    """

    bits: int
    shifts: tuple[Shift, ...]
    last: int

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        words, newest = list(state), state[-1]
        words.append(xor_shifts(words.pop(0), self.shifts, self.bits) ^ newest ^ (newest >> self.last))
        return tuple(words)

    def back(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        words, newest = list(state), state[-2]
        words.insert(0, undo_xor_shifts(words.pop() ^ newest ^ (newest >> self.last), self.shifts, self.bits))
        return tuple(words)

    def output(self, state: tuple[AnyWord, ...]) -> AnyWord:
        return state[0]


@dataclass(frozen=True)
class Xorwow:
    """Marsaglia's xorwow: five words of 32 bits, oldest first, and a counter d. With t = x ^ (x >> 2) of the oldest
    word x and the newest word v, the next word is v ^ (v << 4) ^ t ^ (t << 1); the output is newest word + d.
    """

    name: str = "xorwow"
    bits: int = 32
    increment: int = 362437

    def words_after(self, words: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        """The five words after these, which are linear in them modulo 2."""
        mask, newest = (1 << self.bits) - 1, words[-1]
        t = words[0] ^ (words[0] >> 2)
        following = list(words[1:])
        following.append(newest ^ ((newest << 4) & mask) ^ t ^ ((t << 1) & mask))
        return tuple(following)

    def step(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """The next state: five words, and d."""
        return (*self.words_after(state[:5]), (state[5] + self.increment) % 2**self.bits)

    def back(self, state: tuple[int, ...]) -> tuple[int, ...]:
        before = state[3]
        t = undo_xor_shift(state[4] ^ before ^ ((before << 4) & (2**self.bits - 1)), Shift(True, 1), self.bits)
        oldest = undo_xor_shift(t, Shift(False, 2), self.bits)
        return (oldest, *state[:4], (state[5] - self.increment) % 2**self.bits)

    def output(self, state: tuple[int, ...]) -> int:
        return (state[4] + state[5]) % 2**self.bits


XORWOW = Xorwow()
