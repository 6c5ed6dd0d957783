"""Finds the digits that a model loses without a head, by replacing its output by a constant, and evaluating again.

The paper's section "Interpretability: Unseen Modulus", step i (figures multip_prune, b1 to c3, and prune_appendix):
without the head that groups numbers modulo a prime, the digits of that prime are lost and the others less so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import torch
from jaxtyping import Float, Integer
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.evaluation import Evaluation, evaluate
from unrandom.interpretation.checks import check_exact
from unrandom.interpretation.heads import head_columns, head_values
from unrandom.models import Transformer, intervene
from unrandom.models.predictor import TransformerPredictor
from unrandom.models.taps import Edit
from unrandom.tasks import Examples

SEQUENCES_AT_ONCE = 64  # reference sequences per forward pass

Replacement = Literal["zero", "position-mean", "scalar-mean"]
"""What replaces a head's output: zero; its mean at each position; or, as in the paper, a single number at all positions
and dimensions, the mean of its output over sequences, positions and dimensions. Means are over reference sequences."""

Means = Mapping[int, Float[np.ndarray, "pos n_heads d_head"]]
"""For each layer: the values z of its heads (before W_O) at each position, averaged over reference sequences."""


@dataclass(frozen=True)
class Pruned:
    """The evaluation of a model in which one head's output is replaced by a constant."""

    layer: int
    head: int
    replacement: Replacement
    evaluation: Evaluation

    def to_json(self) -> dict[str, Any]:
        whole = self.evaluation.to_json()
        return {
            "layer": self.layer,
            "head": self.head,
            "replacement": self.replacement,
            "modulus": whole["basis"],
            **{name: whole[name] for name in ("number_accuracy", "by_position", "by_digit")},
        }


def prune_heads(
    predictor: TransformerPredictor, sequences: Examples, means: Means, replacement: Replacement
) -> list[Pruned]:
    """Evaluate the model without each head in turn, for all layers in ``means``.

    The sequences must share one modulus. Raises UserError for a model that has several tokens per number or does not
    run in fp32, for an unknown replacement, and for a position mean over a reference shorter than the sequences.
    """
    model = predictor.model
    check_exact(predictor)
    found = []
    for layer, mean in means.items():
        for head in range(model.config.n_heads):
            edits = replace_head(model, layer, head, replacement, mean[:, head])
            with intervene(model, edits):
                found.append(Pruned(layer, head, replacement, evaluate(predictor, sequences)))
    return found


def mean_head_values(
    model: Transformer, reference: Integer[np.ndarray, "batch length"], layers: Sequence[int] | None = None
) -> Means:
    """The mean value z of each head at each position over the reference, which are training sequences of any moduli.
    Without ``layers``, all layers. Raises ValueError for an empty reference, UserError for a missing layer."""
    if len(reference) == 0:
        raise ValueError("no reference sequences: at least one is needed")
    means: dict[int, Float[np.ndarray, "pos n_heads d_head"]] = {}
    for layer in layers or range(model.config.depth):
        parts = (reference[i : i + SEQUENCES_AT_ONCE] for i in range(0, len(reference), SEQUENCES_AT_ONCE))
        sums = [head_values(model, part, layer).sum(0, dtype=np.float64) for part in parts]  # sums save memory
        means[layer] = (np.sum(sums, axis=0) / len(reference)).astype(np.float32)
    return means


def replace_head(
    model: Transformer, layer: int, head: int, replacement: Replacement, mean: Float[np.ndarray, "pos d_head"]
) -> dict[str, Edit]:
    """Edits by tap that replace the output of one head; ``mean`` is its mean value z at each position. Raises
    UserError for an unknown replacement or a missing head; the edit, for sequences longer than ``mean``."""
    if replacement not in get_args(Replacement):
        raise UserError(f"replacement {replacement!r} was given; there are {', '.join(get_args(Replacement))}")
    columns = head_columns(model, layer, head)
    constant = mean if replacement == "position-mean" else np.zeros((model.config.context, mean.shape[1]), mean.dtype)

    def replace(z: Tensor) -> Tensor:
        if z.shape[1] > len(constant):
            raise UserError(f"the reference has {len(constant)} positions; the sequences have {z.shape[1]}")
        edited = z.clone()
        edited[:, :, head] = torch.from_numpy(constant[: z.shape[1]]).to(z)
        return edited

    edits: dict[str, Edit] = {f"blocks.{layer}.attn.hook_z": replace}
    if replacement == "scalar-mean":  # z cannot give equal dimensions after W_O, so the number is added there
        scalar = float((mean.mean(axis=0, dtype=np.float64) @ columns.T).mean())
        edits[f"blocks.{layer}.hook_attn_out"] = lambda output: output + scalar
    return edits
