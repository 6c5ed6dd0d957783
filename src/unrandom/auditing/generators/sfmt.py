"""The SIMD-oriented fast Mersenne twister SFMT19937: the 32-bit quarters, lowest first, of 128-bit words of a linear
recurrence modulo 2 (Saito and Matsumoto 2008).

w[t+156] = w[t] ^ (w[t] << 8) ^ ((w[t+122] >> 11) & mask) ^ (w[t+154] >> 8) ^ (w[t+155] << 18), where the shifts by 8
move bits of the whole word, and those by 11 and 18 bits of each quarter.
"""

from dataclasses import dataclass

from unrandom.auditing.generators.shifts import AnyWord


def _quarters(quarter: int) -> int:
    """A 128-bit word with four equal quarters."""
    return quarter * (1 | 1 << 32 | 1 << 64 | 1 << 96)


@dataclass(frozen=True)
class Sfmt:
    """SFMT19937. A state has 156 words of 128 bits, oldest first; the output is the oldest word."""

    name: str = "SFMT19937"
    bits: int = 32
    parts: int = 4  # words of `bits` bits in an output, the lowest one first
    middle: int = 122
    mask: int = 0xBFFFFFF6_BFFAFFFF_DDFECB7F_DFFFFFEF
    sizes: tuple[int, ...] = (128,) * 156
    silent: int = 31

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        a, b, c, d = state[0], state[self.middle], state[-2], state[-1]
        new = a ^ ((a << 8) & (2**128 - 1)) ^ ((b >> 11) & _quarters(2**21 - 1) & self.mask) ^ (c >> 8)
        new = new ^ ((d << 18) & (2**128 - 1) & _quarters(2**32 - 2**18))
        following = list(state[1:])
        following.append(new)
        return tuple(following)

    def output(self, state: tuple[AnyWord, ...]) -> AnyWord:
        return state[0]


SFMT19937 = Sfmt()
