"""Quadratic and inversive congruential generators: x ← a x² + b x + c, or x ← a x**-1 + c.

Blum, Blum and Shub's generator is quadratic with a = 1 and b = c = 0, modulo a product of two primes. Inversive
generators (Eichenauer and Lehn 1986) have a prime modulus.
"""

from dataclasses import dataclass
from math import gcd


@dataclass(frozen=True)
class Quadratic:
    """x ← (a x² + b x + c) mod m for 0 <= x < m. Several numbers may step to the same one: they cannot be inverted."""

    m: int
    a: int
    b: int
    c: int

    def step(self, x: int) -> int:
        """The number after x."""
        return ((self.a * x + self.b) * x + self.c) % self.m


@dataclass(frozen=True)
class Inversive:
    """x ← (a x**-1 + c) mod m for 0 <= x < m; the inverse of a number that has none, such as 0, is taken as 0.

    For a prime m and 0 < a < m, the step is a permutation.
    """

    m: int
    a: int
    c: int

    def step(self, x: int) -> int:
        """The number after x."""
        return (self.a * _inverse(x, self.m) + self.c) % self.m

    def back(self, x: int) -> int:
        """The number before x, for a prime m."""
        return self.a * _inverse(x - self.c, self.m) % self.m


def _inverse(x: int, m: int) -> int:
    return pow(x, -1, m) if gcd(x, m) == 1 else 0
