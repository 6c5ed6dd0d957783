"""The fixed-modulus task (FM): LCGs of one modulus; the test has unseen multipliers and increments.

Source: the paper's section "Dataset Generation and Evaluation".
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import model_validator

from unrandom.core.errors import UserError
from unrandom.generators.full_period import full_period_multipliers
from unrandom.tasks.curriculum import Modulus, Phase
from unrandom.tasks.facts import Baseline, KnownFrom
from unrandom.tasks.lcg.config import SKIPPING, LCGTask, Multiplier
from unrandom.tasks.lcg.held_out import counting_parts, hold_out
from unrandom.tasks.lcg.split import LCGSplit
from unrandom.tasks.skipping import check_skips
from unrandom.tasks.task import BYTES_PER_PARAMETER


class FixedModulus(LCGTask):
    """FM: one modulus; test sequences have unseen (a, c) and full period."""

    name: ClassVar[str] = "fm"
    kind: ClassVar[str] = "a fixed modulus"
    unseen_moduli: ClassVar[bool] = False

    modulus: Modulus
    extra_test_multipliers: tuple[Multiplier, ...] = ()  # also held out, and tested separately

    added_later: ClassVar[frozenset[str]] = LCGTask.added_later | {"extra_test_multipliers"}

    @property
    def moduli(self) -> tuple[int, ...]:
        return (self.modulus,)

    @property
    def largest_modulus(self) -> int:
        return self.modulus

    @property
    def named_multipliers(self) -> tuple[int, ...]:
        """Raises UserError for a multiplier without full period."""
        for a in self.extra_test_multipliers:
            if a not in full_period_multipliers(self.modulus):
                raise UserError(f"extra test multiplier {a} has no full period modulo {self.modulus}")
        return self.extra_test_multipliers

    def split(self, seed: int) -> LCGSplit:
        held_out = (hold_out(self, self.modulus, seed, or_fewer=False),)
        counting = counting_parts(self, held_out)
        return LCGSplit(self, seed, held_out, self.moduli, (), self.named_multipliers, counting)

    def in_phase(self, phase: Phase) -> "FixedModulus":
        rows = SKIPPING if phase.skipping else {"largest_skip": self.largest_skip if self.skipping_share else None}
        return self.replace(modulus=phase.modulus, curriculum=(), extra_test_multipliers=(), **rows)

    def moduli_in_phase(self, phase: Phase, train_moduli: tuple[int, ...]) -> tuple[int, ...]:
        return (phase.modulus,)

    def baselines(self) -> Mapping[str, Baseline]:
        """Copying, look-back, algebra and the exact posterior; all but copying know the modulus.

        The prior of bayes is the distribution of the test sequences: full-period (a, c), or arbitrary ones if primitive
        roots are tested. It does not know which pairs are held out.
        """
        from unrandom.predictors.algebraic import AlgebraicPredictor
        from unrandom.predictors.bayes import BayesFixed
        from unrandom.predictors.copying import CopyPredictor
        from unrandom.predictors.lookback import LookbackPredictor

        m, full_period = self.modulus, float(self.test_multipliers == "full-period")
        return {
            "copy": Baseline("repeats what followed the current number before", CopyPredictor),
            "lookback-copy": Baseline(
                "copies from p^k numbers before", lambda: LookbackPredictor(m, order=1), in_reports=False
            ),
            "lookback": Baseline(
                "is the hand-written form of the paper's algorithm, copying and extrapolating from pᵏ numbers before",
                lambda: LookbackPredictor(m),
                numbered=lambda order: LookbackPredictor(m, order=order),
            ),
            "algebraic": Baseline("solves for the parameters", lambda: AlgebraicPredictor(m)),
            "bayes": Baseline(
                "is the exact posterior, given how the test sequences are drawn: the ceiling",
                lambda: BayesFixed(m, full_period_share=full_period),
            ),
        }

    @property
    def rule(self) -> str:
        return f"x → (a x + c) mod {self.modulus:,}"

    @property
    def scope(self) -> str:
        return f"modulo {self.modulus:,}"

    @property
    def unseen(self) -> str:
        return "multiplier a and increment c"

    @property
    def enough(self) -> tuple[KnownFrom, ...]:
        return (KnownFrom(3, 1.0, "three numbers would do"),)

    @property
    def enough_text(self) -> str:
        return "Three numbers determine every later one when the modulus is known."

    @property
    def embedding_modulus(self) -> int:
        return self.base or self.modulus

    @property
    def training_set_rows(self) -> int:
        if self.mode == "streaming" or self.n_sequences is not None:
            return super().training_set_rows
        return (self.n_a or 1) * (self.n_c or 1)

    @property
    def parameter_bytes(self) -> int:
        return 3 * BYTES_PER_PARAMETER  # a, c, x0: the modulus is shared

    @model_validator(mode="after")
    def _below(self) -> "FixedModulus":
        if above := [a for a in self.extra_test_multipliers if a >= self.modulus]:
            raise ValueError(f"extra test multiplier {above[0]} is not below the modulus {self.modulus}")
        if self.skipping_share:
            check_skips(self.modulus, self.largest_skip)
        return self
