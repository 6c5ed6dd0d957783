"""Initialises a model with the weights of one with the same blocks, and a vocabulary at most as large."""

from copy import deepcopy

import torch
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.models.config import incompatibility
from unrandom.models.numerics import agree
from unrandom.models.transformer import Transformer


@torch.no_grad()
def grow(small: Transformer, large: Transformer) -> None:
    """Copy the weights of ``small`` into ``large``, whose vocabulary and digits per number may be larger.

    Its context may be longer or shorter. Further rows of the embedding, of the unembedding and of the position tables
    keep the values of ``large``; positions that it lacks are dropped. On common inputs, ``large`` then has the same
    logits, which is checked unless the digits per number differ, because additional digits shift the tokens. Raises
    UserError if there is an `incompatibility`.
    """
    if problem := incompatibility(small.config, large.config):
        raise UserError(f"weights cannot be copied: {problem}")
    targets = dict(large.named_parameters())
    for name, weight in small.named_parameters():
        shared = tuple(slice(min(sizes)) for sizes in zip(weight.shape, targets[name].shape, strict=True))
        targets[name][shared] = weight[shared]
    if small.config.digits == large.config.digits:
        _check_same_logits(small, large)


def _check_same_logits(small: Transformer, large: Transformer) -> None:
    """Raise RuntimeError unless both models have the same logits on tokens of the small one."""
    config = small.config
    length = min(config.context, large.config.context)
    tokens = torch.randint(config.vocab_size, (4, length), generator=torch.Generator().manual_seed(0))
    before, now = (_logits(model, tokens)[..., : config.vocab_size] for model in (small, large))
    if not agree(now, before):
        raise RuntimeError("the grown model has other logits than the small one")


def _logits(model: Transformer, tokens: Tensor) -> Tensor:
    """The logits, computed on the CPU by the explicit path: a GPU rounds products more coarsely than the tolerance."""
    return deepcopy(model).cpu().use_attention("explicit").eval()(tokens)
