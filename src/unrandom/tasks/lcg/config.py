"""Settings that the LCG tasks share: how training sequences are drawn, and what is held out.

Source: the paper's section "Dataset Generation and Evaluation", and its appendix on dataset construction.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from unrandom.core.arithmetic import is_prime
from unrandom.generators.stride import best_stride
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.skipping import SkippingShare
from unrandom.tasks.task import Count, Task, TestCount

SKIPPING = {"full_period_share": 1.0, "skipping_share": 1.0}  # settings with which every row skips
Multiplier = Annotated[int, Field(ge=1, le=2**64 - 1)]
Period = Annotated[int, Field(ge=1, le=2**64 - 1)]


class LCGTask(Task):
    """Sequences x[t+1] = (a x[t] + c) mod m. Test sequences have full period, and (a, c) that training never has."""

    part_name: ClassVar[tuple[str, str]] = ("modulus", "moduli")
    # True: test moduli are never trained on. False: there is one modulus, and (a, c) are held out.
    unseen_moduli: ClassVar[bool]

    n_sequences: Count | None = 100_000  # size of a fixed training set; None: every (m, a, c) of n_m x n_a x n_c once
    n_a: Count | None = None  # multipliers per modulus and kind of row; None: all that are not held out
    n_c: Count | None = None  # increments per modulus; None: all that are not held out
    full_period_share: Annotated[float, Field(ge=0, le=1)] = 0.0  # share of every batch; the rest has arbitrary (a, c)
    # Share of the uniformly drawn full-period rows with multiplier 1, whose sequences only count. None: as drawn.
    counting_share: Annotated[float, Field(ge=0, le=1)] | None = None
    # Share of the full-period rows that are balanced over the look-back r = m / gcd(m, a - 1), after which the
    # differences x[t+1] - x[t] repeat: r is drawn first, uniformly, and then a. (Most a have the longest r.)
    balanced_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    # Share of the full-period rows that skip instead: x = q y + K, where y has full period modulo m / q. Its low digits
    # stand still, as along the paper's r-step sequences. Of these rows, too, balanced_share are balanced: over y's r.
    skipping_share: SkippingShare = 0.0
    largest_skip: Annotated[int, Field(ge=2, le=2**63)] | None = None  # of these rows' q; None: any divisor
    # Share of the other rows with a multiplier coprime to the modulus: their sequences return to x0.
    coprime_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    min_period: Period | None = None  # shortest period of training sequences
    max_period: Period | None = None  # longest period of training sequences
    n_test_a: TestCount = 64  # multipliers tested per test modulus (for unseen moduli, fewer if fewer exist)
    n_test_c: TestCount = 64  # increments tested per test modulus, likewise
    # What training must not have, at any modulus. pairs: no pair (a, c) of the test, as in the paper's unseen moduli;
    # values: no a and no c of the test.
    hold_out: Literal["pairs", "values"] = "values"
    test_multipliers: Literal["full-period", "primitive-root"] = "full-period"  # primitive roots for prime moduli

    added_later: ClassVar[frozenset[str]] = Task.added_later | {
        "balanced_share",
        "coprime_share",
        "counting_share",
        "hold_out",
        "largest_skip",
        "skipping_share",
    }

    @property
    @abstractmethod
    def largest_modulus(self) -> int:
        """The largest modulus of training and test."""

    @property
    def smallest_modulus(self) -> int:
        """The smallest modulus that training may have, not counting the phases of a curriculum."""
        return self.largest_modulus

    @property
    @abstractmethod
    def moduli(self) -> tuple[int, ...]:
        """The test moduli."""

    @property
    def best_stride(self) -> int:
        """The look-back of one distance for all moduli that predicts the largest share of the test's multipliers."""
        return best_stride(self.moduli, self.context)

    @abstractmethod
    def in_phase(self, phase: Phase) -> "LCGTask":
        """The task of a phase's easier sequences."""

    @abstractmethod
    def moduli_in_phase(self, phase: Phase, train_moduli: tuple[int, ...]) -> tuple[int, ...]:
        """The training moduli of a phase."""

    @property
    def vocabulary(self) -> int:
        return self.largest_modulus

    @property
    def test_parts(self) -> tuple[int, ...]:
        return self.moduli

    @property
    def one_modulus(self) -> int | None:
        """The modulus of every training sequence; None if there are several."""
        return None if self.unseen_moduli else self.largest_modulus

    @property
    def named_multipliers(self) -> tuple[int, ...]:
        """Multipliers that the configuration holds out explicitly."""
        return ()

    def contradiction(self, numbers: Sequence[int]) -> str | None:
        from unrandom.tasks.lcg import contradictions  # imported on use: they solve for parameters

        if self.one_modulus is None:
            return contradictions.of_moduli(numbers, self.smallest_modulus, self.largest_modulus)
        only_full = self.full_period_share == 1 and self.skipping_share == 0
        return contradictions.of_modulus(numbers, self.one_modulus, full_period=only_full)

    def tested_by_primitive_roots(self, modulus: int) -> bool:
        """Whether this test modulus is tested with primitive roots (among unseen moduli, only primes are)."""
        asked = self.test_multipliers == "primitive-root"
        return asked and (not self.unseen_moduli or is_prime(modulus))

    @model_validator(mode="after")
    def _consistent(self) -> "LCGTask":
        if self.min_period and self.max_period and self.min_period > self.max_period:
            raise ValueError(f"min_period={self.min_period} is larger than max_period={self.max_period}")
        if self.mode == "fixed" and self.n_sequences is None:
            if self.n_a is None or self.n_c is None:
                raise ValueError("n_sequences=none takes every (a, c) of n_a x n_c: give both n_a and n_c")
            if self.full_period_share not in (0.0, 1.0):
                raise ValueError("n_sequences=none takes every (a, c) once: full_period_share must be 0 or 1")
        of_full = {
            "balanced_share": self.balanced_share > 0,
            "skipping_share": self.skipping_share > 0,
            "counting_share": self.counting_share is not None,
        }
        if self.full_period_share == 0 and (lost := [name for name, is_given in of_full.items() if is_given]):
            raise ValueError(f"{lost[0]} is of the rows of full period: give full_period_share, too")
        if self.balanced_share > 0 and self.n_a is not None:
            raise ValueError("balanced_share needs n_a=none: its rows draw from all multipliers of a look-back")
        some_skip = self.skipping_share > 0 or any(phase.skipping for phase in self.curriculum)
        if self.largest_skip is not None and not some_skip:
            raise ValueError("largest_skip is of the rows that skip: give skipping_share, too, or a phase that skips")
        if self.skipping_share > 0 and (self.n_a is not None or self.n_c is not None):
            raise ValueError("rows that skip need n_a=none and n_c=none: they draw from smaller moduli")
        for phase in self.curriculum:
            if phase.modulus > self.largest_modulus:
                raise ValueError(f"curriculum: modulus {phase.modulus} is larger than the largest of the run")
        return self
