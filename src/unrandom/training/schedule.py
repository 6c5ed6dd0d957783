"""The learning rate as a pure function of the step: warm-up, then one of three schedules."""

import math

from unrandom.training.config import RunConfig

TRAPEZOID_FALL = 1 / 3  # the last share of the schedule, in which a trapezoid falls


def learning_rate_factor(config: RunConfig, step: int) -> float:
    """The learning rate of update ``step`` (from 0) as a share of the configured one.

    Linear warm-up, (step + 1) / warmup_steps (the paper's begins at 0); then 1 (``constant``), half a cosine
    (``cosine``), or 1 and a linear fall in the last third of the schedule (``trapezoid``). The last two would reach 0
    at ``schedule_steps``, which are ``steps`` unless they are set.
    """
    if step < config.warmup_steps:
        return (step + 1) / config.warmup_steps
    whole = config.steps if config.schedule_steps is None else config.schedule_steps
    match config.schedule:
        case "constant":
            return 1.0
        case "cosine":
            progress = (step - config.warmup_steps) / max(1, whole - config.warmup_steps)
            return 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
        case "trapezoid":
            return min(1.0, max(0, whole - step) / (TRAPEZOID_FALL * whole))
