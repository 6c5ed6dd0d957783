"""Measures which prime's digits a head serves, by the loss of accuracy on each digit when the head is pruned.

The paper's section "Interpretability: Unseen Modulus", step i: pruning the head of modulo 7 takes the base-7 digits
away and leaves the base-2 and base-3 digits above chance. The *relative damage* of a head to a digit is
(before − after) / (before − chance), clipped to -1 … 1. Here before and after are the accuracies of the digit with all
heads and without this head, and chance is 1 / p for a digit of base p. It is 1 for a drop to chance, 0 (the null value)
for no effect, and negative for a gain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Integer

from unrandom.evaluation import Evaluation
from unrandom.generators.residues import Digit
from unrandom.interpretation.checks import first_counted
from unrandom.interpretation.pruning import Pruned

MIN_MARGIN = 0.05  # relative damage is undefined for a digit that is less far above chance


@dataclass(frozen=True)
class Damage:
    """The accuracy of each digit of m with all heads, and without each head in turn.

    Accuracies are means over the predictions from index ``start`` on.
    """

    modulus: int
    start: int
    digits: list[Digit]
    heads: list[tuple[int, int]]  # layer and head
    before: Float[np.ndarray, " digits"]  # accuracy with all heads
    after: Float[np.ndarray, "heads digits"]  # accuracy without each head

    @property
    def primes(self) -> Integer[np.ndarray, " digits"]:
        return np.array([digit.prime for digit in self.digits])

    @property
    def relative(self) -> Float[np.ndarray, "heads digits"]:
        """The relative damage, clipped to -1 … 1: 1 for a drop to chance, 0 for no effect, negative for a gain.

        NaN for a digit whose accuracy with all heads is at most .05 above chance.
        """
        margin = self.before - 1 / self.primes
        drop = np.divide(
            self.before - self.after, margin, out=np.full_like(self.after, np.nan), where=margin > MIN_MARGIN
        )
        return np.clip(drop, -1, 1)

    def to_json(self) -> dict[str, Any]:
        """As JSON values; relative damage that is NaN becomes null."""
        relative = np.where(np.isnan(self.relative), np.array(None), np.round(self.relative, 6))
        return {
            "modulus": self.modulus,
            "start": self.start,
            "digits": [str(digit) for digit in self.digits],
            "heads": [{"layer": layer, "head": head} for layer, head in self.heads],
            "before": np.round(self.before, 6).tolist(),
            "after": np.round(self.after, 6).tolist(),
            "relative": relative.tolist(),
        }


def digit_damage(whole: Evaluation, pruned: Sequence[Pruned], start: int | None = None) -> Damage:
    """The accuracy of each digit with all heads (``whole``) and without each (``pruned``), on the same sequences.

    Predictions from index ``start`` on are evaluated (None: the second half). Raises ValueError if ``start`` is out of
    range, and for evaluations of different moduli.
    """
    if any(part.evaluation.basis != whole.basis for part in pruned):
        raise ValueError(f"all evaluations must be of m = {whole.basis}")
    start = first_counted(start, whole.correct.shape[1])
    digits = whole.digits
    after = [_digit_accuracy(part.evaluation, start) for part in pruned]
    return Damage(
        whole.basis,
        start,
        digits,
        [(part.layer, part.head) for part in pruned],
        _digit_accuracy(whole, start),
        np.array(after).reshape(len(after), len(digits)),
    )


def _digit_accuracy(evaluation: Evaluation, start: int) -> Float[np.ndarray, " digits"]:
    return np.array([tally.value[start:].mean() for tally in evaluation.by_digit().values()])
