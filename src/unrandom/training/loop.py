"""How does training go? One loop: a batch, a loss, an update; now and then a measurement and a checkpoint.

Everything a step needs follows from the configuration and the step, so a run killed at any moment and resumed has the
same losses, bit for bit on one machine, as one that was never killed.
"""

import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from unrandom.core.run_folder import RunFolder
from unrandom.core.seeds import torch_seed
from unrandom.models import Transformer, grow
from unrandom.models.numerics import autocast, choose_attention, choose_precision
from unrandom.tasks import Batches
from unrandom.training.checkpoint import Checkpoint, save_checkpoint
from unrandom.training.config import RunConfig
from unrandom.training.distributed import Ranks
from unrandom.training.machine import return_freed_memory, returns_memory
from unrandom.training.optimizers import Optimizers
from unrandom.training.schedule import learning_rate_factor

log = logging.getLogger(__name__)

Measure = Callable[[Transformer], dict[str, Any]]
Observer = Callable[["Progress"], None]

KEPT_WORDS = "the last good checkpoint is kept"


class NonFiniteLoss(ArithmeticError):
    """The loss became NaN or infinite; training cannot go on."""


@dataclass
class Progress:
    """Where a run stands. All of it is saved, so that a resumed run carries on with the same numbers."""

    step: int = 0  # updates made
    train_seconds: float = 0.0  # in steps and batches; neither evaluation nor checkpoints
    precision: str = ""  # of the forward pass: bf16 or fp32
    losses: list[float] = field(default_factory=list)  # since the last measurement
    latest: dict[str, Any] = field(default_factory=dict)  # the last line of metrics

    @property
    def train_loss(self) -> float:
        """Mean loss since the last measurement, nats per token."""
        return math.fsum(self.losses) / len(self.losses)


def build_model(config: RunConfig, device: torch.device) -> Transformer:
    """A fresh model of a run, on its device."""
    model = Transformer(config.transformer, seed=torch_seed(config.seed, "init")).to(device)
    model.recompute = config.recompute
    return model.use_attention(choose_attention(config.transformer, device))


@dataclass
class Trainee:
    """One run in training: where it is kept, how it is measured, and what changes with every step."""

    folder: RunFolder
    config: RunConfig
    measure: Measure
    model: Transformer
    optimizers: Optimizers
    progress: Progress

    @classmethod
    def begin(
        cls,
        folder: RunFolder,
        config: RunConfig,
        measure: Measure,
        device: torch.device,
        start: Checkpoint | None,
        parent: Transformer | None = None,
    ) -> "Trainee":
        """A fresh model, one grown from its ``parent``, or the one of a checkpoint.

        ``measure`` maps a model to one line of metrics.
        """
        model = build_model(config, device)
        if parent is not None:
            grow(parent, model)
        optimizers = Optimizers(model, config.optimizer)
        if start is None:
            return cls(folder, config, measure, model, optimizers, Progress())
        start.load_weights(model)
        optimizers.load_state(start.optimizer_state())
        return cls(folder, config, measure, model, optimizers, Progress(start.step, **start.progress))

    def in_precision(self, precision: str) -> None:
        """Note the precision of the steps to come, and say so where it changes."""
        before, step = self.progress.precision, self.progress.step
        if before not in ("", precision):
            log.warning("this run goes on in %s; up to step %d it was %s", precision, step, before)
        self.progress.precision = precision


def train(
    trainee: Trainee,
    batches: Batches,
    *,
    device: torch.device,
    ranks: Ranks | None = None,
    max_seconds: float | None = None,
    stop: Callable[[], bool] | None = None,
    observers: tuple[Observer, ...] = (),
) -> None:
    """Train to ``config.steps``, or until ``max_seconds`` have passed or ``stop`` says so after a step.

    The observers see every step. However it ends, the last step is checkpointed. Raises
    NonFiniteLoss, naming the step; on a CPU before that update, elsewhere before anything of it is saved.
    """
    ranks = ranks or Ranks()
    stepper = Stepper(trainee.config, trainee.model, trainee.optimizers, batches, ranks, device)
    trainee.in_precision(stepper.precision)
    over = time_is_up(max_seconds, stop)

    def told() -> bool:
        return (max_seconds, stop) != (None, None) and ranks.agree(over(), device)

    def settle() -> None:
        stepper.settle(trainee.progress)

    keep = [trainee] if ranks.leads else []
    go_on(trainee.progress, trainee.config, lambda: stepper.advance(trainee.progress), settle, keep, told, observers)
    trainee.model.eval()


def time_is_up(max_seconds: float | None, stop: Callable[[], bool] | None) -> Callable[[], bool]:
    """Says whether ``max_seconds`` have passed from now on, or ``stop`` says to stop."""
    began = time.perf_counter()

    def over() -> bool:
        out_of_time = max_seconds is not None and time.perf_counter() - began >= max_seconds
        return out_of_time or (stop is not None and stop())

    return over


