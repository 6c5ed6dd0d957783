"""Which multipliers and moduli explain the differences of a sequence? Linear congruences in one unknown, exactly.

The differences d[i] = x[i+1] − x[i] of an LCG fulfil d[i+1] ≡ a d[i] (mod m). So m divides every minor
d[i] d[j+1] − d[j] d[i+1], and their greatest common divisor soon is m (Plumstead 1982; Boyar 1989).
"""

from dataclasses import dataclass
from math import gcd


@dataclass
class Congruences:
    """All that a·d ≡ e (mod m) says of a and m, for the pairs (d, e) added so far.

    Exactly those m explain the pairs that divide ``modulus`` (0, which all divide: no bound yet) and for which
    a · ``factor`` ≡ ``value`` (mod m) has a solution; it has one for m = ``modulus``, unless that is 0. Start with a
    modulus to have a known one; it shrinks if the pairs contradict it.
    """

    modulus: int = 0
    factor: int = 0
    value: int = 0

    def add(self, d: int, e: int) -> None:
        """One more pair. With g = u·factor + v·d, a·g ≡ u·value + v·e, of which both congruences must be multiples."""
        g, u, v = _bezout(self.factor, d)
        minor = (self.factor * e - d * self.value) // g if g else e
        self.modulus = gcd(self.modulus, minor)
        self.factor, self.value = g, u * self.value + v * e
        if not self.modulus:
            return
        self.value %= self.modulus
        # a prime may divide factor and modulus more often than value: then it divides m no more often than value
        while self.value % (g := gcd(self.factor, self.modulus)):
            self.modulus //= g // gcd(g, self.value)

    def multiplier(self) -> int:
        """The least a >= 0 for m = ``modulus``, which must not be 0."""
        a = solve(self.factor, self.value, self.modulus)
        assert a is not None, "the modulus was chosen so that there is one"
        return a


def solve(d: int, e: int, m: int) -> int | None:
    """The least a >= 0 with a d ≡ e (mod m), or None if there is none; all others are apart by m / gcd(d, m)."""
    g = gcd(d, m)
    return e // g * pow(d // g, -1, m // g) % (m // g) if e % g == 0 else None


def _bezout(x: int, y: int) -> tuple[int, int, int]:
    """g, u and v with g = gcd(x, y) = u x + v y, for x >= 0; they are x, 1 and 0 if x divides y."""
    if x and y % x == 0:
        return x, 1, 0
    (g, u, v), (h, s, t) = (x, 1, 0), (y, 0, 1)
    while h:
        quotient = g // h
        (g, u, v), (h, s, t) = (h, s, t), (g - quotient * h, u - quotient * s, v - quotient * t)
    return (g, u, v) if g >= 0 else (-g, -u, -v)
