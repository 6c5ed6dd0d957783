"""Encodes token positions: learned or abacus embeddings (paper, appendix on abacus embeddings), and rotations."""

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from unrandom.models.config import TransformerConfig
from unrandom.models.costs import AbacusPositionsCosts, LearnedPositionsCosts
from unrandom.models.part import INITIAL_DEVIATION, Part, fill_normal

# Of 32 pairs or more, half turn at periods up to 2^8; the others make at most half a turn in 256 numbers.
NUMBER_PERIODS = 16


class PositionTable(Part):
    """Positions with one learned vector per place: a token, or a number."""

    places: ClassVar[str]  # the name of the parameter with these vectors

    @torch.no_grad()
    def fill_with_waves(self, generator: torch.Generator) -> None:
        """Replace the vectors of the places by cosines and sines of their number, each in a random direction.

        Their periods are 2, 4, 8, … up to the first above the number of places; the standard deviation is the usual
        one. Moving on by r places then turns a vector by the same rotation everywhere.
        """
        vectors = self.get_parameter(self.places)
        waves = _waves(len(vectors))
        mixed = waves @ torch.randn(waves.shape[1], vectors.shape[1], generator=generator)
        vectors.copy_(mixed * INITIAL_DEVIATION / mixed.std())


def _waves(places: int) -> Float[Tensor, "place wave"]:
    """Cosines and sines of the periods 2, 4, 8, … up to the first above their number; of 2, the cosine alone."""
    periods = 2.0 ** torch.arange(1, 1 + places.bit_length())
    angles = 2 * torch.pi * torch.arange(places)[:, None] / periods
    return torch.cat((angles.cos(), angles[:, 1:].sin()), dim=1)


class LearnedPositions(LearnedPositionsCosts, PositionTable):
    """One learned vector per token position."""

    places = "W_pos"

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.W_pos = nn.Parameter(torch.empty(config.context, config.d_model))

    def initialise(self, generator: torch.Generator) -> None:
        fill_normal(self.W_pos, generator)

    def forward(self, length: int) -> Float[Tensor, "pos d_model"]:
        return self.W_pos[:length]


class AbacusPositions(AbacusPositionsCosts, PositionTable):
    """PosEmbed(T_ij) = E_int(i) + E_digit(j) for digit j of number i."""

    places = "W_int"

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


class Rotation(nn.Module):
    """Turns the pairs (f, f + d_head/2) of queries and keys by an angle per position, so that a score depends on the
    distance of two positions (Su et al. 2021)."""

    cos: Tensor
    sin: Tensor

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        angles = _angles_by_number(config) if config.number_rotation else _angles_by_token(config)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x: Float[Tensor, "batch heads pos d_head"]) -> Float[Tensor, "batch heads pos d_head"]:
        first, second = x.chunk(2, dim=-1)
        cos, sin = self.cos[: x.shape[-2]].to(x.dtype), self.sin[: x.shape[-2]].to(x.dtype)
        return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


def _angles_by_token(config: TransformerConfig) -> Float[Tensor, "pos pair"]:
    """position * 10000^(-2f/d_head), as in rotary positions."""
    frequencies = 10_000.0 ** (-torch.arange(0, config.d_head, 2) / config.d_head)
    return torch.arange(config.context)[:, None] * frequencies


def _angles_by_number(config: TransformerConfig) -> Float[Tensor, "pos pair"]:
    """A turn in 2, 4, 8, …, 2^NUMBER_PERIODS numbers, by pair, and from 2 again; the same for a number's digits."""
    periods = 2.0 ** (1 + torch.arange(config.d_head // 2) % NUMBER_PERIODS)
    number = torch.arange(config.context) // config.digits
    return 2 * torch.pi * number[:, None] / periods
