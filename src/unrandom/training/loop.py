"""How does training go? One loop: a batch, a loss, an update; now and then a measurement and a checkpoint.

Everything a step needs follows from the configuration and the step, so a run killed at any moment and resumed has the
same losses, bit for bit on one machine, as one that was never killed.
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
    """Train to ``config.steps``, or until ``max_seconds`` have passed or ``stop`` says so after a step.

    The observers see every step. However it ends, the last step is checkpointed. Raises
    NonFiniteLoss, naming the step; on a CPU before that update, elsewhere before anything of it is saved.
    """
    ranks = ranks or Ranks()
    config, progress = trainee.config, trainee.progress
    configure_process(device, config)
    stepper = SingleStepper(config, trainee.model, trainee.optimizers, progress, batches, ranks, device)
    trainee.set_precision(stepper.precision)
    ends_here = stop_condition(max_seconds, stop)

    def should_stop() -> bool:
        can_stop = max_seconds is not None or stop is not None
        return can_stop and ranks.broadcast(ends_here(), device)  # a clock is not the same on every rank

    run_steps(stepper, [trainee] if ranks.is_main else [], should_stop, observers)
    trainee.model.eval()


def stop_condition(max_seconds: float | None, stop: ShouldStop | None) -> ShouldStop:
    """Says whenever it is asked whether ``max_seconds`` have passed since now, or ``stop`` says to stop."""
    began = time.perf_counter()

    def ends() -> bool:
        out_of_time = max_seconds is not None and time.perf_counter() - began >= max_seconds
        return out_of_time or (stop is not None and stop())

    return ends


@runtime_checkable
class Stepper(Protocol):
    """Makes the updates of a run, or of several side by side, which are all at the same step."""

    config: RunConfig  # of any of them: they have the same steps, evaluations and checkpoints
    progress: Progress  # of the same one

    def advance(self) -> None:
        """Make one update."""

    def flush_losses(self) -> None:
        """Wait for the losses of all steps. Raises NonFiniteLoss for the first that is not finite."""


def run_steps(
    stepper: Stepper, trainees: Sequence[Trainee], should_stop: ShouldStop, observers: tuple[Observer, ...] = ()
) -> None:
    """Step by step to the end, or until it should stop; ``trainees`` are the runs that this process measures and saves.

    Ranks other than the main one have none; they make the same steps.
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
            progress.losses.clear()  # on ranks that write none, too
        if progress.step % config.checkpoint_every == 0 or stopping:
            stepper.flush_losses()
            for trainee in trainees:
                trainee.save()
        for observer in observers:
            observer(progress)
        if stopping:
            break


class SingleStepper:
    """Updates one model, and keeps the losses on the device for a while: asking for one costs a synchronisation."""

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
        self.waiting: list[tuple[int, Tensor]] = []  # step (from 1) and its loss
        self.wrapped = ranks.wrap(model)
        self.network = torch.compile(self.wrapped) if device.type == "cuda" else self.wrapped

    def advance(self) -> None:
        """One update, from the gradients of the batch's parts, which are added up."""
        began = time.perf_counter()
        config, progress, ranks = self.config, self.progress, self.ranks
        self.optimizers.scale_learning_rates(learning_rate_factor(config, progress.step))
        self.optimizers.zero_grad()
        tokens = torch.from_numpy(self.batches.tokens(progress.step, ranks.rank, ranks.count))
        parts = tokens.to(self.device, non_blocking=True).long().chunk(config.micro_batches)
        losses = []
        for number, part in enumerate(parts, start=1):
            # The ranks exchange gradients once a step, in the backward pass of the last part.
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
        """Mean over the tokens. A function of its own, so that the logits are gone before the backward pass."""
        with autocast(self.precision, self.device):
            logits = self.network(part[:, :-1])
        return F.cross_entropy(logits.float().flatten(0, 1), part[:, 1:].flatten())

    def flush_losses(self) -> None:
        """Wait for the steps that the device has not finished; NonFiniteLoss for the first loss that is not finite."""
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
    """Raises NonFiniteLoss unless the loss of a step is a number."""
    if not math.isfinite(loss):
        raise NonFiniteLoss(f"the loss is {loss} at step {step}; {CHECKPOINT_REMAINS}")
