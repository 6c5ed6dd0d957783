"""How large is the learning rate at a step? A pure function of the step."""

import math

from unrandom.training.config import RunConfig


def learning_rate_factor(config: RunConfig, step: int) -> float:
    """The share of the target rate for update ``step`` (from 0).

    Linear warm-up, (step + 1) / warmup_steps; then 1, or half a cosine that would reach 0 at ``steps``.
    """
    if step < config.warmup_steps:
        return (step + 1) / config.warmup_steps
    if config.schedule == "constant":
        return 1.0
    progress = (step - config.warmup_steps) / max(1, config.steps - config.warmup_steps)
    return 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
