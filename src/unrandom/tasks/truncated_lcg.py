"""Truncated LCGs, whose outputs are only some bits of the state, with unseen increments.

The state is x[t+1] = (a x[t] + c) mod m, the output y[t] = ⌊x[t] / 2^low⌋ mod 2^bits, as real programs output the high
bits. The state is hidden: one output does not determine the next. Test sequences have increments (and, unless the
multiplier is fixed, multipliers) that training never has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from jaxtyping import UInt64
from pydantic import Field, model_validator

from unrandom.generators.full_period import (
    count_multipliers,
    draw_units,
    full_period_multipliers,
    has_full_period,
    multiplier_step,
    sample_increments,
    sample_multipliers,
)
from unrandom.generators.lcg import lcg_orbits
from unrandom.predictors.enumeration import FOR_REPORTS, MAX_HYPOTHESES, EnumeratedPosterior, hidden_lcg
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Parameters
from unrandom.tasks.facts import COPY, Baseline
from unrandom.tasks.held_values import HeldValuesTask, Values
from unrandom.tasks.skipping import SkippingShare, check_skips, let_skip
from unrandom.tasks.task import TestCount


@dataclass(frozen=True)
class WindowedParameters(Parameters):
    """Parameters of LCGs of one modulus that output ``bits`` bits of their state, from bit ``low`` on."""

    units: ClassVar[Mapping[str, str]] = {"a": "multipliers", "c": "increments"}

    m: int
    low: int
    bits: int
    a: UInt64[np.ndarray, " rows"]
    c: UInt64[np.ndarray, " rows"]
    x0: UInt64[np.ndarray, " rows"]

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        states = lcg_orbits(self.x0, a=self.a, c=self.c, m=self.m, length=length)
        return (states >> np.uint64(self.low)) & np.uint64((1 << self.bits) - 1)

    @property
    def basis(self) -> int:
        return 1 << self.bits

    def digit_period(self, prime: int, power: int) -> int | None:
        """The period of bit low + power of the state; None unless twice that bit's weight divides the modulus."""
        period = prime ** (self.low + power + 1)
        return None if self.m % period else period


