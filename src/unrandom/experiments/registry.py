"""Imports the experiments of the catalogue."""

from importlib import import_module

from unrandom.experiments.catalogue import MODULES, entry
from unrandom.experiments.experiment import Experiment


def _of_module(module: str) -> dict[str, Experiment]:
    objects = vars(import_module(module)).values()
    return {each.name: each for each in objects if isinstance(each, Experiment)}


EXPERIMENTS: dict[str, Experiment] = {name: _of_module(module)[name] for name, module in MODULES.items()}


def experiment(name: str) -> Experiment:
    """Return the experiment called ``name``. Raises UserError, with near misses, if it is missing."""
    return EXPERIMENTS[entry(name).name]
