"""Does a head serve the digits of one prime? How much of each digit's accuracy is lost without it, and on which primes.

The paper's section "Interpretability: Unseen Modulus", step i: pruning the head of modulo 7 takes the base-7 digits
away and leaves the base-2 and base-3 digits above chance. Here that is one number, with a permutation test.

The *relative damage* that the loss of a head does to a digit is (before − after) / (before − chance). Here before and
after are the accuracies of the digit with all heads and without this one, and chance is 1 / p for a digit of base p. So
1 is a drop to chance, and a negative number is a gain. The *own-prime share* of a head is the part of its relative
damage, summed over digits, that falls on digits of the head's own prime.
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

LEAST_MARGIN = 0.05  # of accuracy above chance: where there is less, there is nothing to lose
ALL_ORDERS = 5040  # as many permutations are tried one by one: those of seven heads
RANDOM_ORDERS = 2000
ROUNDING = 1e-9


@dataclass(frozen=True)
class Damage:
    """The accuracy of each digit of m with all heads, and without each head in turn.

    Accuracies are means over the guesses from ``start`` on.
    """

    modulus: int
    start: int
    digits: list[Digit]
    heads: list[tuple[int, int]]  # layer and head
    before: Float[np.ndarray, " digits"]
    after: Float[np.ndarray, "heads digits"]

    @property
    def primes(self) -> Integer[np.ndarray, " digits"]:
        """The prime of each digit."""
        return np.array([digit.prime for digit in self.digits])

    @property
    def relative(self) -> Float[np.ndarray, "heads digits"]:
        """The relative damage, clipped to -1 … 1.

        NaN for a digit whose accuracy with all heads is at most .05 above chance: there is nothing to lose.
        """
        margin = self.before - 1 / self.primes
        drop = np.divide(
            self.before - self.after, margin, out=np.full_like(self.after, np.nan), where=margin > LEAST_MARGIN
        )
        return np.clip(drop, -1, 1)

    def to_json(self) -> dict[str, Any]:
        """As JSON values. The relative damage of a digit that has nothing to lose is null."""
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
    """The mean of the own-prime shares of several heads, with a permutation test of which head has which prime.

    If no head counts, ``heads`` is 0, both shares are NaN and the p-value is 1.
    """

    value: float
    permuted: float  # the mean of the value over permutations
    p_value: float  # the share of permutations whose value is at least as large
    heads: int  # that count

    def to_json(self) -> dict[str, Any]:
        """As JSON values. Both shares are null if no head counts."""
        shares = {"value": self.value, "permuted": self.permuted}
        return {
            **{name: None if np.isnan(share) else round(share, 6) for name, share in shares.items()},
            "p_value": round(self.p_value, 6),
            "heads": self.heads,
        }


def digit_damage(whole: Evaluation, pruned: Sequence[Pruned], start: int | None = None) -> Damage:
    """The accuracy of each digit with all heads (``whole``) and without each (``pruned``), on the same sequences.

    Guesses from ``start`` on count; None is the last half of them. Raises ValueError if no guess is left, and for
    evaluations of different moduli.
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
    """The mean own-prime share of the heads, where ``head_primes`` has the prime of each head, or 0 for none.

    Negative damage and NaN are set to 0. Heads whose damage is 0 for every digit have no share. They are excluded, also
    from the permutation test. Heads whose prime has no digit here stay in the permutation test, but have no own-prime
    share, and do not count in the mean. Up to seven heads are permuted in every order, more of them in 2,000 random
    orders. To pool several moduli, put their digits side by side.
    """
    lost = np.clip(np.nan_to_num(relative), 0, None)
    hurt = lost.sum(axis=1) > 0
    kinds = np.unique(primes)
    shares = lost[hurt] @ (primes[:, None] == kinds) / lost[hurt].sum(axis=1, keepdims=True)
    owned = head_primes[hurt][:, None] == kinds
    heads = int(owned.sum())
    if heads == 0:
        return OwnPrimeShare(float("nan"), float("nan"), 1.0, 0)
    value = float(shares[owned].mean())
    permuted = np.array([shares[owned[order]].mean() for order in _orders(len(owned), seed)])
    as_large = int(np.sum(permuted >= value - ROUNDING))
    exact = len(permuted) == factorial(len(owned))
    p_value = as_large / len(permuted) if exact else (1 + as_large) / (1 + len(permuted))
    return OwnPrimeShare(value, float(permuted.mean()), p_value, heads)


def _digit_accuracy(evaluation: Evaluation, start: int) -> Float[np.ndarray, " digits"]:
    return np.array([tally.value[start:].mean() for tally in evaluation.by_digit().values()])


def _orders(heads: int, seed: int) -> Iterator[list[int]]:
    if factorial(heads) <= ALL_ORDERS:
        yield from (list(order) for order in permutations(range(heads)))
        return
    rng = stream(seed, "which head has which prime", heads)
    yield from (rng.permutation(heads).tolist() for _ in range(RANDOM_ORDERS))
