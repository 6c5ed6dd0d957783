"""Setting the scene: what an LCG's digits and their tokens look like."""

from unrandom.experiments.setting import (
    digit_periods,
    tokenization,
)

EXPERIMENTS = tuple(
    module.EXPERIMENT
    for module in (
        digit_periods,
        tokenization,
    )
)
