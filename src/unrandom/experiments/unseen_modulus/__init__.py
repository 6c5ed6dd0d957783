"""The paper's unseen-modulus half, in its order."""

from unrandom.experiments.unseen_modulus import (
    critical_depth,
    dataset,
    embedding,
    grokking,
    heads,
    hyperparameters,
    lookback,
    modulus_estimate,
    patching,
    period_ablation,
    phase_diagram,
    primes,
    pruning,
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
        embedding,
        heads,
        pruning,
        modulus_estimate,
        patching,
        lookback,
    )
)
