"""Lagged Fibonacci generators: sums or differences of two earlier numbers.

x[i] = ± x[i − near] ± x[i − far] modulo m (Knuth, TAOCP vol. 2, 3.2.2). The state is the last `far` numbers. glibc's
rand() is x[i−3] + x[i−31] modulo 2**32 without its lowest bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LaggedFibonacci:
    """A generator with lags 0 < near < far, signs 1 or −1 (not both −1), and a modulus."""

    near: int
    far: int
    near_sign: int
    far_sign: int
    modulus: int

    def following(self, window: Sequence[int]) -> int:
        """The number that follows the window: at least `far` numbers, the last one newest."""
        return (self.near_sign * window[-self.near] + self.far_sign * window[-self.far]) % self.modulus

    def preceding(self, window: Sequence[int]) -> int:
        """The number that precedes the window: at least `far` numbers, the first one oldest."""
        newest = window[self.far - 1]
        return self.far_sign * (newest - self.near_sign * window[self.far - self.near - 1]) % self.modulus
