"""What will a run cost? Operations and memory by closed forms, time by its own first steps."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from unrandom.core.memory import available_memory
from unrandom.core.quantities import duration, scaled
from unrandom.models import TrainingMemory, forward_flops, recomputed_flops, training_memory
from unrandom.models.numerics import choose_attention, choose_precision
from unrandom.training.config import RunConfig
from unrandom.training.machine import returns_memory, synchronize
from unrandom.training.trainee import Progress

# What a step takes on a CPU over what its tensors take: freed memory that the process keeps lies in pieces, and a new
# tensor does not always fit into one of them. Measured: 1.4 to 1.9.
FRAGMENTATION = 1.7
WARM_UP = 2  # steps that are not representative: they import, compile and ask for memory
ENOUGH_STEPS, ENOUGH_SECONDS = 5, 1.0  # of a measurement: both
LONG_SECONDS = 5.0  # of a measurement of fewer steps, where each is slow


@dataclass(frozen=True)
class CostEstimate:
    """What the steps that are left take, and the evaluations between them; not the checkpoints."""

    steps: int
    flops_per_step: int  # the model's own
    recomputed_flops_per_step: int  # made a second time, where blocks run again in the backward pass
    evaluations: int
    evaluate_every: int  # steps
    steps_per_evaluation: float  # its time in steps; one rank reads all its sequences forward, alone
    memory: TrainingMemory  # of a rank
    data: int  # bytes of the training set, in main memory, on each rank
    device_has_memory: bool  # of its own, in which the training set is not
    available: int | None  # bytes for a rank; none: nobody knows
    advice: str
    step_seconds: float | None = None  # It is None until a step was measured.

    @property
    def flops(self) -> int:
        """The model's own operations, as in the cost of a recipe."""
        return self.steps * self.flops_per_step

    @property
    def memory_bytes(self) -> int:
        """Of a rank, on its device."""
        return self.memory.total + (0 if self.device_has_memory else self.data)

    @property
    def seconds(self) -> float | None:
        """Of the steps and evaluations that were left before the first of them; none: no step was measured."""
        if self.step_seconds is None:
            return None
        return (self.steps + self.evaluations * self.steps_per_evaluation) * self.step_seconds

    def timed(self, step_seconds: float) -> "CostEstimate":
        """The same with the time that a step was found to take."""
        return replace(self, step_seconds=step_seconds)

    @property
    def text(self) -> str:
        """Operations and memory, a line each."""
        recomputed = self.recomputed_flops_per_step
        again = f", and {scaled(recomputed, 'FLOP')} once more" if recomputed else ""
        parts = {  # bytes
            "weights": self.memory.weights,
            "gradients": self.memory.gradients,
            "optimiser": self.memory.optimizer,
            "activations": self.memory.activations + self.memory.working,
            "data" + " in main memory" * self.device_has_memory: self.data,
        }
        room = "" if self.available is None else f" of {_bytes(self.available)}"
        return (
            f"about {scaled(self.flops, 'FLOP')}: {scaled(self.flops_per_step, 'FLOP')} a step{again}\n"
            f"memory {_bytes(self.memory_bytes)}{room} a rank "
            f"({', '.join(f'{name} {_bytes(size)}' for name, size in parts.items() if size)}){self.advice}"
        )

    @property
    def time_text(self) -> str:
        """The time in a line, once a step was measured."""
        step, whole = self.step_seconds, self.seconds
        assert step is not None, "a step is measured first"
        assert whole is not None, "it follows from that of a step"
        return (
            f"about {duration(whole)} for {self.steps:,} steps: {duration(step)} a step as measured, "
            f"and an evaluation of {duration(self.steps_per_evaluation * step)} every {self.evaluate_every} steps"
        )

    def to_json(self) -> dict[str, float | int | None]:
        """As JSON values."""
        seconds = None if self.seconds is None else round(self.seconds, 1)
        return {"flops": self.flops, "memory_bytes": self.memory_bytes, "seconds": seconds}


