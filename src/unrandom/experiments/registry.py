"""What does each experiment of the catalogue do? Its module, loaded."""

from importlib import import_module

from unrandom.experiments.catalogue import CATALOGUE, entry
from unrandom.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    name: import_module(f"unrandom.experiments.{each.module}").EXPERIMENT for name, each in CATALOGUE.items()
}


def experiment(name: str) -> Experiment:
    """The experiment called ``name``; a UserError names the near misses when there is none."""
    return EXPERIMENTS[entry(name).name]
