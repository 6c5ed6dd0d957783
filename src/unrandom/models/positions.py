"""Encodes token positions: learned, abacus (paper, appendix on abacus embeddings) or rotary embeddings."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from unrandom.models.config import TransformerConfig
from unrandom.models.costs import AbacusPositionsCosts, LearnedPositionsCosts
from unrandom.models.part import Part, fill_normal


class LearnedPositions(LearnedPositionsCosts, Part):
    """One learned vector per token position."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.W_pos = nn.Parameter(torch.empty(config.context, config.d_model))

    def initialise(self, generator: torch.Generator) -> None:
        fill_normal(self.W_pos, generator)

    def forward(self, length: int) -> Float[Tensor, "pos d_model"]:
        return self.W_pos[:length]


class AbacusPositions(AbacusPositionsCosts, Part):
    """PosEmbed(T_ij) = E_int(i) + E_digit(j) for digit j of number i."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.digits = config.digits
        self.W_int = nn.Parameter(torch.empty(config.numbers, config.d_model))
        self.W_digit = nn.Parameter(torch.empty(config.digits, config.d_model))

    def initialise(self, generator: torch.Generator) -> None:
        fill_normal(self.W_int, generator)
        fill_normal(self.W_digit, generator)

    def forward(self, length: int) -> Float[Tensor, "pos d_model"]:
        return (self.W_int[:, None] + self.W_digit).flatten(0, 1)[:length]


class Rotary(nn.Module):
    """Rotates the pairs (f, f + d_head/2) of queries and keys by position * 10000^(-2f/d_head) (Su et al. 2021)."""

    cos: Tensor
    sin: Tensor

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        frequencies = 10_000.0 ** (-torch.arange(0, config.d_head, 2) / config.d_head)
        angles = torch.arange(config.context)[:, None] * frequencies
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x: Float[Tensor, "batch heads pos d_head"]) -> Float[Tensor, "batch heads pos d_head"]:
        first, second = x.chunk(2, dim=-1)
        cos, sin = self.cos[: x.shape[-2]].to(x.dtype), self.sin[: x.shape[-2]].to(x.dtype)
        return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)
