"""Is it a quadratic or an inversive congruential generator that shows its whole state? By determinants, which the
modulus divides, and linear congruences in the coefficients.

x[t+1] = a x[t]² + b x[t] + c mod m is linear in a, b and c, and so is x[t] x[t+1] = a + c x[t] in a and c, which says
that x[t+1] = a x[t]**-1 + c. The rows of known numbers, such as (x[t]², x[t], 1, x[t+1]), are linearly dependent modulo
m, so that m divides every determinant of as many rows as columns.
"""

from collections.abc import Iterator
from itertools import pairwise

from unrandom.auditing.families.recovery import least_above
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.stream import Stream
from unrandom.core.arithmetic import is_prime
from unrandom.core.deadline import Deadline
from unrandom.generators.quadratic import Inversive, Quadratic
from unrandom.predictors.congruences import LinearSystem, multiple_of_modulus

DETERMINANTS = 4  # determinants whose greatest common divisor is taken
CHECKED = 2  # congruences beyond those that determine the coefficients
MAX_OUTPUTS = 64  # outputs used for recovery


class QuadraticSteps(Family):
    """x ← a x² + b x + c modulo any number, everything unknown."""

    name = "quadratic"
    about = "a quadratic congruential generator that shows its whole state; modulus and coefficients unknown"
    max_outputs = MAX_OUTPUTS
    any_width = True

    def needs(self, stream: Stream) -> int | None:
        return _needs(stream, 3)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            x = view.numbers
            rows = [[before * before, before, 1, after] for before, after in pairwise(x)]
            for m in _moduli(x, rows, stream.modulus or view.divisor, view.bits):
                deadline.check()
                if (found := _solved(rows, m)) is None:
                    continue
                generator = Quadratic(m, *found)
                if all(generator.step(before) == after for before, after in pairwise(x)):
                    a, b, c = found
                    yield Machine({"m": m, "a": a, "b": b, "c": c, "state": x[0]}, x[0], generator.step, view.show)


class InversiveSteps(Family):
    """x ← a x**-1 + c modulo a prime, everything unknown."""

    name = "inversive"
    about = "an inversive congruential generator that shows its whole state; modulus and coefficients unknown"
    max_outputs = MAX_OUTPUTS
    any_width = True

    def needs(self, stream: Stream) -> int | None:
        return _needs(stream, 2)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            x = view.numbers
            rows = [[1, before, before * after] for before, after in pairwise(x) if before]
            for m in _moduli(x, rows, stream.modulus or view.divisor, view.bits):
                deadline.check()
                if (found := _solved(rows, m)) is None:
                    continue
                generator = Inversive(m, *found)
                if all(generator.step(before) == after for before, after in pairwise(x)):
                    a, c = found
                    back = generator.back if a and is_prime(m) else None
                    yield Machine({"m": m, "a": a, "c": c, "state": x[0]}, x[0], generator.step, view.show, back)


def _needs(stream: Stream, unknowns: int) -> int | None:
    if stream.in_range or not any(view.bits > 2 for view in stream.views):
        return None
    if stream.modulus or stream.fractions:
        return unknowns + CHECKED + 1
    return unknowns + DETERMINANTS + 1


def _moduli(x: list[int], rows: list[list[int]], known: int | None, bits: int) -> list[int]:
    """Possible moduli: the known one alone, or a power of two and the one that the determinants have in common."""
    if len(x) < 2:
        return []
    if known:
        return [known] if known > max(x) else []
    found = least_above(max(x), multiple_of_modulus(rows, DETERMINANTS))
    return [m for m in dict.fromkeys((1 << bits, found)) if m > max(x)]


def _solved(rows: list[list[int]], m: int) -> list[int] | None:
    """Coefficients modulo m of the other columns that give the last one, in some more rows than needed."""
    if not rows:
        return None
    unknowns = len(rows[0]) - 1
    system = LinearSystem(unknowns, m)
    for *coefficients, value in rows[: unknowns + CHECKED]:
        system.add(coefficients, value)
    return system.solution()
