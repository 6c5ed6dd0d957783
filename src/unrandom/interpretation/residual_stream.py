"""Reads the residual stream before its end, and part by part.

The *logit lens* reads the stream after each attention and each MLP as if the model ended there. *Direct logit
attribution* splits a logit into what the embedding, each head and each MLP add to it; LayerNorm is held at the scale
that it has in the pass, so that the parts add up.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.models import Transformer


def stream_taps(model: Transformer) -> list[str]:
    """The taps where the residual stream can be read: before the first block, after each attention and each MLP."""
    after = [f"blocks.{layer}.hook_resid_{part}" for layer in range(model.config.depth) for part in ("mid", "post")]
    return ["blocks.0.hook_resid_pre", *after]


def at_position(stream: Float[Tensor, "batch pos d_model"], position: int) -> Float[Tensor, "batch d_model"]:
    """The stream at one position; negative ones count from the end. Raises UserError for one that it does not have."""
    length = stream.shape[1]
    if not -length <= position < length:
        raise UserError(f"position must be from {-length} to {length - 1}, but {position} was given")
    return stream[:, position]


@torch.no_grad()
def logit_lens(
    model: Transformer, tokens: Int[Tensor, "batch pos"], position: int = -1
) -> dict[str, Float[Tensor, "batch vocab"]]:
    """The logits that the residual stream at one position has at each of its taps, by the tap's name.

    >>> import unrandom
    >>> from unrandom.interpretation import logit_lens
    >>> run = unrandom.load("fm-256", device="cpu")
    >>> numbers = unrandom.LCG(m=256, a=5, c=3).orbit(x0=1, length=49)
    >>> lens = logit_lens(run.model, run.tokens(numbers[:-1]))
    >>> {tap: int(logits.argmax()) == numbers[-1] for tap, logits in lens.items()}
    {'blocks.0.hook_resid_pre': False, 'blocks.0.hook_resid_mid': False, 'blocks.0.hook_resid_post': True}
    """
    _, cache = model.run_with_cache(tokens, stream_taps(model))
    streams = {tap: at_position(stream, position)[:, None] for tap, stream in cache.items()}
    return {tap: model.unembed(model.ln_final(stream))[:, 0] for tap, stream in streams.items()}


@torch.no_grad()
def direct_logit_attribution(
    model: Transformer, tokens: Int[Tensor, "batch pos"], answers: Int[Tensor, " batch"], position: int = -1
) -> dict[str, Float[Tensor, " batch"]]:
    """What each part adds to the logit of the answer at one position, less what it adds to the mean of all logits.

    Parts are ``embed``, ``pos_embed`` (but for rotary positions), ``L0H0`` (layer and head), ``L0MLP`` and, in a model
    with biases, ``biases``. Their sum is the answer's logit less the mean of all, to rounding. Raises UserError unless
    there is one answer for each sequence.

    >>> import unrandom
    >>> from unrandom.interpretation import direct_logit_attribution
    >>> run = unrandom.load("fm-256", device="cpu")
    >>> numbers = unrandom.LCG(m=256, a=5, c=3).orbit(x0=1, length=49)
    >>> added = direct_logit_attribution(run.model, run.tokens(numbers[:-1]), run.tokens(numbers[-1:])[0])
    >>> max(added, key=lambda part: float(added[part]))
    'L0MLP'
    """
    answers = torch.as_tensor(answers, device=tokens.device)
    if answers.shape != tokens.shape[:1]:
        raise UserError(f"{len(tokens)} answers are needed, one per sequence, but their shape is {list(answers.shape)}")
    if not 0 <= int(answers.min()) <= int(answers.max()) < model.config.vocab_size:
        raise UserError(f"answers must be tokens, from 0 to {model.config.vocab_size - 1}")
    _, cache = model.run_with_cache(tokens)
    final, config = model.ln_final, model.config
    stream = at_position(cache[stream_taps(model)[-1]], position)
    scale = (stream.var(-1, correction=0, keepdim=True) + final.eps).rsqrt()
    directions = (model.W_U[:, answers] - model.W_U.mean(1, keepdim=True)).mT  # [batch, d_model]

    def to_logit(part: Float[Tensor, "batch d_model"]) -> Float[Tensor, " batch"]:
        return ((part - part.mean(-1, keepdim=True)) * scale * final.weight * directions).sum(-1)

    parts = {"embed": cache["hook_embed"][:, position]}
    if model.pos_embed is not None:
        parts["pos_embed"] = cache["hook_pos_embed"][position].expand_as(stream)
    for layer in range(config.depth):
        z = cache["z", layer][:, position]
        parts |= {f"L{layer}H{head}": z[:, head] @ model.W_O[layer, head] for head in range(config.n_heads)}
        parts[f"L{layer}MLP"] = cache["mlp_out", layer][:, position] - model.b_out[layer]
    added = {name: to_logit(part) for name, part in parts.items()}
    if config.bias:
        biases = (model.b_O.sum(0) + model.b_out.sum(0)).expand_as(stream)
        added["biases"] = to_logit(biases) + (final.bias * directions).sum(-1)
    return added
