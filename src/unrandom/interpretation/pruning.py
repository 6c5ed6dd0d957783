"""Which digits are lost without a head? Put a constant in place of its output, and compare digit by digit.

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

SEQUENCES_AT_ONCE = 64

Replacement = Literal["zero", "position-mean", "scalar-mean"]
"""In place of a head's output: nothing; its mean at each position; or, as in the paper, one number in every position
and dimension, the mean of its output over sequences, positions and dimensions. Means are over reference sequences."""

Means = Mapping[int, Float[np.ndarray, "pos n_heads d_head"]]
"""By layer: what its heads gather, before W_O, in the mean over reference sequences."""


@dataclass(frozen=True)
class Pruned:
    """What the model predicts while one head's output is replaced by a constant."""

    layer: int
    head: int
    replacement: Replacement
    evaluation: Evaluation

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
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
    """Evaluate without each head in turn, of the layers that there are means of.

    The sequences share one modulus. Raises UserError for a model of several tokens a number or that is not read in
    fp32, an unknown replacement, and a mean by position over a reference shorter than the sequences.
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
    """What each head gathers at each position, in the mean over the reference: sequences from training, of any moduli.

    Of every layer, if none is named. Raises ValueError for an empty reference, UserError for a layer that is not there.
    """
    if len(reference) == 0:
        raise ValueError("no reference sequences: at least one is needed")
    means: dict[int, Float[np.ndarray, "pos n_heads d_head"]] = {}
    for layer in layers or range(model.config.depth):
        parts = (reference[i : i + SEQUENCES_AT_ONCE] for i in range(0, len(reference), SEQUENCES_AT_ONCE))
        sums = [head_values(model, part, layer).sum(0, dtype=np.float64) for part in parts]  # which take less room
        means[layer] = (np.sum(sums, axis=0) / len(reference)).astype(np.float32)
    return means


def replace_head(
    model: Transformer, layer: int, head: int, replacement: Replacement, mean: Float[np.ndarray, "pos d_head"]
) -> dict[str, Edit]:
    """Edits, by tap, that replace the output of one head; ``mean`` is what it gathers at each position in the mean.

    Raises UserError for a replacement or a head that is not there; within the pass, for more positions than ``mean``.
    """
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
    if replacement == "scalar-mean":  # no z of the head gives equal dimensions, so the number is added after W_O
        scalar = float((mean.mean(axis=0, dtype=np.float64) @ columns.T).mean())
        edits[f"blocks.{layer}.hook_attn_out"] = lambda written: written + scalar
    return edits
