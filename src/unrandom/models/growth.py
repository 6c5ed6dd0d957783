"""How does a model take over the weights of another? More tokens, more or fewer positions, the same blocks."""

from copy import deepcopy

import torch
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.models.config import incompatibility
from unrandom.models.transformer import Transformer

TOLERANCE = 1e-4  # of a logit, in fp32


@torch.no_grad()
def grow(small: Transformer, large: Transformer) -> None:
    """Copy the weights of ``small`` into ``large``, whose vocabulary and digits a number may be larger.

    Its context may be longer or shorter. New rows of the embedding, of the unembedding and of the position tables stay
    as ``large`` has them; positions that it lacks are left out. So on what both can read, ``large`` gives the same
    logits for the same tokens, which is checked; not where a number has more digits than before, as its tokens then
    come in between. Raises UserError where there is an `incompatibility`.
    """
    if problem := incompatibility(small.config, large.config):
        raise UserError(f"weights cannot be taken over: {problem}")
    theirs = dict(large.named_parameters())
    for name, weight in small.named_parameters():
        shared = tuple(slice(min(sizes)) for sizes in zip(weight.shape, theirs[name].shape, strict=True))
        theirs[name][shared] = weight[shared]
    if small.config.digits == large.config.digits:
        _check_kept(small, large)


def _check_kept(small: Transformer, large: Transformer) -> None:
    """Raise RuntimeError unless both give the same logits for what the small one knows."""
    config = small.config
    length = min(config.context, large.config.context)
    tokens = torch.randint(config.vocab_size, (4, length), generator=torch.Generator().manual_seed(0))
    before, now = (_logits(model, tokens)[..., : config.vocab_size] for model in (small, large))
    if not torch.allclose(before, now, atol=TOLERANCE, rtol=TOLERANCE):
        raise RuntimeError("the grown model does not compute what the small one did")


def _logits(model: Transformer, tokens: Tensor) -> Tensor:
    """On the CPU and by one path: elsewhere products are rounded more coarsely than the tolerance."""
    return deepcopy(model).cpu().use_attention("explicit").eval()(tokens)
