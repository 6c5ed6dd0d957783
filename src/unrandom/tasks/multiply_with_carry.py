"""How are multiply-with-carry generators learned, x[t+1] = (a x[t] + carry) mod 2^k? With unseen multipliers.

The next carry is the quotient ⌊(a x[t] + carry) / 2^k⌋, which is below a if the first one is. The outputs are x, and
the carry is hidden. The states (x, carry) = (0, 0) and (2^k − 1, a − 1) step to themselves for every a, and are not
drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from jaxtyping import Bool, Float, Integer, UInt64
from pydantic import Field

from unrandom.core.errors import UserError
from unrandom.generators.full_period import draw_below, sample_distinct
from unrandom.predictors.enumeration import CHUNK, FOR_REPORTS, MAX_HYPOTHESES, EnumeratedPosterior, Hypotheses
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Parameters
from unrandom.tasks.facts import COPY, Baseline
from unrandom.tasks.held_values import HeldValuesTask, Values
from unrandom.tasks.task import TestCount


@dataclass(frozen=True)
class MultiplyWithCarryParameters(Parameters):
    """Multipliers and first states of generators modulo 2^bits."""

    units: ClassVar[Mapping[str, str]] = {"a": "multipliers"}

    bits: int
    a: UInt64[np.ndarray, " rows"]
    x0: UInt64[np.ndarray, " rows"]
    carry: UInt64[np.ndarray, " rows"]

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        """Exact in uint64 for at most 32 bits, as a x + carry < 2^64."""
        numbers = np.empty((len(self), length), dtype=np.uint64)
        x, carry = self.x0, self.carry
        for t in range(length):
            numbers[:, t] = x
            total = self.a * x + carry
            x, carry = total & np.uint64(2**self.bits - 1), total >> np.uint64(self.bits)
        return numbers

    @property
    def basis(self) -> int:
        return 1 << self.bits


class MultiplyWithCarry(HeldValuesTask):
    """Multiply-with-carry generators of one modulus 2^bits, with lag 1."""

    name: ClassVar[str] = "multiply-with-carry"

    bits: Annotated[int, Field(ge=2, le=32)] = 6  # k: numbers and multipliers are below 2^k
    n_test_a: TestCount = 16  # multipliers held out for the test

    @property
    def vocabulary(self) -> int:
        return 1 << self.bits

    def held_values(self, rng: np.random.Generator) -> Values:
        if (count := 2**self.bits - 2) <= self.n_test_a:
            raise UserError(f"{self.bits} bits have {count} multipliers; n_test_a={self.n_test_a} leaves none")
        return {"a": np.uint64(2) + sample_distinct(rng, count, self.n_test_a)}

    def draw(
        self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]
    ) -> MultiplyWithCarryParameters:
        a = given["a"] if "a" in given else np.uint64(2) + draw_below(rng, 2**self.bits - 2, rows)
        state = rng.integers(1, (a << np.uint64(self.bits)) - np.uint64(1), dtype=np.uint64)  # neither 0 nor the last
        carry, x0 = np.divmod(state, np.uint64(1 << self.bits))
        return MultiplyWithCarryParameters(self.bits, a, x0, carry)

    def in_phase(self, phase: Phase) -> "MultiplyWithCarry":
        """A smaller base."""
        return self.replace(bits=phase.bits(2, self.bits - 1), curriculum=())

    def baselines(self) -> Mapping[str, Baseline]:
        """Copying and, if there are few enough states, the posterior."""

        found = {"copy": COPY}
        if (count := 2 ** (2 * self.bits - 1)) <= MAX_HYPOTHESES:
            about = "tries all multipliers and carries"
            found["bayes"] = Baseline(about, self._posterior, in_reports=count <= FOR_REPORTS)
        return found

    def _posterior(self) -> EnumeratedPosterior:
        """The posterior, whose multipliers are equally probable, and the states of each."""
        base, bits = 1 << self.bits, np.uint32(self.bits)
        multipliers = np.arange(2, base, dtype=np.uint32)

        def begin(seen: Sequence[int]) -> Iterator[Hypotheses]:
            for some in np.array_split(multipliers, -(-base * base // 2 // CHUNK)):
                a = np.repeat(some, some)
                first = np.repeat(np.cumsum(some, dtype=np.uint32) - some, some)
                carry = np.arange(len(a), dtype=np.uint32) - first
                moves = self._moves(np.uint32(seen[0]), carry, a)
                a, carry = a[moves], carry[moves]
                yield np.full(len(a), seen[0], dtype=np.uint32), carry, a

        def step(states: Hypotheses) -> Hypotheses:
            x, carry, a = states
            total = a * x + carry
            return total & np.uint32(base - 1), total >> bits, a

        def weights(states: Hypotheses) -> Float[np.ndarray, " hypotheses"]:
            return 1.0 / (states[2] * float(base) - 2)

        return EnumeratedPosterior(
            begin,
            step,
            lambda states: states[0],
            vocabulary=base,
            assumes=f"that multipliers below 2^{self.bits} are uniform, and so are the states of each",
            weights=weights,
        )

    def _moves(
        self, x: np.unsignedinteger, carry: Integer[np.ndarray, " n"], a: Integer[np.ndarray, " n"]
    ) -> Bool[np.ndarray, " n"]:
        """Whether a state is none of the two that step to themselves whatever a is."""
        return ((x != 0) | (carry != 0)) & ((x != 2**self.bits - 1) | (carry != a - np.uint32(1)))

    @property
    def rule(self) -> str:
        return f"x → (a x + carry) mod {2**self.bits:,}, with the quotient as the next carry"

    @property
    def scope(self) -> str:
        return f"of a multiply-with-carry generator modulo {2**self.bits:,}"

    @property
    def unseen(self) -> str:
        return "multiplier a"
