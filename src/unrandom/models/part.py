"""What does a part of the model do for its parameters? It fills them from the seed, and says which Muon updates."""

import torch
from torch import Tensor, nn

from unrandom.models.config import TransformerConfig
from unrandom.models.costs import PartCosts

DEVIATION = 0.02  # GPT-2's, of every matrix and embedding at the start


class Part(PartCosts, nn.Module):
    """A module that owns parameters: its own, and those of modules inside it that are no parts themselves."""

    def initialise(self, generator: torch.Generator) -> None:
        """Fill each of its parameters. What is random is drawn from the generator, and from nothing else."""
        raise NotImplementedError

    def matrix_parameters(self) -> list[nn.Parameter]:
        """The parameters that Muon updates where it is the optimiser."""
        return [self.get_parameter(name) for name in self.matrices]


def residual_deviation(config: TransformerConfig) -> float:
    """Of a matrix that writes to the residual stream: smaller by sqrt(2 depth), as so many writes add up."""
    return DEVIATION * (2 * config.depth) ** -0.5


def fill_normal(weight: Tensor, generator: torch.Generator, deviation: float = DEVIATION) -> None:
    """Normal numbers of the deviation, with mean 0."""
    weight.copy_(torch.randn(weight.shape, generator=generator) * deviation)


@torch.no_grad()
def initialise(model: nn.Module, seed: int) -> None:
    """Fill every parameter of a model, part by part, in the order in which they stand in it.

    What no part fills would differ from run to run, so that it is an AssertionError, which names it.
    """
    for parameter in model.parameters():
        parameter.fill_(float("nan"))
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, Part):
            module.initialise(generator)
    missed = [name for name, parameter in model.named_parameters() if parameter.isnan().any()]
    assert not missed, f"no part initialises {', '.join(missed)}"
