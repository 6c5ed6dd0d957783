"""Tests whether a head passes on an estimate of the modulus, by patching its output with that for a smaller modulus.

The paper's section "Interpretability: Unseen Modulus", step ii (figures multip_cosine, c, and patch_appendix): with the
output of one head taken from sequences of m_patch = 1024, the model predicts numbers below 1024 although m = 2048.
Patching another head changes predictions, but does not lower them below 1024.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.interpretation.checks import check_exact, first_counted
from unrandom.models import intervene, record
from unrandom.models.predictor import TransformerPredictor
from unrandom.models.taps import Edit
from unrandom.tasks import Examples, LCGParameters


@dataclass(frozen=True)
class Patched:
    """The effect of patching one head: shares of predictions per sequence, before and after."""

    layer: int
    head: int
    limit: int  # m_patch in the paper
    start: int  # index of the first prediction that is evaluated
    below_before: Float[np.ndarray, " sequences"]  # share of predictions below the limit, without the patch
    below_after: Float[np.ndarray, " sequences"]  # the same with the patch
    right_before: Float[np.ndarray, " sequences"]  # share of correct predictions, without the patch
    right_after: Float[np.ndarray, " sequences"]  # the same with the patch

    @property
    def effects(self) -> Float[np.ndarray, " sequences"]:
        """The increase of the share of predictions below the limit, -1 to 1; 0 for no effect."""
        return self.below_after - self.below_before

    @property
    def effect(self) -> float:
        """The mean of ``effects`` over sequences."""
        return float(self.effects.mean())

    def to_json(self) -> dict[str, Any]:
        """As JSON values: means over sequences."""
        shares = ("below_before", "below_after", "right_before", "right_after")
        return {
            "layer": self.layer,
            "head": self.head,
            "limit": self.limit,
            "start": self.start,
            **{name: round(float(getattr(self, name).mean()), 6) for name in shares},
            "effect": round(self.effect, 6),
        }


def patch_parameters(parameters: LCGParameters, m_patch: int) -> LCGParameters:
    """The parameters with the modulus replaced by m_patch, and a, c and x0 reduced modulo m_patch.

    If m_patch divides m, the new sequences are the old ones modulo m_patch. Raises UserError unless m_patch >= 2.
    """
    if m_patch < 2:
        raise UserError(f"m_patch={m_patch} was given; a modulus is at least 2")
    m = np.uint64(m_patch)
    return LCGParameters(m_patch, parameters.a % m, parameters.c % m, parameters.x0 % m)


def patch_all(
    predictor: TransformerPredictor,
    sequences: Examples,
    patch: Examples,
    *,
    limit: int | None = None,
    start: int | None = None,
) -> list[Patched]:
    """Patch each head in turn: predict ``sequences`` with its output taken, row by row, from a pass over ``patch``.

    Counts predictions below ``limit`` (None: the modulus of the patch) and correct ones, from index ``start`` on (None:
    the second half). As a control, ``patch`` can hold other sequences of the same modulus, with an explicit ``limit``.
    Raises UserError for sequences of different shapes, and for a model that has several tokens per number or does not
    run in fp32; ValueError if ``start`` is after the last prediction.
    """
    check_exact(predictor)
    shapes = [list(numbers.shape) for numbers in (sequences.numbers, patch.numbers)]
    if shapes[0] != shapes[1]:
        raise UserError(
            f"sequences of shape {shapes[0]} and a patch of shape {shapes[1]} were given; both must be the same"
        )
    start = first_counted(start, sequences.numbers.shape[1] - 1)
    limit = patch.parameters.modulus(0) if limit is None else limit
    taps = [f"blocks.{layer}.attn.hook_z" for layer in range(predictor.model.config.depth)]
    heads = list(np.ndindex(len(taps), predictor.model.config.n_heads))
    found: dict[tuple[int, ...], list[np.ndarray]] = {patched: [] for patched in [(), *heads]}  # (): no patch
    for first in range(0, len(sequences), predictor.chunk):  # one forward pass per chunk, so that rows match
        part = slice(first, first + predictor.chunk)
        with record(predictor.model, taps) as seen:
            predictor.predict(patch.numbers[part])
        found[()].append(_shares(predictor, sequences.numbers[part], limit, start))
        for layer, head in heads:
            with intervene(predictor.model, {taps[layer]: overwrite(head, seen[taps[layer]])}):
                found[layer, head].append(_shares(predictor, sequences.numbers[part], limit, start))
    (below, right), *after = (np.concatenate(parts, axis=1) for parts in found.values())
    return [
        Patched(layer, head, limit, start, below, shares[0], right, shares[1])
        for (layer, head), shares in zip(heads, after, strict=True)
    ]


def overwrite(
    head: int, other: Float[Tensor, "batch pos n_heads d_head"], positions: Sequence[int] | slice = slice(None)
) -> Edit:
    """An edit of ``hook_v`` or ``hook_z`` that replaces one head's vectors by another pass's, at ``positions``."""
    return replaced((slice(None), positions, head), other)


def replaced(place: tuple[Any, ...], other: Tensor) -> Edit:
    """An edit that replaces an activation at one place, an index, by another pass's."""

    def edit(value: Tensor) -> Tensor:
        edited = value.clone()
        edited[place] = other[place]
        return edited

    return edit


def _shares(
    predictor: TransformerPredictor, numbers: np.ndarray, limit: int, start: int
) -> Float[np.ndarray, "two sequences"]:
    """The shares of predictions from ``start`` on that are below the limit, and that are correct, in each sequence."""
    predicted = predictor.predict(numbers).numbers[:, start:]
    holds: list[Bool[np.ndarray, "sequences predictions"]] = [predicted < limit, predicted == numbers[:, start + 1 :]]
    return np.stack([share.mean(axis=1) for share in holds])
