"""Quadratic congruential sequences, x[t+1] = (a x[t]² + b x[t] + c) mod m, with unseen a and c.

All sequences have full period. The period is m for every seed if and only if c is coprime to m; a and b − 1 are
multiples of every odd prime of m; if m is even, a ≡ b − 1 modulo 2, and if 4 divides m, modulo 4, with a even; and
a ≢ 3c modulo 9 if 9 divides m (Knuth, The Art of Computer Programming 2, section 3.2.2, exercise 8; the tests check it
for small m).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd, prod
from typing import Annotated, ClassVar

import numpy as np
from jaxtyping import UInt64
from pydantic import Field, model_validator

from unrandom.core.arithmetic import factorize
from unrandom.core.errors import UserError
from unrandom.generators.full_period import draw_units, sample_distinct, sample_increments
from unrandom.predictors.congruences import LinearSystem
from unrandom.predictors.copying import CopyPredictor
from unrandom.predictors.protocol import Predictions, one_by_one
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Grouping, Parameters
from unrandom.tasks.facts import Baseline
from unrandom.tasks.held_values import HeldValuesTask, Values
from unrandom.tasks.task import TestCount


@dataclass(frozen=True)
class QuadraticParameters(Parameters):
    """Parameters (a, b, c, x0) of sequences of one modulus m <= 2^32."""

    units: ClassVar[Mapping[str, str]] = {"a": "quadratic coefficients", "c": "increments"}

    m: int
    a: UInt64[np.ndarray, " rows"]
    b: UInt64[np.ndarray, " rows"]
    c: UInt64[np.ndarray, " rows"]
    x0: UInt64[np.ndarray, " rows"]

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        """Exact in uint64 for m <= 2^32, as a x + b and (a x + b mod m) x + c are at most m (m − 1) < 2^64."""
        m = np.uint64(self.m)
        numbers = np.empty((len(self), length), dtype=np.uint64)
        x = self.x0
        for t in range(length):
            numbers[:, t] = x
            x = ((self.a * x + self.b) % m * x + self.c) % m
        return numbers

    @property
    def basis(self) -> int:
        return self.m

    def digit_period(self, prime: int, power: int) -> int:
        """The period of a digit is p^(power + 1), as for an LCG of full period."""
        return prime ** (power + 1)

    def groupings(self) -> list[Grouping]:
        """Groups by gcd(a, m), modulo which the generator is an LCG."""
        about = "modulo which the step is linear"
        return [Grouping.by_value("gcd(a, m)", about, np.gcd(self.a, np.uint64(self.m)))]


class QuadraticAlgebra:
    """Solves for (a, b, c) modulo a known m: three linear congruences in them, x[t]² a + x[t] b + c ≡ x[t+1]."""

    name = "algebraic"
    assumes = "the modulus, and that the step is quadratic"

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Guesses from the second number on, by any (a, b, c) that fits all numbers so far."""
        return one_by_one(sequences, self._guesses)

    def _guesses(self, seen: list[int]) -> Iterator[int | None]:
        m = self.modulus
        system = LinearSystem(3, m)
        for t, x in enumerate(seen):
            if t:
                before = seen[t - 1]
                system.add([before * before, before, 1], x)
            solution = system.solution()
            yield None if solution is None or not t else (solution[0] * x * x + solution[1] * x + solution[2]) % m


class Quadratic(HeldValuesTask):
    """Full-period quadratic steps of one modulus that are not linear."""

    name: ClassVar[str] = "quadratic"
    part_name: ClassVar[tuple[str, str]] = ("modulus", "moduli")

    modulus: Annotated[int, Field(ge=8, le=2**32)] = 256
    n_test_a: TestCount = 16  # coefficients a held out for the test
    n_test_c: TestCount = 16  # increments c held out for the test

    @property
    def vocabulary(self) -> int:
        return self.modulus

    @property
    def test_parts(self) -> tuple[int, ...]:
        return (self.modulus,)

    @property
    def _a_step(self) -> int:
        """Every a is a multiple of this number, which 9 divides if 9 divides m, so that a is never 3c modulo 9."""
        return self._odd_primes * (2 if self.modulus % 4 == 0 else 1) * (3 if self.modulus % 9 == 0 else 1)

    @property
    def _odd_primes(self) -> int:
        return prod(p for p in factorize(self.modulus) if p > 2)

    @property
    def _coefficients(self) -> int:
        """The number of coefficients a, without a = 0, which would be an LCG."""
        return self.modulus // self._a_step - 1

    def held_values(self, rng: np.random.Generator) -> Values:
        if (count := self._coefficients) <= self.n_test_a:
            raise UserError(f"modulus {self.modulus} has {count} coefficients a; n_test_a={self.n_test_a} leaves none")
        a = np.uint64(self._a_step) * (sample_distinct(rng, count, self.n_test_a) + np.uint64(1))
        return {"a": a, "c": sample_increments(rng, self.modulus, self.n_test_c)}

    def draw(self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]) -> QuadraticParameters:
        m, odd = self.modulus, self._odd_primes
        k = rng.integers(1, m // self._a_step, rows, dtype=np.uint64)
        a = given.get("a", np.uint64(self._a_step) * k)
        c = given["c"] if "c" in given else draw_units(rng, np.full(rows, m, dtype=np.uint64))
        even = gcd(m, 4)
        first = a * np.uint64(pow(odd, -1, even)) % np.uint64(even)  # b − 1 = odd k with k ≡ a / odd modulo 4, 2 or 1
        k = first + np.uint64(even) * rng.integers(0, m // (odd * even), rows, dtype=np.uint64)
        x0 = rng.integers(0, m, rows, dtype=np.uint64)
        return QuadraticParameters(m, a, np.uint64(1) + np.uint64(odd) * k, c, x0)

    def in_phase(self, phase: Phase) -> "Quadratic":
        if phase.modulus >= self.modulus:
            raise ValueError(f"curriculum: modulus {phase.modulus} is not below {self.modulus}")
        return self.replace(modulus=phase.modulus, curriculum=())

    def baselines(self) -> Mapping[str, Baseline]:
        return {
            "copy": Baseline("repeats what followed the current number before", CopyPredictor),
            "algebraic": Baseline("solves for the coefficients", lambda: QuadraticAlgebra(self.modulus)),
        }

    @property
    def rule(self) -> str:
        return f"x → (a x² + b x + c) mod {self.modulus:,}"

    @property
    def scope(self) -> str:
        return f"of a quadratic step modulo {self.modulus:,}"

    @property
    def unseen(self) -> str:
        return "coefficient a and increment c"

    @model_validator(mode="after")
    def _not_linear(self) -> "Quadratic":
        if not self._coefficients:
            raise ValueError(f"modulus={self.modulus} has no quadratic step of full period that is not linear")
        return self
