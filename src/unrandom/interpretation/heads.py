"""What an attention head writes to the residual stream: its value vector z at each position times its part of W_O.

This is H in the paper's section "Interpretability: Unseen Modulus". One token is one number, so the output at position
t belongs to number t, the input at that position.
"""

from contextlib import suppress

import numpy as np
import torch
from jaxtyping import Float, Integer
from torch import Tensor

from unrandom.interpretation.checks import check_head, check_numbers
from unrandom.interpretation.embedding import PrincipalComponents, principal_components
from unrandom.models import Transformer, intervene

VALUES_AT_ONCE = 2**24  # bound on the activations of one forward pass, and so on its memory


class _Recorded(Exception):
    """Raised to end a forward pass early, after the activation of interest was recorded."""


def head_values(
    model: Transformer, numbers: Integer[np.ndarray, "batch length"], layer: int, position: int | None = None
) -> Float[np.ndarray, "batch pos n_heads d_head"]:
    """The attention-weighted values z of each head of a layer, before W_O, at every position or (pos = 1) at one.
    Raises UserError for a layer, position or number that the model does not have, and for several tokens per number."""
    config, tap = model.config, f"blocks.{layer}.attn.hook_z"
    check_numbers(model, numbers, position)
    first, last = (0, min(config.context, numbers.shape[1])) if position is None else (position, position + 1)
    tokens = torch.from_numpy(numbers[:, :last].astype(np.int64))
    device = next(model.parameters()).device
    found: list[Tensor] = []

    def save_and_stop(z: Tensor) -> Tensor:
        found.append(z[:, first:].cpu())
        raise _Recorded

    widest = max(config.d_mlp, config.vocab_size, config.n_heads * last)
    with torch.no_grad():
        for part in tokens.split(max(1, VALUES_AT_ONCE // (last * widest))):
            with suppress(_Recorded), intervene(model, {tap: save_and_stop}):
                model(part.to(device))
    return torch.cat(found).numpy()


def head_columns(model: Transformer, layer: int, head: int) -> Float[np.ndarray, "d_model d_head"]:
    """The columns of W_O that map the values z of a head to its output. Raises UserError if the head is missing."""
    check_head(model, head)
    width = model.config.d_head
    weight = model.get_parameter(f"blocks.{layer}.attn.W_O.weight").detach().cpu().numpy()
    return weight[:, head * width : (head + 1) * width]


def head_outputs(
    model: Transformer, numbers: Integer[np.ndarray, "batch length"], layer: int, head: int, position: int | None = None
) -> Float[np.ndarray, "batch pos d_model"]:
    """The output of one head at every position, or at one (pos = 1). Raises UserError if the model lacks this head."""
    check_head(model, head)
    return head_values(model, numbers, layer, position)[:, :, head] @ head_columns(model, layer, head).T


def head_plane(
    model: Transformer, numbers: Integer[np.ndarray, "batch length"], layer: int, head: int, position: int, k: int = 2
) -> PrincipalComponents:
    """The first k principal components of one head's output at one position, over sequences: the paper's picture."""
    return principal_components(head_outputs(model, numbers, layer, head, position)[:, 0], k)
