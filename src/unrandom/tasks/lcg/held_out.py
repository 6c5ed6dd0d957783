"""Draws the multipliers and increments of a modulus that are held out for testing, at random under the seed.

*Held out* is what is tested; *withheld* is what training must therefore not have.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.full_period import count_increments, count_multipliers, sample_increments, sample_multipliers
from unrandom.generators.primitive_roots import count_primitive_roots, sample_primitive_roots
from unrandom.tasks.lcg.config import LCGTask
from unrandom.tasks.lcg.supply import check_supply

Values = UInt64[np.ndarray, " values"]
Rows = Bool[np.ndarray, " values"]


@dataclass(frozen=True)
class HeldOut:
    """The multipliers and increments held out for one modulus; every pair has full period, or period m − 1."""

    modulus: int
    multipliers: UInt64[np.ndarray, " n_a"]
    increments: UInt64[np.ndarray, " n_c"]

    def halves(self) -> tuple["HeldOut", "HeldOut"]:
        """Two halves that share no increment and, if there are two or more multipliers, no multiplier."""
        a, c = self.multipliers, self.increments
        if len(c) < 2:
            raise UserError(
                f"modulus {self.modulus} has {len(c)} held-out increment; choosing by validation needs 2: set "
                "data.n_test_c=2 or more, and a larger modulus if that does not help"
            )
        first_a, second_a = (a[: len(a) // 2], a[len(a) // 2 :]) if len(a) > 1 else (a, a)
        middle = len(c) // 2
        return HeldOut(self.modulus, first_a, c[:middle]), HeldOut(self.modulus, second_a, c[middle:])

    @property
    def pairs(self) -> int:
        """The number of pairs (a, c)."""
        return len(self.multipliers) * len(self.increments)

    def has(self, a: Values, c: Values) -> Rows:
        """A mask of the rows that are held-out pairs."""
        return np.isin(a, self.multipliers) & np.isin(c, self.increments)

    def to_json(self) -> dict[str, Any]:
        return {"modulus": self.modulus, "a": self.multipliers.tolist(), "c": self.increments.tolist()}


@dataclass(frozen=True)
class Withheld:
    """What training must not have, at any modulus: the pairs (a, c) of the test, or all of its a and all of its c."""

    by_values: bool
    a: UInt64[np.ndarray, " multipliers"]  # all held-out multipliers of all moduli, sorted
    c: UInt64[np.ndarray, " increments"]  # all held-out increments of all moduli, sorted
    tested: tuple[HeldOut, ...]  # test and validation; configured further multipliers; primes tested with a = 1

    @cached_property
    def tested_a(self) -> Values:
        """All tested multipliers: ``a``, and 1 if a prime is tested on counting."""
        return np.unique(np.concatenate([part.multipliers for part in self.tested]))

    def rows(self, a: Values, c: Values) -> Rows:
        """A mask of the rows that are withheld."""
        if self.by_values:
            return np.isin(a, self.a) | np.isin(c, self.c)
        return np.logical_or.reduce([part.has(a, c) for part in self.tested])


def hold_out(task: LCGTask, modulus: int, seed: int, *, or_fewer: bool) -> HeldOut:
    """Draw the test parameters of one modulus, the configured number, or with ``or_fewer`` at most that number.

    With ``or_fewer``, the multiplier 1 is not held out if there is another, because it is the only full-period
    multiplier of most moduli; and by the rule ``values``, at most half of the existing values are held out, because a
    held-out value is excluded at every modulus. Otherwise raises UserError if there are too few.
    """
    n_a, n_c, left_out = task.n_test_a, task.n_test_c, task.named_multipliers
    by_roots = task.tested_by_primitive_roots(modulus)
    if or_fewer:
        all_a = count_primitive_roots(modulus) if by_roots else count_multipliers(modulus)
        left_out = (1,) if not by_roots and all_a > 1 else ()
        most_a, most_c = all_a - len(left_out), count_increments(modulus)
        if task.hold_out == "values":
            most_a, most_c = (all_a + 1) // 2, (most_c + 1) // 2
        n_a, n_c = min(n_a, most_a), min(n_c, most_c)
    else:
        check_supply(task, modulus)
    rng = stream(seed, "held out", modulus)
    if by_roots:
        multipliers = sample_primitive_roots(rng, modulus, n_a)
    else:
        multipliers = sample_multipliers(rng, modulus, n_a, exclude=left_out)
    return HeldOut(modulus, multipliers, sample_increments(rng, modulus, n_c))


def counting_parts(task: LCGTask, held_out: Sequence[HeldOut]) -> tuple[HeldOut, ...]:
    """For primes tested by primitive roots, the same increments with multiplier 1, whose sequences only count."""
    one = np.ones(1, dtype=np.uint64)
    return tuple(replace(part, multipliers=one) for part in held_out if task.tested_by_primitive_roots(part.modulus))