def estimate(config: RunConfig, *, ranks: int, device: torch.device, step: int = 0, probes: int = 0) -> CostEstimate:
    """What is left of a run after ``step`` updates, on ``ranks`` processes like this one, all of them on this machine.

    An evaluation reads ``probes`` sequences beside the configuration's test sequences.
    """
    shape, tokens = config.transformer, config.data.context_tokens
    recomputed = recomputed_flops(shape, sequences=config.batch_size, tokens=tokens) if config.recompute else 0
    evaluation_flops = forward_flops(shape, sequences=config.test_sequences + probes, tokens=tokens)
    device_has_memory, data = device.type == "cuda", data_bytes(config)
    available = _available(ranks, device)
    return CostEstimate(
        steps=config.steps - step,
        flops_per_step=config.step_flops,
        recomputed_flops_per_step=recomputed,
        evaluations=-(-config.steps // config.evaluate_every) - step // config.evaluate_every,
        evaluate_every=config.evaluate_every,
        steps_per_evaluation=ranks * evaluation_flops / (config.step_flops + recomputed),
        memory=step_memory(config, ranks=ranks, device=device),
        data=data,
        device_has_memory=device_has_memory,
        available=available,
        advice=_advice(config, ranks, device, available, 0 if device_has_memory else data)
        + (_data_advice(ranks * data) if device_has_memory else ""),
    )


class StepTimer:
    """An observer of training that finds how long a step takes, from the first few, and then lets it run."""

    def __init__(self, device: torch.device, found: Callable[[float], None]) -> None:
        self._device, self._found = device, found
        self._calls, self._before, self._spent = 0, 0.0, 0.0
        self._done = False

    def __call__(self, progress: Progress) -> None:
        if self._done:
            return
        self._calls += 1
        waited = synchronize(self._device)  # what a GPU has yet to do is not in the time of the step
        if self._calls > WARM_UP:
            self._spent += progress.train_seconds - self._before + waited
        self._before = progress.train_seconds
        measured = self._calls - WARM_UP
        enough = measured >= ENOUGH_STEPS and self._spent >= ENOUGH_SECONDS
        if enough or self._spent >= LONG_SECONDS:
            self._done = True
            self._found(self._spent / measured)


def step_memory(config: RunConfig, *, ranks: int, device: torch.device) -> TrainingMemory:
    """Memory of a rank's share of a step, as it is taken from this device."""
    memory = training_memory(
        config.transformer,
        sequences=-(-config.batch_size // ranks),
        precision=choose_precision(config.precision, device),
        attention=choose_attention(config.transformer, device),
        optimizer=config.optimizer.name,
        micro_batches=config.micro_batches,
        recompute=config.recompute,
    )
    if ranks > 1:
        memory = replace(memory, gradients=2 * memory.gradients)  # what is sent is a copy
    if device.type == "cpu" and not returns_memory(config):
        fragments = (FRAGMENTATION - 1) * (memory.activations + memory.working)
        memory = replace(memory, working=memory.working + round(fragments))
    return memory


def data_bytes(config: RunConfig) -> int:
    """The training set: tokens, parameters, and two epochs' order. At most; a modulus may have fewer parameters."""
    task = config.data
    token_bytes = (task.context_tokens + 1) * np.dtype(task.tokenizer.dtype).itemsize
    return task.training_set_rows * (token_bytes + task.parameter_bytes + 2 * 8)


def _available(ranks: int, device: torch.device) -> int | None:
    """Bytes for each rank: of its GPU, or its share of main memory."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    free = available_memory()
    return None if free is None or device.type != "cpu" else free // ranks


def _advice(config: RunConfig, ranks: int, device: torch.device, available: int | None, data: int) -> str:
    """What to set so that a step fits; nothing where it does."""

    def needed(changed: RunConfig) -> int:
        return step_memory(changed, ranks=ranks, device=device).total + data

    if available is None or needed(config) <= available:
        return ""
    parts = [2**k for k in range(21) if config.batch_size % (ranks * 2**k) == 0 and 2**k >= config.micro_batches]
    for recompute in dict.fromkeys((config.recompute, True)):
        for micro_batches in parts:
            changed = {"micro_batches": micro_batches, "recompute": recompute}
            if (least := needed(config.replace(**changed))) <= available:
                settings = [f"{key}={str(value).lower()}" for key, value in changed.items() if config.at(key) != value]
                return f"; set {' and '.join(settings)} to need {_bytes(least)}"
    return "; no number of micro_batches makes it fit, nor recompute"


def _data_advice(data: int) -> str:
    """What to set so that the training sets of all ranks of this machine fit; nothing where they do."""
    free = available_memory()
    if free is None or data <= free:
        return ""
    return f"; the training sets need {_bytes(data)} of {_bytes(free)} of main memory: set data.mode=streaming"


def _bytes(number: float) -> str:
    return scaled(number, "B")
