"""What does a head write? Its output at each position: what it adds to the residual stream.

H in the paper's section "Interpretability: Unseen Modulus": the head's part of z times its columns of W_O. One token is
one number, so the output at position t belongs to number t, the one just read.
"""

from contextlib import suppress

import numpy as np
import torch
from jaxtyping import Float, Integer
from torch import Tensor

from unrandom.interpretation.checks import check_head, check_numbers
from unrandom.interpretation.embedding import PrincipalComponents, principal_components
from unrandom.models import Transformer, intervene

VALUES_AT_ONCE = 2**24  # bounds the memory of a forward pass


class _Seen(Exception):
    """What was wanted has passed, and the rest of the forward pass, most of it for a first layer, is not needed."""


def head_values(
    model: Transformer, numbers: Integer[np.ndarray, "batch length"], layer: int, position: int | None = None
) -> Float[np.ndarray, "batch pos n_heads d_head"]:
    """What each head of a layer has gathered, before W_O, over the first numbers or at one position of them.

    Raises UserError for a layer, a position or a number that is not there, and for several tokens a number.
    """
    config, tap = model.config, f"blocks.{layer}.attn.hook_z"
    check_numbers(model, numbers, position)
    first, last = (0, min(config.context, numbers.shape[1])) if position is None else (position, position + 1)
    tokens = torch.from_numpy(numbers[:, :last].astype(np.int64))
    device = next(model.parameters()).device
    found: list[Tensor] = []

    def keep(z: Tensor) -> Tensor:
        found.append(z[:, first:].cpu())
        raise _Seen

    widest = max(config.d_mlp, config.vocab_size, config.n_heads * last)
    with torch.no_grad():
        for part in tokens.split(max(1, VALUES_AT_ONCE // (last * widest))):
            with suppress(_Seen), intervene(model, {tap: keep}):
                model(part.to(device))
    return torch.cat(found).numpy()


def head_columns(model: Transformer, layer: int, head: int) -> Float[np.ndarray, "d_model d_head"]:
    """The columns of W_O that turn what a head has gathered into what it writes. Raises UserError for no such head."""
    check_head(model, head)
    width = model.config.d_head
    weight = model.get_parameter(f"blocks.{layer}.attn.W_O.weight").detach().cpu().numpy()
    return weight[:, head * width : (head + 1) * width]


def head_outputs(
    model: Transformer,
    numbers: Integer[np.ndarray, "batch length"],
    layer: int,
    head: int,
    position: int | None = None,
) -> Float[np.ndarray, "batch pos d_model"]:
    """What one head writes, over the first numbers or at one position. Raises UserError as its two parts do."""
    check_head(model, head)
    return head_values(model, numbers, layer, position)[:, :, head] @ head_columns(model, layer, head).T


def head_plane(
    model: Transformer, numbers: Integer[np.ndarray, "batch length"], layer: int, head: int, position: int, k: int = 2
) -> PrincipalComponents:
    """The first components of one head's output at one position, a point a sequence: the paper's picture."""
    return principal_components(head_outputs(model, numbers, layer, head, position)[:, 0], k)
