"""The paper's unseen-modulus half, in its order."""

from unrandom.experiments.unseen_modulus import (
    critical_depth,
    dataset,
    grokking,
    hyperparameters,
    period_ablation,
    phase_diagram,
    primes,
)

EXPERIMENTS = tuple(
    module.EXPERIMENT
    for module in (
        grokking,
        period_ablation,
        phase_diagram,
        critical_depth,
        hyperparameters,
        dataset,
        primes,
    )
)
