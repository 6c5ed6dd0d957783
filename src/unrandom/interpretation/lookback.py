"""Ablates all attention but the line at t - p^k, and measures digit accuracy, to see what the line carries.

The paper's section "Interpretability: Fixed Modulus", steps ii and iii (figure digits_topk): with p^k the largest
power up to t, the line at t - p^k is enough to copy the k lowest digits; with the line at t - p^(k-1) the higher ones
come back. The control keeps the same number of random keys.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from unrandom.core.arithmetic import largest_power
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import Evaluation, Tally, evaluate
from unrandom.generators.residues import digit_period, digits_of
from unrandom.interpretation.attention import Share
from unrandom.interpretation.checks import check_exact, check_head
from unrandom.models import intervene
from unrandom.models.predictor import TransformerPredictor
from unrandom.models.taps import Edit
from unrandom.tasks import Examples


@dataclass(frozen=True)
class DigitShares:
    """Shares of base-p digits predicted correctly at positions t >= p, with one trial per digit and position.

    A digit is low at t if its period is at most t, so that it can be copied from number t - p^k; otherwise it is high.
    """

    low: Share
    high: Share

    def to_json(self) -> dict[str, Any]:
        return {"low": self.low.to_json(), "high": self.high.to_json()}


@dataclass(frozen=True)
class Ablation:
    """The evaluation of a model that keeps only some of its attention weights."""

    keep: str  # "all", "t-p^k", "t-p^k, t-p^(k-1)", "random 1" or "random 2"
    renormalised: bool | None  # whether the kept weights are scaled to sum to 1; None if all are kept
    prime: int
    evaluation: Evaluation

    @property
    def by_position(self) -> Tally:
        """Number accuracy after 1, 2, … numbers were seen."""
        return self.evaluation.by_position

    def by_digit(self) -> dict[str, Tally]:
        """Accuracy by position for each digit p^w of m."""
        return self.evaluation.by_digit()

    def digit_shares(self) -> DigitShares:
        """Accuracy on the digits that can be copied, and on the others."""
        return low_and_high_digits(self.evaluation, self.prime)

    def to_json(self) -> dict[str, Any]:
        whole = self.evaluation.to_json()
        return {
            "keep": self.keep,
            "renormalised": self.renormalised,
            "prime": self.prime,
            **{name: whole[name] for name in ("number_accuracy", "by_position", "by_digit")},
            **self.digit_shares().to_json(),
        }


def keep_lookbacks(p: int, count: int, *, renormalise: bool) -> Edit:
    """An edit of ``hook_pattern`` [..., queries, keys] that keeps the weights on numbers t - p^k, t - p^(k-1), … only.

    ``count`` of these keys are kept, fewer if the powers end at 1. ``renormalise`` scales the kept weights of each
    query to sum to 1, unless all are zero. Raises ValueError unless p >= 2 and count >= 1.
    """
    if p < 2 or count < 1:
        raise ValueError(f"p={p}, count={count}: p >= 2 and at least one key per query are required")

    def edit(pattern: Tensor) -> Tensor:
        kept = np.zeros(pattern.shape[-2:], dtype=bool)
        for query in range(len(kept)):
            power = largest_power(query + 1, p)
            lookbacks = [power // p**i for i in range(count) if p**i <= power]
            kept[query, [query + 1 - lookback for lookback in lookbacks]] = True
        return keep_weights(pattern, torch.from_numpy(kept), renormalise)

    return edit


def keep_random(rng: np.random.Generator, count: int, *, renormalise: bool) -> Edit:
    """The control: each query keeps its weights on ``count`` random numbers of the t it sees, or on all if fewer.

    Keys are drawn uniformly without replacement, independently for each sequence, head and query. ``renormalise`` is as
    in `keep_lookbacks`. Raises ValueError unless count >= 1.
    """
    if count < 1:
        raise ValueError(f"count={count}: at least one key per query is required")

    def edit(pattern: Tensor) -> Tensor:
        random_order = torch.from_numpy(rng.random(pattern.shape, dtype=np.float32))
        causal = torch.ones(pattern.shape[-2:], dtype=torch.bool).tril()
        drawn = random_order.masked_fill(~causal, -1).topk(min(count, pattern.shape[-1])).indices
        kept = torch.zeros(pattern.shape, dtype=torch.bool).scatter(-1, drawn, True)
        return keep_weights(pattern, kept & causal, renormalise)

    return edit


def keep_heaviest(count: int) -> Edit:
    """An edit of ``hook_pattern`` that keeps the ``count`` heaviest weights of each query, scaled to sum to 1.

    This is how the paper's public code chooses its keys; there it does so before the causal mask, so that a later
    number can be among them. Raises ValueError unless count >= 1.
    """
    if count < 1:
        raise ValueError(f"count={count}: at least one key per query is required")

    def edit(pattern: Tensor) -> Tensor:
        heaviest = pattern.topk(min(count, pattern.shape[-1])).indices
        kept = torch.zeros(pattern.shape, dtype=torch.bool).scatter(-1, heaviest.cpu(), True)
        return keep_weights(pattern, kept, renormalise=True)

    return edit


def keep_weights(
    pattern: Float[Tensor, "*axes queries keys"], kept: Bool[Tensor, "*#axes queries keys"], renormalise: bool
) -> Float[Tensor, "*axes queries keys"]:
    """The weights with all that are not kept set to zero; ``renormalise`` scales rows to sum to 1 unless all zero."""
    weights = pattern * kept.to(pattern.device)
    if not renormalise:
        return weights
    total = weights.sum(-1, keepdim=True)
    return torch.where(total > 0, weights / total, weights)  # all kept weights may be 0 if the softmax is saturated


def on_head(head: int, edit: Edit) -> Edit:
    """The edit applied to one head of a ``hook_pattern`` [batch, head, query, key]; the others are unchanged."""

    def apply(pattern: Tensor) -> Tensor:
        edited = pattern.clone()
        edited[:, head] = edit(pattern[:, head])
        return edited

    return apply


def lookback_ablation(
    predictor: TransformerPredictor,
    sequences: Examples,
    *,
    p: int,
    layer: int = 0,
    head: int | None = None,
    seed: int = 0,
) -> list[Ablation]:
    """Evaluate with all attention weights of ``layer``, then with the look-backs by powers of p and with random keys.

    Returns eleven entries: "all"; four choices of kept keys, first without and then with renormalisation (with the same
    random keys); and the heaviest key and the two heaviest ones, renormalised. Every head is edited, or only ``head``.
    The sequences must share one modulus m. Raises UserError for a model that has several tokens per number or does not
    run in fp32, for a p that is not a prime factor of m, and for a missing layer or head; RuntimeError without
    explicit attention.
    """
    check_exact(predictor)
    m = sequences.parameters.modulus(0)
    if p not in {digit.prime for digit in digits_of(m)}:
        raise UserError(f"p={p} was given; the base of the digits must be a prime factor of m = {m}")
    if head is not None:
        check_head(predictor.model, head)
    tap = f"blocks.{layer}.attn.hook_pattern"
    found = []
    for keep, renormalised, edit in _conditions(p, seed):
        with intervene(predictor.model, {tap: edit if head is None else on_head(head, edit)}):
            found.append(Ablation(keep, renormalised, p, evaluate(predictor, sequences)))
    return found


def low_and_high_digits(evaluation: Evaluation, p: int) -> DigitShares:
    """Accuracy on the base-p digits that can be copied from t - p^k, and on the others, pooled over positions t >= p.

    Digit w can be copied if w < k, that is, if its period p^(w+1) is at most t.
    """
    periods = {i: digit_period(digit) for i, digit in enumerate(evaluation.digits) if digit.prime == p}
    right = evaluation.right_digits()[..., list(periods)]
    t = np.arange(1, right.shape[1] + 1)[:, None]
    low = np.array(list(periods.values())) <= t
    return DigitShares(Share.of(right[:, low & (t >= p)]), Share.of(right[:, ~low & (t >= p)]))


def _conditions(p: int, seed: int) -> Iterator[tuple[str, bool | None, Edit]]:
    yield "all", None, lambda pattern: pattern
    for renormalise in (False, True):
        for count, keep in enumerate(("t-p^k", "t-p^k, t-p^(k-1)"), start=1):
            yield keep, renormalise, keep_lookbacks(p, count, renormalise=renormalise)
        for count in (1, 2):
            rng = stream(seed, "keep random", count)
            yield f"random {count}", renormalise, keep_random(rng, count, renormalise=renormalise)
    for count in (1, 2):
        yield f"heaviest {count}", True, keep_heaviest(count)
