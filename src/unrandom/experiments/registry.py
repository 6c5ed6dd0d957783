"""Which object implements each experiment? ``EXPERIMENTS`` has the one in each catalogued module, which it imports."""

from importlib import import_module

from unrandom.experiments.catalogue import MODULES, entry
from unrandom.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {name: import_module(module).EXPERIMENT for name, module in MODULES.items()}


def experiment(name: str) -> Experiment:
    """Return the experiment called ``name``. Raises UserError, with near misses, if it is missing."""
    return EXPERIMENTS[entry(name).name]