class TruncatedLCG(HeldValuesTask):
    """Full-period LCGs of one modulus that output a window of their state."""

    name: ClassVar[str] = "truncated-lcg"
    part_name: ClassVar[tuple[str, str]] = ("modulus", "moduli")

    modulus: Annotated[int, Field(ge=4, le=2**63)] = 2**10
    low: Annotated[int, Field(ge=0, le=63)] = 4  # lowest bit of the state in the output
    bits: Annotated[int, Field(ge=1, le=63)] = 6  # number of bits in the output
    multiplier: Annotated[int, Field(ge=1, le=2**64 - 1)] | None = (
        None  # the same in all sequences; None: drawn for each
    )
    n_test_a: TestCount = 16  # multipliers held out for the test, unless the multiplier is fixed
    n_test_c: TestCount = 16  # increments held out for the test
    skipping_share: SkippingShare = 0.0

    added_later: ClassVar[frozenset[str]] = HeldValuesTask.added_later | {"skipping_share"}

    @property
    def vocabulary(self) -> int:
        return 1 << self.bits

    @property
    def test_parts(self) -> tuple[int, ...]:
        return (self.modulus,)

    def held_values(self, rng: np.random.Generator) -> Values:
        held = {"c": sample_increments(rng, self.modulus, self.n_test_c)}
        return held if self.multiplier else {"a": sample_multipliers(rng, self.modulus, self.n_test_a), **held}

    def draw(self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]) -> WindowedParameters:
        m = self.modulus
        k = rng.integers(0, count_multipliers(m) - 1, rows, dtype=np.uint64, endpoint=True)
        fixed = None if self.multiplier is None else np.full(rows, self.multiplier, dtype=np.uint64)
        a = given.get("a", np.uint64(1) + np.uint64(multiplier_step(m)) * k) if fixed is None else fixed
        c = given["c"] if "c" in given else draw_units(rng, np.full(rows, m, dtype=np.uint64))
        x0 = rng.integers(0, m - 1, rows, dtype=np.uint64, endpoint=True)
        if self.skipping_share and "c" not in given:
            c, x0 = let_skip(rng, self.skipping_share, m, a, c, x0)
        return WindowedParameters(m, self.low, self.bits, a, c, x0)

    def in_phase(self, phase: Phase) -> "TruncatedLCG":
        """The same number of bits, as far from the highest of a smaller power of two; of the same, if it skips."""
        size = self.modulus.bit_length() - 1
        bits = phase.bits(max(2, size - self.low), size - (not phase.skipping))
        share = 1.0 if phase.skipping else self.skipping_share
        return self.replace(modulus=1 << bits, low=self.low - (size - bits), curriculum=(), skipping_share=share)

    def baselines(self) -> Mapping[str, Baseline]:
        """Copying, algebra if the low bits are seen, a lattice attack if the multiplier is fixed, and the posterior if
        the modulus is a power of two with few enough states.
        """
        from unrandom.predictors.algebraic import AlgebraicPredictor
        from unrandom.predictors.lattice import LatticePredictor

        found = {"copy": COPY}
        if self.low == 0 and self.modulus % (1 << self.bits) == 0:
            about = "solves for the parameters modulo 2^bits, as the low bits are an LCG"
            found["algebraic"] = Baseline(about, lambda: AlgebraicPredictor(1 << self.bits))
        if (a := self.multiplier) is not None:
            about = "finds the hidden state by lattice reduction, given the multiplier"
            lattice = lambda: LatticePredictor(self.modulus, a, low=self.low, bits=self.bits)  # noqa: E731
            found["lattice"] = Baseline(about, lattice)
        if (m := self.modulus) <= 2**16 and not m & (m - 1) and (count := self._hypotheses) <= MAX_HYPOTHESES:
            about = "tries all states and parameters"
            found["bayes"] = Baseline(about, self._posterior, in_reports=count <= FOR_REPORTS)
        return found

    @property
    def _multipliers(self) -> Sequence[int]:
        return full_period_multipliers(self.modulus) if self.multiplier is None else (self.multiplier % self.modulus,)

    @property
    def _hypotheses(self) -> int:
        """The number of pairs of states and multipliers that fit two outputs and an odd increment."""
        return (self.modulus >> self.bits) ** 2 * len(self._multipliers) // 2

    def _posterior(self) -> EnumeratedPosterior:
        states = np.arange(self.modulus, dtype=np.uint32)
        known = "the modulus" if self.multiplier is None else "the modulus, the multiplier"
        return hidden_lcg(
            (states >> np.uint32(self.low)) & np.uint32(self.vocabulary - 1),
            np.array(self._multipliers, dtype=np.uint32),
            vocabulary=self.vocabulary,
            assumes=f"{known}, and that states and parameters of full period are uniform",
        )

    @property
    def rule(self) -> str:
        return f"x → (a x + c) mod {self.modulus:,}, of which bits {self.low} to {self.low + self.bits - 1} are seen"

    @property
    def scope(self) -> str:
        return f"({self.bits} bits of the state of an LCG modulo {self.modulus:,})"

    @property
    def unseen(self) -> str:
        return "increment c" if self.multiplier else "multiplier a and increment c"

    @model_validator(mode="after")
    def _window(self) -> "TruncatedLCG":
        size = (self.modulus - 1).bit_length()
        if self.low + self.bits > size:
            raise ValueError(f"bits {self.low} to {self.low + self.bits - 1} were asked for; a state has {size}")
        if self.multiplier is not None and not has_full_period(self.multiplier, 1, self.modulus):
            raise ValueError(f"multiplier={self.multiplier} has no full period modulo {self.modulus}")
        if self.skipping_share:
            check_skips(self.modulus)
        return self
