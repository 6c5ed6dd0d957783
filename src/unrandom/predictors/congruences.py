"""Finds the parameters that explain a sequence by linear congruences, in one unknown (m unknown) or several (m known).

The differences d[i] = x[i+1] − x[i] of an LCG fulfil d[i+1] ≡ a d[i] (mod m). So m divides every minor
d[i] d[j+1] − d[j] d[i+1], and their greatest common divisor soon equals m (Plumstead 1982; Boyar 1989).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd


@dataclass
class Congruences:
    """The constraints on a and m that follow from a·d ≡ e (mod m), for the pairs (d, e) added so far.

    A modulus m explains the pairs if and only if it divides ``modulus`` (0 means no constraint yet) and
    a · ``factor`` ≡ ``value`` (mod m) has a solution; it has one for m = ``modulus``, unless that is 0. To use a known
    modulus, pass it as ``modulus``; it is reduced to a divisor if the pairs contradict it.
    """

    modulus: int = 0
    factor: int = 0
    value: int = 0

    def add(self, d: int, e: int) -> None:
        """Add a pair. With g = u·factor + v·d, both are multiples of a·g ≡ u·value + v·e."""
        g, u, v = _bezout(self.factor, d)
        minor = (self.factor * e - d * self.value) // g if g else e
        self.modulus = gcd(self.modulus, minor)
        self.factor, self.value = g, u * self.value + v * e
        if not self.modulus:
            return
        self.value %= self.modulus
        # A prime may divide factor and modulus more often than value: then it divides m at most as often as value.
        while self.value % (g := gcd(self.factor, self.modulus)):
            self.modulus //= g // gcd(g, self.value)

    def multiplier(self) -> int:
        """The least a >= 0 for m = ``modulus``, which must not be 0."""
        a = solve(self.factor, self.value, self.modulus)
        assert a is not None, "the congruence is solvable for this modulus"
        return a


def solve(d: int, e: int, m: int) -> int | None:
    """The least a >= 0 with a d ≡ e (mod m), or None if there is none; solutions are m / gcd(d, m) apart."""
    g = gcd(d, m)
    return e // g * pow(d // g, -1, m // g) % (m // g) if e % g == 0 else None


def multiple_of_modulus(rows: Sequence[Sequence[int]], determinants: int) -> int:
    """A multiple of every modulus for which the columns are linearly dependent with the same factors in all rows:
    the greatest common divisor of determinants of blocks of successive rows. 0 if there are too few rows, or if the
    columns are dependent modulo every number."""
    from flint import fmpz_mat  # imported on use: training needs no determinants

    size = len(rows[0]) if rows else 0
    if not size or len(rows) < size + determinants - 1:
        return 0
    blocks = (rows[start : start + size] for start in range(determinants))
    return gcd(*(int(fmpz_mat([list(row) for row in block]).det()) for block in blocks))


class LinearSystem:
    """A system of linear congruences r · v ≡ y (mod m) in several unknowns v, added one by one.

    The rows (r, y) are stored in Howell form: at most one row per unknown, with zeros before it, such that every
    combination of rows that begins with j zeros is a combination of the rows from unknown j on. A solution then follows
    by back substitution, from the last unknown to the first.
    """

    def __init__(self, unknowns: int, modulus: int) -> None:
        self.unknowns, self.modulus = unknowns, modulus
        # by the first unknown of the row; a row under `unknowns` is a contradiction 0 ≡ y
        self._rows: dict[int, list[int]] = {}

    def add(self, coefficients: Sequence[int], value: int) -> None:
        """Add a congruence."""
        pending = [[number % self.modulus for number in (*coefficients, value)]]
        while pending:
            row = pending.pop()
            first = next((j for j, number in enumerate(row) if number), None)
            if first is None:
                continue
            stored = self._rows.get(first, [0] * len(row))
            g, u, v = _bezout(stored[first], row[first])
            new = self._combined(stored, u, row, v)
            self._rows[first] = new
            annihilator = self.modulus // gcd(g, self.modulus)  # the factor that makes the leading entry 0
            pending += [
                self._combined(stored, row[first] // g, row, -(stored[first] // g)),
                *([self._combined(new, annihilator, row, 0)] if new != stored else []),
            ]

    def _combined(self, one: list[int], times: int, other: list[int], times_other: int) -> list[int]:
        return [(times * x + times_other * y) % self.modulus for x, y in zip(one, other, strict=True)]

    def solution(self) -> list[int] | None:
        """Values of the unknowns, each the least possible given later unknowns; None if there is no solution."""
        if self.unknowns in self._rows:
            return None
        values = [0] * self.unknowns
        for j in reversed(range(self.unknowns)):
            if j not in self._rows:
                continue
            row = self._rows[j]
            rest = row[-1] - sum(r * v for r, v in zip(row[j + 1 : -1], values[j + 1 :], strict=True))
            value = solve(row[j], rest, self.modulus)
            assert value is not None, "rows in Howell form are solvable"
            values[j] = value
        return values


def _bezout(x: int, y: int) -> tuple[int, int, int]:
    """g, u and v with g = gcd(x, y) = u x + v y, for x >= 0; they are x, 1 and 0 if x divides y."""
    if x and y % x == 0:
        return x, 1, 0
    (g, u, v), (h, s, t) = (x, 1, 0), (y, 0, 1)
    while h:
        quotient = g // h
        (g, u, v), (h, s, t) = (h, s, t), (g - quotient * h, u - quotient * s, v - quotient * t)
    return (g, u, v) if g >= 0 else (-g, -u, -v)
