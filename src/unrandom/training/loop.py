"""The training loop: batch, loss, backward pass, update; evaluation and checkpoint at fixed steps.

Every step is a function of the configuration and the step number, so a run that was killed and resumed has the same
losses, bit for bit on one machine, as an uninterrupted one.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor
from torch.nn import functional as F

from unrandom.core.errors import NonFiniteLoss
from unrandom.models import Transformer
from unrandom.models.numerics import autocast, choose_precision
from unrandom.tasks import Batches
from unrandom.training.config import RunConfig
from unrandom.training.distributed import Ranks
from unrandom.training.machine import configure_process
from unrandom.training.optimizers import Optimizers
from unrandom.training.schedule import learning_rate_factor
from unrandom.training.trainee import CHECKPOINT_REMAINS, Progress, Trainee

Observer = Callable[[Progress], None]
ShouldStop = Callable[[], bool]


def train(
    trainee: Trainee,
    batches: Batches,
    *,
    device: torch.device,
    ranks: Ranks | None = None,
    max_seconds: float | None = None,
    stop: ShouldStop | None = None,
    observers: tuple[Observer, ...] = (),
) -> None:
    """Train until ``config.steps``, or until ``max_seconds`` have passed or ``stop()`` is true after a step.

    Observers are called after every step. The last step is always checkpointed. Raises NonFiniteLoss, naming the step:
    on a CPU before that update; on a GPU losses are read every 50 steps, and always before a checkpoint.
    """
    ranks = ranks or Ranks()
    config, progress = trainee.config, trainee.progress
    configure_process(device, config)
    stepper = SingleStepper(config, trainee.model, trainee.optimizers, progress, batches, ranks, device)
    trainee.set_precision(stepper.precision)
    ends_here = stop_condition(max_seconds, stop)

    def should_stop() -> bool:
        # Clocks and signals differ between ranks, so that rank 0 decides for all. To tell them, it waits for the
        # device: without a time limit no more often than losses are read.
        asks = ranks.count == 1 or max_seconds is not None or progress.step % stepper.flush_every == 0
        return asks and ranks.broadcast(ends_here(), device)

    run_steps(stepper, [trainee] if ranks.is_main else [], should_stop, observers)
    trainee.model.eval()


def stop_condition(max_seconds: float | None, stop: ShouldStop | None) -> ShouldStop:
    """A predicate that becomes true after ``max_seconds`` from now, or when ``stop()`` does."""
    began = time.perf_counter()

    def ends() -> bool:
        out_of_time = max_seconds is not None and time.perf_counter() - began >= max_seconds
        return out_of_time or (stop is not None and stop())

    return ends


@runtime_checkable
class Stepper(Protocol):
    """Makes the updates of one run, or of several stacked runs at the same step."""

    config: RunConfig  # one run's: steps, evaluations and checkpoints are the same in all
    progress: Progress  # of the same run

    def advance(self) -> None:
        """Make one update of every run."""

    def flush_losses(self) -> None:
        """Wait for the losses of all steps. Raises NonFiniteLoss for the first that is not finite."""


def run_steps(
    stepper: Stepper, trainees: Sequence[Trainee], should_stop: ShouldStop, observers: tuple[Observer, ...] = ()
) -> None:
    """Train until ``config.steps`` or ``should_stop()``. This process evaluates and checkpoints ``trainees``.

    Only the main rank has trainees; the other ranks make the same steps.
    """
    config, progress = stepper.config, stepper.progress
    while progress.step < config.steps:
        stepper.advance()
        finished = progress.step == config.steps
        stopping = should_stop() or finished
        if progress.step % config.evaluate_every == 0 or finished:
            stepper.flush_losses()
            for trainee in trainees:
                trainee.write_metrics()
            progress.losses.clear()  # also on ranks that write no metrics
        if progress.step % config.checkpoint_every == 0 or stopping:
            stepper.flush_losses()
            for trainee in trainees:
                trainee.save()
        for observer in observers:
            observer(progress)
        if stopping:
            break


class SingleStepper:
    """Makes the updates of one model. Losses stay on the device for some steps, as reading one synchronises."""

    def __init__(
        self,
        config: RunConfig,
        model: Transformer,
        optimizers: Optimizers,
        progress: Progress,
        batches: Batches,
        ranks: Ranks,
        device: torch.device,
    ) -> None:
        ranks.check_batch(config.batch_size, config.micro_batches)
        self.config, self.model, self.optimizers, self.progress = config, model, optimizers, progress
        self.batches, self.ranks, self.device = batches, ranks, device
        self.precision = choose_precision(config.precision, device)
        self.flush_every = 1 if device.type == "cpu" else 50  # steps
        self.waiting: list[tuple[int, Tensor]] = []  # (step from 1, its loss), not read yet
        self.wrapped = ranks.wrap(model)
        self.network = torch.compile(self.wrapped) if device.type == "cuda" else self.wrapped

    def advance(self) -> None:
        """One update; gradients of the micro-batches are accumulated."""
        began = time.perf_counter()
        config, progress, ranks = self.config, self.progress, self.ranks
        self.optimizers.scale_learning_rates(learning_rate_factor(config, progress.step))
        self.optimizers.zero_grad()
        tokens = torch.from_numpy(self.batches.tokens(progress.step, ranks.rank, ranks.count))
        parts = tokens.to(self.device, non_blocking=True).long().chunk(config.micro_batches)
        losses = []
        for number, part in enumerate(parts, start=1):
            # Ranks exchange gradients once per step, in the backward pass of the last micro-batch.
            with ranks.no_sync(self.wrapped) if number < len(parts) else nullcontext():
                loss = self._loss(part) / len(parts)
                loss.backward()
            losses.append(loss.detach())
        self.waiting.append((progress.step + 1, torch.stack(losses).sum()))
        if len(self.waiting) >= self.flush_every:
            self._read_losses()
        if config.gradient_clip is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), config.gradient_clip)
        self.optimizers.step()
        progress.step += 1
        progress.train_seconds += time.perf_counter() - began

    def _loss(self, part: Tensor) -> Tensor:
        """Mean cross-entropy over tokens; a separate function, so that logits are freed before the backward pass."""
        with autocast(self.precision, self.device):
            logits = self.network(part[:, :-1])
        return F.cross_entropy(logits.float().flatten(0, 1), part[:, 1:].flatten())

    def flush_losses(self) -> None:
        """Wait for the device and read its losses. Raises NonFiniteLoss for the first that is not finite."""
        began = time.perf_counter()
        self._read_losses()
        self.progress.train_seconds += time.perf_counter() - began

    def _read_losses(self) -> None:
        if not self.waiting:
            return
        steps, losses = zip(*self.waiting, strict=True)
        self.waiting.clear()
        for step, loss in zip(steps, self.ranks.mean(torch.stack(losses)).tolist(), strict=True):
            check_finite(loss, step)
            self.progress.losses.append(loss)


def check_finite(loss: float, step: int) -> None:
    """Raise NonFiniteLoss if the loss of a step is NaN or infinite."""
    if not math.isfinite(loss):
        raise NonFiniteLoss(f"the loss is {loss} at step {step}; {CHECKPOINT_REMAINS}")
