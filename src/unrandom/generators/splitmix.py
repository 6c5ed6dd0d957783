"""Which numbers does SplitMix64 produce? A counter whose words are mixed (Steele, Lea and Flood 2014); Java's
SplittableRandom is one.
"""

from dataclasses import dataclass

from unrandom.generators.words import Shift, Word, undo_xor_shift

GOLDEN = 0x9E3779B97F4A7C15
"""The usual distance of the counter, 2**64 divided by the golden ratio, to the nearest odd number."""

FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@dataclass(frozen=True)
class SplitMix64:
    """x[t+1] = x[t] + distance modulo 2**64, any odd distance; the output is `mixed` x. A seed is the state before the
    first output.
    """

    distance: int = GOLDEN

    def step(self, x: Word) -> Word:
        return (x + self.distance) & (2**64 - 1)

    def back(self, x: Word) -> Word:
        return (x + (2**64 - self.distance)) & (2**64 - 1)

    def output(self, x: Word) -> Word:
        return mixed(x)


def mixed(x: Word) -> Word:
    """David Stafford's variant 13 of the finalizer of MurmurHash3: one to one on words of 64 bits."""
    x = ((x ^ (x >> 30)) * FIRST) & (2**64 - 1)
    x = ((x ^ (x >> 27)) * SECOND) & (2**64 - 1)
    return x ^ (x >> 31)


def unmixed(x: Word) -> Word:
    """The word of which `mixed` makes x."""
    x = (undo_xor_shift(x, Shift(False, 31), 64) * pow(SECOND, -1, 2**64)) & (2**64 - 1)
    x = (undo_xor_shift(x, Shift(False, 27), 64) * pow(FIRST, -1, 2**64)) & (2**64 - 1)
    return undo_xor_shift(x, Shift(False, 30), 64)
