"""Which prime's digits does a head serve? By the loss of accuracy on each digit when the head is pruned.

The paper's section "Interpretability: Unseen Modulus", step i: pruning the head of modulo 7 takes the base-7 digits
away and leaves the base-2 and base-3 digits above chance. Here this effect is one number, with a permutation test:

- the *relative damage* of a head to a digit is (before − after) / (before − chance), clipped to -1 … 1. Here before and
  after are the accuracies of the digit with all heads and without this head, and chance is 1 / p for a digit of base
  p. It is 1 for a drop to chance, 0 (the null value) for no effect, and negative for a gain;
- the *own-prime share* of a head, 0 to 1, is the part of its relative damage, summed over digits (gains count as 0),
  that falls on the digits of its own prime. Its null value is the mean over permutations of which head has which prime.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np
from jaxtyping import Float, Integer

from unrandom.core.seeds import stream
from unrandom.evaluation import Evaluation
from unrandom.generators.residues import Digit
from unrandom.interpretation.checks import first_counted
from unrandom.interpretation.pruning import Pruned

MIN_MARGIN = 0.05  # relative damage is undefined for a digit whose accuracy is not further above chance
MAX_EXACT_PERMUTATIONS = 5040  # up to 7! the permutation test is exact
RANDOM_PERMUTATIONS = 2000  # permutations drawn where it is not exact
ROUNDING = 1e-9  # tolerance when a permuted value is compared with the observed one


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
        """The prime of each digit."""
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


@dataclass(frozen=True)
class OwnPrimeShare:
    """The mean own-prime share of several heads, with a permutation test of which head has which prime.

    If no head has an own-prime share, ``heads`` is 0, ``value`` and ``permuted`` are NaN, and the p-value is 1.
    """

    value: float  # mean own-prime share, 0 to 1
    permuted: float  # null value: the mean of ``value`` over permutations
    p_value: float  # fraction of permutations whose value is at least as large
    heads: int  # number of heads in the mean

    def to_json(self) -> dict[str, Any]:
        """As JSON values; ``value`` and ``permuted`` are null if they are NaN."""
        shares = {"value": self.value, "permuted": self.permuted}
        return {
            **{name: None if np.isnan(share) else round(share, 6) for name, share in shares.items()},
            "p_value": round(self.p_value, 6),
            "heads": self.heads,
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


def own_prime_share(
    relative: Float[np.ndarray, "heads digits"],
    primes: Integer[np.ndarray, " digits"],
    head_primes: Integer[np.ndarray, " heads"],
    seed: int = 0,
) -> OwnPrimeShare:
    """The mean own-prime share of the heads; ``head_primes`` holds the own prime of each head, or 0 if it has none.

    Negative and NaN damage is set to 0. Heads without any damage are excluded, also from the permutation test. Heads
    whose prime is not among ``primes`` take part in the permutation test, but have no own-prime share and are left out
    of the mean. All orders of up to seven heads are tested, or 2,000 random orders of more. To pool several moduli,
    concatenate their digits.
    """
    damage = np.clip(np.nan_to_num(relative), 0, None)
    has_damage = damage.sum(axis=1) > 0
    distinct_primes = np.unique(primes)
    damage = damage[has_damage]
    shares = damage @ (primes[:, None] == distinct_primes) / damage.sum(axis=1, keepdims=True)
    is_own = head_primes[has_damage][:, None] == distinct_primes
    heads = int(is_own.sum())
    if heads == 0:
        return OwnPrimeShare(float("nan"), float("nan"), 1.0, 0)
    value = float(shares[is_own].mean())
    permuted = np.array([shares[is_own[order]].mean() for order in _orders(len(is_own), seed)])
    at_least_as_large = int(np.sum(permuted >= value - ROUNDING))
    exact = len(permuted) == factorial(len(is_own))
    p_value = at_least_as_large / len(permuted) if exact else (1 + at_least_as_large) / (1 + len(permuted))
    return OwnPrimeShare(value, float(permuted.mean()), p_value, heads)


def _digit_accuracy(evaluation: Evaluation, start: int) -> Float[np.ndarray, " digits"]:
    return np.array([tally.value[start:].mean() for tally in evaluation.by_digit().values()])


def _orders(heads: int, seed: int) -> Iterator[list[int]]:
    """All permutations of the heads, or random ones if there are too many."""
    if factorial(heads) <= MAX_EXACT_PERMUTATIONS:
        yield from (list(order) for order in permutations(range(heads)))
        return
    rng = stream(seed, "which head has which prime", heads)
    yield from (rng.permutation(heads).tolist() for _ in range(RANDOM_PERMUTATIONS))
