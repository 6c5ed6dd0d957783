"""How a model learns: configuration, optimisers, schedule, checkpoints, ranks and the loop."""

from unrandom.training.config import OptimizerConfig, RunConfig
from unrandom.training.loop import Progress, train

__all__ = ["OptimizerConfig", "Progress", "RunConfig", "train"]
