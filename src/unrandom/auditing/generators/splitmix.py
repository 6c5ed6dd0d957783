"""SplitMix64: the values of a counter, each scrambled by a mixing function (Steele, Lea and Flood 2014; Java's
SplittableRandom).
"""

from dataclasses import dataclass

from unrandom.auditing.generators.shifts import Shift, Word, undo_xor_shift

GOLDEN = 0x9E3779B97F4A7C15
"""The usual step of the counter: 2**64 divided by the golden ratio, rounded to an odd number."""

MULTIPLIER_1, MULTIPLIER_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@dataclass(frozen=True)
class SplitMix64:
    """x[t+1] = x[t] + distance modulo 2**64 with an odd distance; the output is `mixed(x)`. A seed is the state before
    the first output.
    """

    distance: int = GOLDEN

    def step(self, x: Word) -> Word:
        return (x + self.distance) & (2**64 - 1)

    def back(self, x: Word) -> Word:
        return (x + (2**64 - self.distance)) & (2**64 - 1)

    def output(self, x: Word) -> Word:
        return mixed(x)


def mixed(x: Word) -> Word:
    """David Stafford's variant 13 of the finalizer of MurmurHash3, a bijection of 64-bit words."""
    x = ((x ^ (x >> 30)) * MULTIPLIER_1) & (2**64 - 1)
    x = ((x ^ (x >> 27)) * MULTIPLIER_2) & (2**64 - 1)
    return x ^ (x >> 31)


def unmixed(x: Word) -> Word:
    """The inverse of `mixed`."""
    x = (undo_xor_shift(x, Shift(False, 31), 64) * pow(MULTIPLIER_2, -1, 2**64)) & (2**64 - 1)
    x = (undo_xor_shift(x, Shift(False, 27), 64) * pow(MULTIPLIER_1, -1, 2**64)) & (2**64 - 1)
    return undo_xor_shift(x, Shift(False, 30), 64)
