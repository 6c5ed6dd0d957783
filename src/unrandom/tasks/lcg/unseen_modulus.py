"""The unseen-modulus task (UM): LCGs of many moduli; the test moduli are never trained on.

Source: the paper's section "Dataset Generation and Evaluation".
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, model_validator

from unrandom.core.quantities import listed
from unrandom.core.seeds import stream
from unrandom.generators.full_period import sample_distinct
from unrandom.tasks.curriculum import Modulus, Phase
from unrandom.tasks.facts import Baseline, KnownFrom
from unrandom.tasks.lcg.config import SKIPPING, LCGTask
from unrandom.tasks.lcg.held_out import counting_parts, hold_out
from unrandom.tasks.lcg.split import LCGSplit
from unrandom.tasks.task import Count

LARGEST_POSTERIOR = 2**13  # up to this modulus, the exact posterior is fast enough for reports
MODULI_NAMED = 4  # more moduli are described by their range


class UnseenModulus(LCGTask):
    """UM: many training moduli; test sequences have unseen moduli and unseen (a, c), and full period."""

    name: ClassVar[str] = "um"
    kind: ClassVar[str] = "unseen moduli"
    unseen_moduli: ClassVar[bool] = True

    test_moduli: tuple[Modulus, ...] = Field(min_length=1)
    validation_moduli: tuple[Modulus, ...] = ()  # also held out, for choosing settings
    n_m: Count | None = None  # training moduli drawn from the range; None: all of them
    min_modulus: Modulus | None = None  # None: context, as in the paper
    max_modulus: Modulus | None = None  # None: floor(1.2 x the largest test modulus), as in the paper

    @property
    def moduli(self) -> tuple[int, ...]:
        return self.test_moduli

    @property
    def held_out_moduli(self) -> tuple[int, ...]:
        """Test and validation moduli, each once."""
        return tuple(dict.fromkeys((*self.test_moduli, *self.validation_moduli)))

    @property
    def smallest_modulus(self) -> int:
        return self.context if self.min_modulus is None else self.min_modulus

    @property
    def largest_modulus(self) -> int:
        return max(self.test_moduli) * 6 // 5 if self.max_modulus is None else self.max_modulus

    def split(self, seed: int) -> LCGSplit:
        held_out = tuple(hold_out(self, m, seed, or_fewer=True) for m in dict.fromkeys(self.test_moduli))
        validation = tuple(hold_out(self, m, seed, or_fewer=True) for m in dict.fromkeys(self.validation_moduli))
        low, high, moduli = self.smallest_modulus, self.largest_modulus, self.held_out_moduli
        offsets = sample_distinct(
            stream(seed, "train moduli"),
            high - low + 1,
            high - low + 1 if self.n_m is None else min(high - low + 1, self.n_m + len(moduli)),
        )
        drawn = [low + int(offset) for offset in offsets if low + int(offset) not in moduli]
        counting = counting_parts(self, held_out)
        return LCGSplit(self, seed, held_out, tuple(sorted(drawn[: self.n_m])), validation, (), counting)

    def in_phase(self, phase: Phase) -> "UnseenModulus":
        return self.replace(curriculum=(), **SKIPPING) if phase.skipping else self

    def moduli_in_phase(self, phase: Phase, train_moduli: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(m for m in train_moduli if m <= phase.modulus)

    def baselines(self) -> Mapping[str, Baseline]:
        """Copying, a fixed look-back, algebra, and the exact posterior, which knows the range of the moduli.

        The prior of bayes is the distribution of the test sequences: full-period (a, c), and arbitrary ones for a prime
        that is tested with primitive roots. It does not know which pairs are held out.
        """
        from unrandom.predictors.algebraic import AlgebraicPredictor
        from unrandom.predictors.bayes_unseen import BayesUnseen
        from unrandom.predictors.copying import CopyPredictor
        from unrandom.predictors.fixed_lookback import FixedLookback

        moduli = range(self.smallest_modulus, self.largest_modulus + 1)
        arbitrary_for_primes = self.test_multipliers == "primitive-root"
        stride = self.best_stride
        return {
            "copy": Baseline("repeats what followed the current number before", CopyPredictor),
            "fixed-lookback": Baseline(
                f"extrapolates from {stride} and {2 * stride} numbers before, the same for every modulus",
                lambda: FixedLookback(stride),
                numbered=FixedLookback,
            ),
            "algebraic": Baseline("solves for the parameters", AlgebraicPredictor),
            "bayes": Baseline(
                "is the exact posterior, given how the test sequences are drawn: the ceiling",
                lambda: BayesUnseen(moduli, arbitrary_for_primes=arbitrary_for_primes),
                in_reports=self.largest_modulus <= LARGEST_POSTERIOR,
            ),
        }

    @property
    def rule(self) -> str:
        return "x → (a x + c) mod m, with many moduli m"

    @property
    def scope(self) -> str:
        moduli = sorted(self.test_moduli)
        if len(moduli) > MODULI_NAMED:
            several = f"one of {len(moduli)} moduli from {moduli[0]:,} to {moduli[-1]:,}"
        else:
            several = listed([f"{modulus:,}" for modulus in moduli], "or")
        return f"modulo {several}, never seen in training,"

    @property
    def unseen(self) -> str:
        return "modulus m, multiplier a and increment c"

    @property
    def enough(self) -> tuple[KnownFrom, ...]:
        return (KnownFrom(3, 1.0, "modulus known: three would do"), KnownFrom(6, 0.975, "modulus unknown: about six"))

    @property
    def enough_text(self) -> str:
        return "With an unknown modulus, about six numbers are enough in principle, and three with a known one."

    @property
    def embedding_modulus(self) -> int | None:
        return self.base

    @property
    def training_set_rows(self) -> int:
        if self.mode == "streaming" or self.n_sequences is not None:
            return super().training_set_rows
        moduli = self.n_m or self.largest_modulus - self.smallest_modulus + 1
        return moduli * (self.n_a or 1) * (self.n_c or 1)

    @model_validator(mode="after")
    def _range(self) -> "UnseenModulus":
        low, high = self.smallest_modulus, self.largest_modulus
        if high > 2**32:
            raise ValueError(f"training moduli up to {high} were asked for; up to 2^32 are allowed in UM")
        if max(self.held_out_moduli) > high:
            raise ValueError(f"held-out modulus {max(self.held_out_moduli)} is larger than max_modulus={high}")
        if both := sorted(set(self.test_moduli) & set(self.validation_moduli)):
            raise ValueError(f"{both[0]} is both a test modulus and a validation modulus")
        if self.n_m is None and high - low >= 2**20:
            raise ValueError(
                f"data.n_m=none trains on every modulus of [{low}, {high}]; give data.n_m beyond 2^20 of them"
            )
        if easy := [phase.modulus for phase in self.curriculum if phase.modulus < low]:
            raise ValueError(f"curriculum: no training modulus is as small as {easy[0]}; they begin at {low}")
        free = high - low + 1 - sum(low <= m <= high for m in self.held_out_moduli)
        if free < (self.n_m or 1):
            do = f"set data.n_m={free} or less, or raise data.max_modulus" if free > 0 else "raise data.max_modulus"
            raise ValueError(
                f"{self.n_m or 1} training moduli were asked for; [{low}, {high}] leaves {max(free, 0)}: {do}"
            )
        return self
