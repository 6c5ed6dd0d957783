"""Which experiments are there? In the order of the paper."""

import difflib

from unrandom.core.errors import UserError
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.fixed_modulus import (
    attention,
    embedding,
    grokking,
    invariance,
    ladder,
    lookback_ablation,
    neurons,
    primes,
)
from unrandom.experiments.setting import digit_periods, tokenization

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        digit_periods,
        tokenization,
        grokking,
        ladder,
        invariance,
        embedding,
        attention,
        lookback_ablation,
        neurons,
        primes,
    )
}


def experiment(name: str) -> Experiment:
    """The experiment called ``name``; a UserError names the near misses when there is none."""
    if name not in EXPERIMENTS:
        near = difflib.get_close_matches(name, EXPERIMENTS, n=3, cutoff=0.3) or list(EXPERIMENTS)
        raise UserError(f"no experiment is called {name!r}; near misses: {', '.join(near)}")
    return EXPERIMENTS[name]
