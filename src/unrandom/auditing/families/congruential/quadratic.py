"""Recovers quadratic and inversive congruential generators that show their whole state, by determinants, which the
modulus divides, and linear congruences in the coefficients.

x[t+1] = a x[t]² + b x[t] + c mod m is linear in a, b and c, and so is x[t] x[t+1] = a + c x[t] in a and c, which says
that x[t+1] = a x[t]**-1 + c. The rows of known numbers, such as (x[t]², x[t], 1, x[t+1]), are linearly dependent modulo
m, so that m divides every determinant of as many rows as columns.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise, starmap
from math import log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.recovery import least_above
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.quadratic import Inversive, Quadratic
from unrandom.core.arithmetic import is_prime
from unrandom.predictors.congruences import LinearSystem, multiple_of_modulus

DETERMINANTS = 4  # determinants whose greatest common divisor is taken
CHECKED = 2  # congruences beyond those that determine the coefficients


@dataclass(eq=False)
class Steps(Family):
    """Generators of one kind, everything unknown. `row` are the known numbers of the congruence for a step from x to y,
    the constant last; empty if there is none.
    """

    name: str
    about: str
    kind: type[Quadratic] | type[Inversive]
    unknowns: int
    row: Callable[[int, int], list[int]]
    max_outputs = 64
    any_width = True
    of_own = True

    def needs(self, stream: Stream) -> int | None:
        if stream.in_range or not any(view.bits > 2 for view in stream.views):
            return None
        return self.unknowns + 1 + (CHECKED if stream.modulus or stream.fractions else DETERMINANTS)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            x = view.numbers
            rows = [row for row in starmap(self.row, pairwise(x)) if row]
            for m in _moduli(x, rows, stream.modulus or view.divisor, view.bits):
                deadline.check()
                if (found := _solved(rows, m)) is None:
                    continue
                generator = self.kind(m, *found)
                if all(generator.step(before) == after for before, after in pairwise(x)):
                    back = generator.back if isinstance(generator, Inversive) and generator.a and is_prime(m) else None
                    given = m == (stream.modulus or view.divisor)
                    free = (self.unknowns + 2 - given) * log2(m)
                    yield Machine({**asdict(generator), "state": x[0]}, x[0], generator.step, view.show, back, free)


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


QUADRATIC_STEPS = Steps(
    "quadratic",
    "a quadratic congruential generator that shows its whole state; modulus and coefficients unknown",
    Quadratic, 3, lambda x, y: [x * x, x, 1, y],
)  # fmt: skip
INVERSIVE_STEPS = Steps(
    "inversive",
    "an inversive congruential generator that shows its whole state; modulus and coefficients unknown",
    Inversive, 2, lambda x, y: [1, x, x * y] if x else [],
)  # fmt: skip
