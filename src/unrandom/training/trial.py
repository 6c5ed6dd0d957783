"""How long does a step of a run take here? Steps of a model that is thrown away, on the run's own data."""

from collections.abc import Callable

import torch

from unrandom.models import Transformer
from unrandom.tasks import Batches, make_batches
from unrandom.training.config import RunConfig
from unrandom.training.distributed import Ranks
from unrandom.training.estimate import StepTimer
from unrandom.training.loop import SingleStepper
from unrandom.training.machine import configure_process
from unrandom.training.optimizers import Optimizers
from unrandom.training.trainee import Progress, build_model


def trial_step(config: RunConfig, device: torch.device) -> Callable[[], None]:
    """A step of training, each call the next one; it ends when its loss is known."""
    stepper = trial_stepper(config, build_model(config, device))

    def step() -> None:
        stepper.advance()
        stepper.flush_losses()

    return step


def step_seconds(config: RunConfig, device: torch.device) -> float:
    """Seconds of a step as a run of this configuration makes them, from the first few that are representative."""
    stepper = trial_stepper(config, build_model(config, device))
    found: list[float] = []
    timer = StepTimer(device, found.append)
    while not found:
        stepper.advance()
        timer(stepper.progress)
    return found[0]


def trial_stepper(config: RunConfig, model: Transformer, ranks: Ranks | None = None) -> SingleStepper:
    """What makes the steps of a run, for a model that is not kept."""
    optimizers, device = Optimizers(model, config.optimizer), next(model.parameters()).device
    configure_process(device, config)
    return SingleStepper(config, model, optimizers, Progress(), trial_batches(config), ranks or Ranks(), device)


def trial_batches(config: RunConfig) -> Batches:
    """The batches of the run."""
    return make_batches(config.data.split(config.split_seed), config.batch_size, config.seed)
