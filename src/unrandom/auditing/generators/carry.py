"""Subtract-with-borrow and add-with-carry generators: sums or differences of two earlier numbers and a carry (Marsaglia
and Zaman 1991).

x[i] = ± x[i − near] ± x[i − far] ± carry modulo 2**bits: a difference subtracts the carry, a sum adds it, and the next
carry is 1 if the result was outside 0 … 2**bits − 1. The state is the last `far` numbers and the carry. C++'s
ranlux24_base is x[i−10] − x[i−24] − carry modulo 2**24. Two states can step to the same one, so that there is no
inverse step.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class WithCarry:
    """A generator with lags 0 < near < far, and signs 1 or −1, not both −1."""

    near: int
    far: int
    near_sign: int
    far_sign: int
    bits: int

    @property
    def carry_sign(self) -> int:
        """1 for a sum, −1 for a difference."""
        return 1 if self.near_sign == self.far_sign else -1

    def following(self, window: Sequence[int], carry: int) -> tuple[int, int]:
        """The number after the window (at least `far` numbers, the last one newest), and the next carry, 0 or 1."""
        total = self.near_sign * window[-self.near] + self.far_sign * window[-self.far] + self.carry_sign * carry
        m = 1 << self.bits
        return total % m, int(not 0 <= total < m)
