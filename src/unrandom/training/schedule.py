"""How large is the learning rate at each step? Linear warm-up, then constant or cosine: a pure function of the step."""

import math

from unrandom.training.config import RunConfig


def learning_rate_factor(config: RunConfig, step: int) -> float:
    """The learning rate of update ``step`` (from 0) as a share of the configured one.

    Linear warm-up, (step + 1) / warmup_steps (the paper's begins at 0); then 1, or half a cosine that would reach 0 at
    ``schedule_steps``, which are ``steps`` unless they are set.
    """
    if step < config.warmup_steps:
        return (step + 1) / config.warmup_steps
    if config.schedule == "constant":
        return 1.0
    whole = config.steps if config.schedule_steps is None else config.schedule_steps
    progress = (step - config.warmup_steps) / max(1, whole - config.warmup_steps)
    return 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
