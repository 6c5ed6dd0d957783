"""RANLUX: a subtract-with-borrow generator of whose numbers most are discarded.

x[n] = x[n − near] − x[n − far] − borrow modulo b = 2**bits (Marsaglia and Zaman 1991). Of each block of successive
numbers, the first ones are used (Lüscher 1994; James 1994; ranlux24 and ranlux48 of C++). With
m = b**far − b**near + 1, the state

    X[n] = ∑ x[n − far + i] bⁱ (i < far) − ∑ x[n − near + i] bⁱ (i < near) + borrow

obeys X[n+1] = X[n] / b modulo m (Tezuka, L'Ecuyer and Couture 1993), and x[n] = −X[n] modulo b, so that discarding is
one multiplication.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Ranlux:
    """A generator of words of `bits` bits with two lags, of which the first `used` of every `block` are outputs.

    A state is X of an output and the place of that output among those used.
    """

    name: str
    bits: int
    near: int
    far: int
    used: int
    block: int

    @cached_property
    def modulus(self) -> int:
        return (1 << self.bits * self.far) - (1 << self.bits * self.near) + 1

    def multiplier(self, words: int) -> int:
        """The factor by which X changes in this many words, which may be negative."""
        return pow(1 << self.bits, -words, self.modulus)

    def output(self, state: tuple[int, int]) -> int:
        return -state[0] % (1 << self.bits)

    def step(self, state: tuple[int, int]) -> tuple[int, int]:
        x, place = state
        return x * self._factors[place] % self.modulus, (place + 1) % self.used

    def back(self, state: tuple[int, int]) -> tuple[int, int]:
        x, place = state
        return x * self._inverse_factors[place - 1] % self.modulus, (place - 1) % self.used

    def partial(self, words: Sequence[int]) -> int:
        """X after the last of `far` − 1 successive words, before adding the previous word and the borrow."""
        newest = words[-self.near :]
        return sum(x << self.bits * (i + 1) for i, x in enumerate(words)) - sum(
            x << self.bits * i for i, x in enumerate(newest)
        )

    @cached_property
    def _factors(self) -> list[int]:
        """For each place, the factor to the next output."""
        return [self.multiplier(1)] * (self.used - 1) + [self.multiplier(self.block - self.used + 1)]

    @cached_property
    def _inverse_factors(self) -> list[int]:
        return [self.multiplier(-1)] * (self.used - 1) + [self.multiplier(self.used - self.block - 1)]


RANLUX3 = Ranlux("RANLUX of luxury level 3 (James 1994; ranlux of GSL)", 24, 10, 24, 24, 223)
RANLUX4 = Ranlux("RANLUX of luxury level 4 (James 1994; ranlux389 of GSL)", 24, 10, 24, 24, 389)
RANLUX24 = Ranlux("ranlux24 of C++", 24, 10, 24, 23, 223)
RANLUX48 = Ranlux("ranlux48 of C++", 48, 5, 12, 11, 389)