def go_on(
    progress: Progress,
    config: RunConfig,
    advance: Callable[[], None],
    settle: Callable[[], None],
    keep: Sequence[Trainee],
    told: Callable[[], bool],
    observers: tuple[Observer, ...] = (),
) -> None:
    """Step by step to the end, or until ``told`` to stop; ``keep`` are the runs that are measured and saved here.

    ``progress`` and ``config`` are those of any run of the group: they are all at the same step.
    """
    while progress.step < config.steps:
        advance()
        finished = progress.step == config.steps
        stopping = told() or finished
        if progress.step % config.evaluate_every == 0 or finished:
            settle()
            for trainee in keep:
                _measure(trainee)
            progress.losses.clear()
        if progress.step % config.checkpoint_every == 0 or stopping:
            settle()
            for trainee in keep:
                _save(trainee)
        for observer in observers:
            observer(progress)
        if stopping:
            break


class Stepper:
    """Makes updates, and keeps their losses on the device until someone asks: asking costs a synchronisation."""

    def __init__(
        self,
        config: RunConfig,
        model: Transformer,
        optimizers: Optimizers,
        batches: Batches,
        ranks: Ranks,
        device: torch.device,
    ) -> None:
        self.config, self.model, self.optimizers, self.batches = config, model, optimizers, batches
        self.ranks, self.device = ranks, device
        ranks.check_batch(config.batch_size, config.micro_batches)
        if returns_memory(config):
            return_freed_memory(device)
        self.precision = choose_precision(config.precision, device)
        self.settle_every = 1 if device.type == "cpu" else 50
        self.waiting: list[tuple[int, Tensor]] = []  # step (from 1) and its loss
        self.wrapped = ranks.wrap(model)
        self.network = torch.compile(self.wrapped) if device.type == "cuda" else self.wrapped

    def advance(self, progress: Progress) -> None:
        """One update."""
        began = time.perf_counter()
        self.optimizers.scale_learning_rates(learning_rate_factor(self.config, progress.step))
        self.optimizers.zero_grad()
        self.waiting.append((progress.step + 1, self._gradients(progress.step)))
        if len(self.waiting) >= self.settle_every:
            self._read_losses(progress)
        if self.config.gradient_clip is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.gradient_clip)
        self.optimizers.step()
        progress.step += 1
        progress.train_seconds += time.perf_counter() - began

    def _gradients(self, step: int) -> Tensor:
        """The gradients of a step, added up part by part; returns the loss of this rank's rows."""
        tokens = self.batches.tokens(step, self.ranks.rank, self.ranks.count)
        batch = torch.from_numpy(tokens).to(self.device, non_blocking=True).long()
        *firsts, last = batch.chunk(self.config.micro_batches)
        losses = []
        for part in firsts:
            with self.ranks.apart(self.wrapped):
                losses.append(self._add_gradients(part))
        return torch.stack([*losses, self._add_gradients(last)]).sum()

    def _add_gradients(self, part: Tensor) -> Tensor:
        loss = self._loss(part) / self.config.micro_batches
        loss.backward()
        return loss.detach()

    def _loss(self, batch: Tensor) -> Tensor:
        with autocast(self.precision, self.device):
            logits = self.network(batch[:, :-1])
        return F.cross_entropy(logits.float().flatten(0, 1), batch[:, 1:].flatten())

    def settle(self, progress: Progress) -> None:
        """Wait for the steps that the device has not finished; NonFiniteLoss for the first loss that is not finite."""
        began = time.perf_counter()
        self._read_losses(progress)
        progress.train_seconds += time.perf_counter() - began

    def _read_losses(self, progress: Progress) -> None:
        if not self.waiting:
            return
        steps, losses = zip(*self.waiting, strict=True)
        self.waiting.clear()
        for step, loss in zip(steps, self.ranks.mean(torch.stack(losses)).tolist(), strict=True):
            check_finite(loss, step)
            progress.losses.append(loss)


def check_finite(loss: float, step: int) -> None:
    """Raises NonFiniteLoss unless the loss of a step is a number."""
    if not math.isfinite(loss):
        raise NonFiniteLoss(f"the loss is {loss} at step {step}; {KEPT_WORDS}")


def _save(trainee: Trainee) -> None:
    progress = trainee.progress
    if not all(bool(parameter.isfinite().all()) for parameter in trainee.model.parameters()):
        raise NonFiniteLoss(f"a weight is not finite after step {progress.step}; {KEPT_WORDS}")
    saved = {key: value for key, value in vars(progress).items() if key != "step"}
    save_checkpoint(trainee.folder, progress.step, trainee.model, trainee.optimizers.state(), saved)


def _measure(trainee: Trainee) -> None:
    config, progress, model = trainee.config, trainee.progress, trainee.model
    model.eval()
    factor = learning_rate_factor(config, progress.step - 1)
    measured = trainee.measure(model)
    if any(isinstance(value, float) and not math.isfinite(value) for value in measured.values()):
        raise NonFiniteLoss(f"what is measured after step {progress.step} is not finite; {KEPT_WORDS}")
    progress.latest = {
        "step": progress.step,
        "train_loss": progress.train_loss,
        **measured,
        "learning_rate": config.optimizer.lr * factor,
        "seconds": round(progress.train_seconds, 3),
    }
    progress.losses.clear()
    model.train()
    trainee.folder.append_metrics(progress.latest)
