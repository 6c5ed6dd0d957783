"""The paper's fixed-modulus half, in its order."""

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

EXPERIMENTS = tuple(
    module.EXPERIMENT
    for module in (
        grokking,
        ladder,
        invariance,
        embedding,
        attention,
        lookback_ablation,
        neurons,
        primes,
    )
)
