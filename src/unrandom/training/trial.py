"""Times trial steps of a throw-away model on the run's own data."""

from collections.abc import Callable

import torch

from unrandom.models import Transformer
from unrandom.tasks import Batches, make_batches
from unrandom.training.config import RunConfig
from unrandom.training.distributed import Ranks
from unrandom.training.loop import SingleStepper
from unrandom.training.machine import configure_process
from unrandom.training.optimizers import Optimizers
from unrandom.training.trainee import Progress, build_model


def trial_step(config: RunConfig, device: torch.device) -> Callable[[], None]:
    """A function that makes the next training step at each call, and waits for its loss."""
    stepper = trial_stepper(config, build_model(config, device))

    def step() -> None:
        stepper.advance()
        stepper.flush_losses()

    return step


def trial_stepper(config: RunConfig, model: Transformer, ranks: Ranks | None = None) -> SingleStepper:
    """A stepper for a model that is not saved."""
    optimizers, device = Optimizers(model, config.optimizer), next(model.parameters()).device
    configure_process(device, config)
    return SingleStepper(config, model, optimizers, Progress(), training_batches(config), ranks or Ranks(), device)


def training_batches(config: RunConfig) -> Batches:
    return make_batches(config.data.split(config.split_seed), config.batch_size, config.seed)
