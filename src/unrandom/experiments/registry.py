"""Which experiments are there? In the order of the paper."""

import difflib

from unrandom.core.errors import UserError
from unrandom.experiments import beyond, fixed_modulus, scaling, setting, unseen_modulus
from unrandom.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each for floor in (setting, fixed_modulus, unseen_modulus, scaling, beyond) for each in floor.EXPERIMENTS
}


def experiment(name: str) -> Experiment:
    """The experiment called ``name``; a UserError names the near misses when there is none."""
    if name not in EXPERIMENTS:
        near = difflib.get_close_matches(name, EXPERIMENTS, n=3, cutoff=0.3) or list(EXPERIMENTS)
        raise UserError(f"no experiment is called {name!r}; near misses: {', '.join(near)}")
    return EXPERIMENTS[name]
