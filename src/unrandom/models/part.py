"""Initialises the parameters of the model, part by part, from one seeded generator."""

import torch
from torch import Tensor, nn

from unrandom.models.config import TransformerConfig
from unrandom.models.costs import PartCosts

INITIAL_DEVIATION = 0.02  # standard deviation of initial matrices and embeddings, as in GPT-2


class Part(PartCosts, nn.Module):
    """A module that owns parameters: its own, and its submodules' unless these are parts."""

    def initialise(self, generator: torch.Generator) -> None:
        """Fill all parameters of the part, drawing random numbers from this generator only."""
        raise NotImplementedError

    def matrix_parameters(self) -> list[nn.Parameter]:
        """The parameters that Muon updates if it is the optimiser."""
        return [self.get_parameter(name) for name in self.matrices]


def residual_deviation(config: TransformerConfig) -> float:
    """Initial standard deviation of the 2 depth matrices that write to the residual stream."""
    return INITIAL_DEVIATION * (2 * config.depth) ** -0.5


def fill_normal(weight: Tensor, generator: torch.Generator, deviation: float = INITIAL_DEVIATION) -> None:
    """Fill a tensor with normal numbers of mean 0 and this standard deviation."""
    weight.copy_(torch.randn(weight.shape, generator=generator) * deviation)


def zero_biases(*layers: nn.Linear | nn.LayerNorm) -> None:
    """Fill the biases of these layers with zeros, where they have some."""
    for layer in layers:
        if layer.bias is not None:
            layer.bias.zero_()


@torch.no_grad()
def initialise(model: nn.Module, seed: int) -> None:
    """Fill every parameter of a model, part by part, in module order. Raises AssertionError with the names of
    parameters that no part fills: these would not be reproducible."""
    for parameter in model.parameters():
        parameter.fill_(float("nan"))
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, Part):
            module.initialise(generator)
    unfilled = [name for name, parameter in model.named_parameters() if parameter.isnan().any()]
    assert not unfilled, f"no part initialises {', '.join(unfilled)}"
