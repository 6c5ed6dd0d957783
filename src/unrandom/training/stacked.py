"""Trains many small runs in one process: models of one shape are stacked and updated by one batched step.

One forward and one backward pass serve all runs (``torch.func``: stacked parameters under ``vmap``), so that small
operations are launched once; on a GPU Muon's update, too. Each run has its own task, batches, learning rates and
optimiser state. Its parameters are views of the stack, so its checkpoints have the format of a run trained alone, and
its results agree up to rounding (of bf16 with Muon, where it orthogonalises in bf16).
"""

import math
import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional as F

from unrandom.models.numerics import autocast, choose_precision
from unrandom.tasks import Batches
from unrandom.training.loop import check_finite, run_steps, stop_condition
from unrandom.training.machine import configure_process
from unrandom.training.muon import StackedMuon
from unrandom.training.schedule import learning_rate_factor
from unrandom.training.trainee import Trainee

CLIP_ROUNDING = 1e-6  # added to a norm before it divides, as PyTorch does


def train_together(
    trainees: Sequence[Trainee],
    batches: Sequence[Batches],
    *,
    device: torch.device,
    max_seconds: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> None:
    """Train stacked runs that are at the same step, like `train` for each. An error in one run ends all of them.
    Raises ValueError for models of several shapes, and for runs that make other steps or are at another step."""
    stepper = StackedStepper(trainees, batches, device)
    configure_process(device, stepper.config)
    for trainee in trainees:
        trainee.set_precision(stepper.precision)
    run_steps(stepper, trainees, stop_condition(max_seconds, stop))
    for trainee in trainees:
        trainee.model.eval()


class StackedStepper:
    """Makes one update of every run at a time, each with its own batch; losses are read in the same step."""

    def __init__(self, trainees: Sequence[Trainee], batches: Sequence[Batches], device: torch.device) -> None:
        if len({(trainee.config.stack_key(), trainee.progress.step) for trainee in trainees}) != 1:
            raise ValueError(
                "only models of one shape, which make the same steps and are at the same one, are trained together"
            )
        self.config, self.progress = trainees[0].config, trainees[0].progress
        saves_memory = self.config.micro_batches > 1 or self.config.recompute
        assert not saves_memory, "runs that save memory are trained alone"
        self.trainees, self.batches, self.device = trainees, batches, device
        models = [trainee.model.use_attention("explicit") for trainee in trainees]
        self.precision = choose_precision(self.config.precision, device)
        self.stacked, _ = stack_module_state(list(models))
        for index, model in enumerate(models):
            for name, parameter in model.named_parameters():
                parameter.data = self.stacked[name].detach()[index]
        self._loss_of_each = vmap(self._loss)
        self._muon = stacked_muon(trainees, self.stacked) if device.type == "cuda" else None

    def _loss(self, weights: dict[str, Tensor], batch: Tensor) -> Tensor:
        logits = functional_call(self.trainees[0].model, weights, (batch[:, :-1],))
        return F.cross_entropy(logits.float().flatten(0, 1), batch[:, 1:].flatten())

    def advance(self) -> None:
        """One update of each run; the time is divided equally among them."""
        began = time.perf_counter()
        step = self.progress.step
        tokens = torch.stack([torch.from_numpy(batches.tokens(step)) for batches in self.batches])
        with autocast(self.precision, self.device):
            losses = self._loss_of_each(self.stacked, tokens.to(self.device).long())
        for value, trainee in zip(losses.tolist(), self.trainees, strict=True):
            check_finite(value, step + 1)
            trainee.progress.losses.append(value)
        for parameter in self.stacked.values():
            parameter.grad = None
        losses.sum().backward()
        self._clip_gradients()
        for index, trainee in enumerate(self.trainees):
            self._update(index, trainee)
        if self._muon is not None:
            self._muon.step()
        seconds = (time.perf_counter() - began) / len(self.trainees)
        for trainee in self.trainees:
            trainee.progress.step += 1
            trainee.progress.train_seconds += seconds

    def _update(self, index: int, trainee: Trainee) -> None:
        for name, parameter in trainee.model.named_parameters():
            gradient = self.stacked[name].grad
            parameter.grad = None if gradient is None else gradient[index]
        optimizers = trainee.optimizers
        optimizers.scale_learning_rates(learning_rate_factor(trainee.config, trainee.progress.step))
        optimizers.step(without=optimizers.muon if self._muon is not None else None)

    @torch.no_grad()
    def _clip_gradients(self) -> None:
        """Scale each run's gradients down to its largest norm, as `torch.nn.utils.clip_grad_norm_` does for one."""
        gradients = [parameter.grad for parameter in self.stacked.values() if parameter.grad is not None]
        norms = torch.stack([gradient.flatten(1).norm(dim=1) for gradient in gradients]).norm(dim=0)
        limits = [math.inf if (most := each.config.gradient_clip) is None else most for each in self.trainees]
        factors = (torch.tensor(limits, device=norms.device) / (norms + CLIP_ROUNDING)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(factors.reshape(-1, *[1] * (gradient.dim() - 1)))

    def flush_losses(self) -> None:
        """Nothing to do: `advance` reads the losses."""


def stacked_muon(trainees: Sequence[Trainee], stacked: dict[str, Tensor]) -> StackedMuon | None:
    """Muon's update for all runs at once; None if they have no Muon."""
    optimizers = [muon for trainee in trainees if (muon := trainee.optimizers.muon) is not None]
    if not optimizers:
        return None
    matrices = set(trainees[0].model.matrices())
    names = [name for name, parameter in trainees[0].model.named_parameters() if parameter in matrices]
    parameters = [{name: trainee.model.get_parameter(name) for name in names} for trainee in trainees]
    return StackedMuon(optimizers, parameters, stacked)
