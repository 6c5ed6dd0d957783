"""Finds the activations that carry the difference between ``tokens`` and ``other``: patched, they move a metric."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.core.quantities import listed
from unrandom.interpretation.patching import overwrite, replaced
from unrandom.models import Transformer, intervene
from unrandom.models.taps import Edit, tap_called, tap_names

Metric = Callable[[Float[Tensor, "batch pos vocab"]], Tensor | float]
"""A number that is computed from the logits."""

BY_HEAD = ("q", "k", "v", "z")  # taps [batch, pos, head, d_head]
BY_QUERY = ("attn_scores", "pattern")  # taps [batch, head, query, key]


@torch.no_grad()
def patch_heads(
    model: Transformer,
    tokens: Int[Tensor, "batch pos"],
    other: Int[Tensor, "batch pos"],
    metric: Metric,
    tap: str = "z",
) -> Float[Tensor, "layer head"]:
    """The metric on ``tokens`` with one head's ``q``, ``k``, ``v`` or ``z``, at all positions, from ``other``.

    >>> import torch, unrandom
    >>> from unrandom.interpretation import patch_heads
    >>> run = unrandom.load("um-144", device="cpu")
    >>> tokens, other = (run.tokens(unrandom.LCG(m=144, a=37, c=c).orbit(x0=5, length=49)) for c in (25, 7))
    >>> moved = patch_heads(run.model, tokens[:, :-1], other[:, :-1], lambda logits: logits[0, -1, other[0, -1]])
    >>> moved.shape
    torch.Size([4, 4])
    """
    if tap not in BY_HEAD:
        raise UserError(f"tap must be one with a head as its second last axis, {listed(BY_HEAD, 'or')}, not {tap!r}")
    heads = range(model.config.n_heads)
    return _patched(model, tokens, other, metric, tap, lambda value: [overwrite(head, value) for head in heads])


@torch.no_grad()
def patch_positions(
    model: Transformer,
    tokens: Int[Tensor, "batch pos"],
    other: Int[Tensor, "batch pos"],
    metric: Metric,
    tap: str = "resid_pre",
) -> Float[Tensor, "layer pos"]:
    """The metric on ``tokens`` with an activation of one layer at one position from ``other``.

    ``tap`` is the short name of an activation with axes [batch, pos, ...]: ``resid_pre``, ``mlp_out``, ``z``.

    >>> import unrandom
    >>> from unrandom.interpretation import patch_positions
    >>> run = unrandom.load("fm-256", device="cpu")
    >>> tokens, other = (run.tokens(unrandom.LCG(m=256, a=5, c=c).orbit(x0=1, length=65)) for c in (3, 7))
    >>> moved = patch_positions(run.model, tokens[:, :-1], other[:, :-1], lambda logits: logits[0, -1, other[0, -1]])
    >>> moved.shape
    torch.Size([1, 64])
    """
    if tap in BY_QUERY:
        raise UserError(f"tap must be one with positions as its second axis, such as resid_pre, not {tap!r}")
    places = [(slice(None), position) for position in range(tokens.shape[1])]
    return _patched(model, tokens, other, metric, tap, lambda value: [replaced(place, value) for place in places])


def _patched(
    model: Transformer, tokens: Tensor, other: Tensor, metric: Metric, tap: str, edits: Callable[[Tensor], list[Edit]]
) -> Float[Tensor, "layer patch"]:
    """The metric with each of the edits that are made of the activation on ``other``, in each layer."""
    if tokens.shape != other.shape:
        raise UserError(f"both inputs must have one shape, but have {list(tokens.shape)} and {list(other.shape)}")
    known = tap_names(model)
    taps = [tap_called((tap, layer), known) for layer in range(model.config.depth)]
    _, cache = model.run_with_cache(other, taps)
    rows = []
    for name in taps:
        row = []
        for edit in edits(cache[name]):
            with intervene(model, {name: edit}):
                moved = torch.as_tensor(metric(model(tokens)))
                if moved.numel() != 1:
                    raise UserError(f"the metric must return one number, but returned shape {list(moved.shape)}")
                row.append(float(moved))
        rows.append(row)
    return torch.tensor(rows)
