"""Causal multi-head attention, on three equivalent paths: explicit, fused and blockwise."""

from typing import Literal

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from unrandom.models.blockwise import BlockwiseAttention
from unrandom.models.config import TransformerConfig
from unrandom.models.costs import AttentionCosts, KeyValueShiftCosts
from unrandom.models.part import Part, fill_normal, residual_deviation, zero_biases
from unrandom.models.positions import Rotation
from unrandom.models.taps import Tap

AttentionPath = Literal["explicit", "fused", "blockwise"]


class KeyValueShift(KeyValueShiftCosts, Part):
    """Mixes a token's keys and values with the same digit's of the previous number.

    k[i] becomes own_k k[i] + (1 - own_k) k[i - digits], and v likewise, with learned shares own_k and own_v per head;
    zeros replace the number before the first. The shares are unbounded, and initially spread over (0, 1) by head.
    Adapted from KV shifting attention (arXiv 2411.19574), where the shift is one token.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.digits = config.digits
        self.own_k, self.own_v = (nn.Parameter(torch.empty(config.n_heads)) for _ in range(2))

    def initialise(self, generator: torch.Generator) -> None:
        heads = len(self.own_k)
        for share in (self.own_k, self.own_v):
            share.copy_((torch.arange(heads) + 0.5) / heads)

    def forward(
        self, k: Float[Tensor, "batch pos head d_head"], v: Float[Tensor, "batch pos head d_head"]
    ) -> tuple[Float[Tensor, "batch pos head d_head"], Float[Tensor, "batch pos head d_head"]]:
        return self._mix(k, self.own_k), self._mix(v, self.own_v)

    def _mix(self, x: Tensor, share: Tensor) -> Tensor:
        previous = F.pad(x, (0, 0, 0, 0, self.digits, 0))[:, : x.shape[1]]
        return torch.lerp(previous, x, share.to(x.dtype)[:, None])


class Attention(AttentionCosts, Part):
    """softmax(q k^T / sqrt(d_head) + causal mask) v for each head, mixed by W_O.

    With ``bias``, both linear layers have one. ``path`` is "explicit" (every tap runs), "fused" (one kernel of PyTorch)
    or "blockwise" (`BlockwiseAttention`); on the last two, the taps for scores and pattern never run. With
    ``kv_shift``, the taps for keys and values are after the shift.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.n_heads, self.residual_deviation = config.n_heads, residual_deviation(config)
        self.path: AttentionPath = "explicit"
        self.W_QKV = nn.Linear(config.d_model, 3 * config.d_model, bias=config.bias)
        self.W_O = nn.Linear(config.d_model, config.d_model, bias=config.bias)
        self.kv_shift = KeyValueShift(config) if config.kv_shift else None
        self.rotation = Rotation(config) if config.rotates else None
        self.hook_q, self.hook_k, self.hook_v = Tap(), Tap(), Tap()  # [batch, pos, head, d_head]
        self.hook_attn_scores = Tap()  # [batch, head, query, key], with causal mask
        self.hook_pattern = Tap()  # [batch, head, query, key], rows sum to 1
        self.hook_z = Tap()  # [batch, pos, head, d_head]

    def initialise(self, generator: torch.Generator) -> None:
        fill_normal(self.W_QKV.weight, generator)
        fill_normal(self.W_O.weight, generator, self.residual_deviation)
        zero_biases(self.W_QKV, self.W_O)

    def forward(self, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        q, k, v = rearrange(self.W_QKV(x), "b p (three h f) -> three b p h f", three=3, h=self.n_heads)
        if self.kv_shift is not None:
            k, v = self.kv_shift(k, v)
        q, k, v = (
            rearrange(tap(part), "b p h f -> b h p f")
            for tap, part in ((self.hook_q, q), (self.hook_k, k), (self.hook_v, v))
        )
        if self.rotation is not None:
            q, k = self.rotation(q), self.rotation(k)
        z = self.hook_z(rearrange(self._mixed(q, k, v), "b h p f -> b p h f"))
        return self.W_O(rearrange(z, "b p h f -> b p (h f)"))

    def _mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Float[Tensor, "batch head pos d_head"]:
        match self.path:
            case "explicit":
                return self._explicit(q, k, v)
            case "fused":
                return F.scaled_dot_product_attention(q, k, v, is_causal=True)
            case "blockwise":
                return BlockwiseAttention.apply(q, k, v)

    def _explicit(self, q: Tensor, k: Tensor, v: Tensor) -> Float[Tensor, "batch head pos d_head"]:
        length = q.shape[-2]
        future = torch.full((length, length), float("-inf"), device=q.device).triu(1)
        scores = (q @ k.mT) * q.shape[-1] ** -0.5 + future
        pattern = self.hook_pattern(self.hook_attn_scores(scores).softmax(-1))
        return pattern.to(v.dtype) @ v
