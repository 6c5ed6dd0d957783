"""Recovers multiple recursive generators, each number a linear function of the last k, by determinants, which the
modulus divides, and a system of linear congruences.

x[i] = (a[1] x[i−1] + … + a[k] x[i−k] + c) mod m. The rows (x[i], …, x[i+k], 1) are linearly dependent modulo m, so that
every determinant of k + 2 of them is a multiple of m; the greatest common divisor of a few soon is m.
"""

from collections.abc import Iterator
from math import gcd, log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.recovery import least_above
from unrandom.auditing.family import Family, Generator, Recurrence
from unrandom.auditing.forms.stream import Stream, View
from unrandom.core.files import JsonObject
from unrandom.predictors.congruences import LinearSystem, multiple_of_modulus

MAX_ORDER = 8  # orders from 2 to this one are tried; order 1 is an LCG
DETERMINANTS = 4  # determinants whose greatest common divisor is taken


class MultipleRecursive(Family):
    """Orders 2 to 8 with a constant; modulus, coefficients and constant unknown."""

    name = "multiple-recursive"
    about = "a multiple recursive generator, a linear function of its last numbers; coefficients and modulus unknown"
    max_outputs = 2 * MAX_ORDER + DETERMINANTS + 2
    of_own = True

    def needs(self, stream: Stream) -> int | None:
        return 8 if any(view.bits > 1 for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for order in range(2, MAX_ORDER + 1):
                deadline.check()
                known = stream.modulus or view.divisor
                for m in _moduli(view, order, known):
                    yield from _generators(view, order, m, given=m == known)


def _moduli(view: View, order: int, known: int | None) -> list[int]:
    """Possible moduli: the known one, a power of two, and the one that the determinants have in common."""
    x = view.numbers
    if not x:
        return []
    moduli = [m for m in (known, 1 << view.bits) if m and len(x) >= 2 * order + 3]
    rows = [[*x[i : i + order + 1], 1] for i in range(min(len(x) - order, order + 1 + DETERMINANTS))]
    moduli.append(least_above(max(x), multiple_of_modulus(rows, DETERMINANTS)))
    return [m for m in dict.fromkeys(moduli) if m > max(x)]


def _generators(view: View, order: int, m: int, *, given: bool) -> Iterator[Generator]:
    """The generator with this modulus, given or not, if the congruences of all outputs have a solution."""
    x = view.numbers
    system = LinearSystem(order + 1, m)
    for i in range(order, len(x)):
        system.add([*reversed(x[i - order : i]), 1], x[i])
    solution = system.solution()
    if solution is None:
        return
    *coefficients, constant = solution
    *others, last = coefficients
    back = pow(last, -1, m) if gcd(last, m) == 1 else 0

    def following(window: list[int]) -> int:
        recent = reversed(window[-order:])
        return (sum(a * number for a, number in zip(coefficients, recent, strict=True)) + constant) % m

    def preceding(window: list[int]) -> int:
        recent = reversed(window[: order - 1])
        known = sum(a * number for a, number in zip(others, recent, strict=True))
        return (window[order - 1] - constant - known) * back % m

    parameters: JsonObject = {"m": m, "a": coefficients, "c": constant, "state": x[:order]}
    free = (2 * order + 2 - given) * log2(m)
    yield Recurrence(parameters, x[:order], following, view.show, preceding if back else None, free)
