"""Trains a model: the loop, configuration, optimisers, schedule, checkpoints and parallel ranks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unrandom.training.config import OptimizerConfig, RunConfig, StartFrom, run_id
    from unrandom.training.loop import train
    from unrandom.training.trainee import Progress
else:  # a configuration needs no torch, so that listing recipes is fast
    from unrandom.core.lazy import lazy_names

    __getattr__ = lazy_names(
        __name__,
        {
            "config": ("OptimizerConfig", "RunConfig", "StartFrom", "run_id"),
            "loop": ("train",),
            "trainee": ("Progress",),
        },
    )
