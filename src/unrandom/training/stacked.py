"""How are many small runs trained in one process? Models of one shape are stacked and updated by one batched step.

One forward and one backward pass serve all runs (``torch.func``: stacked parameters under ``vmap``), so that small
operations are launched once. Each run has its own batches, learning rates and optimiser state. Its parameters are views
of the stack, so its checkpoints have the format of a run trained alone, and its results agree up to rounding (of
bf16 with Muon, which orthogonalises in bf16).
"""

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
from unrandom.training.schedule import learning_rate_factor
from unrandom.training.trainee import Trainee


def train_together(
    trainees: Sequence[Trainee],
    batches: Sequence[Batches],
    *,
    device: torch.device,
    max_seconds: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> None:
    """Train stacked runs that are at the same step, like `train` for each. An error in one run ends all of them.

    Raises ValueError for runs that differ in more than seeds and optimiser numbers, or in their step.
    """
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
                "only runs that differ in nothing but seeds and optimiser numbers, at one step, are trained together"
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
        for index, trainee in enumerate(self.trainees):
            self._update(index, trainee)
        seconds = (time.perf_counter() - began) / len(self.trainees)
        for trainee in self.trainees:
            trainee.progress.step += 1
            trainee.progress.train_seconds += seconds

    def _update(self, index: int, trainee: Trainee) -> None:
        for name, parameter in trainee.model.named_parameters():
            gradient = self.stacked[name].grad
            parameter.grad = None if gradient is None else gradient[index]
        if trainee.config.gradient_clip is not None:
            torch.nn.utils.clip_grad_norm_(trainee.model.parameters(), trainee.config.gradient_clip)
        trainee.optimizers.scale_learning_rates(learning_rate_factor(trainee.config, trainee.progress.step))
        trainee.optimizers.step()

    def flush_losses(self) -> None:
        """Nothing to do: `advance` reads the losses."""
