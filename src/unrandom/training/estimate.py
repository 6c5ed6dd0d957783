"""What a run will cost: operations and memory from closed forms, time from its own first steps."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from unrandom.core.errors import UserError
from unrandom.core.memory import available_memory
from unrandom.core.quantities import duration, scaled
from unrandom.models import TrainingMemory, forward_flops, recomputed_flops, training_memory
from unrandom.models.numerics import choose_attention, choose_precision
from unrandom.models.predictor import MAX_ARRAY_SIZE, largest_array
from unrandom.training.config import RunConfig
from unrandom.training.machine import returns_memory, synchronize
from unrandom.training.optimizers import OPTIMIZERS
from unrandom.training.trainee import Progress

# Memory of a step on a CPU over the size of its tensors: the heap that the process keeps is fragmented. Measured: 1.4
# to 1.9.
FRAGMENTATION = 1.7
EVALUATION_ARRAYS = 6  # arrays of the largest size, in fp32, that are alive in an evaluation
# Copies of the optimiser's state while a checkpoint is written: the bytes of its tensors, and their file.
CHECKPOINT_COPIES = 2
WARM_UP = 2  # first steps, which are slow: they import, compile and allocate
ENOUGH_STEPS, ENOUGH_SECONDS = 5, 1.0  # a measurement needs both
LONG_SECONDS = 5.0  # after which a measurement ends with fewer steps
# Operations per second of one core in training, before anything was timed. Measured over 190 runs of the sizes of scale
# `laptop`, on server processors: 42e9 to 194e9, half of them between 64e9 and 79e9.
CORE_RATE = 75e9


def core_seconds(flops: float) -> float:
    """The time that one core of a CPU takes for this many operations of training, within a factor of two."""
    return flops / CORE_RATE


@dataclass(frozen=True)
class CostEstimate:
    """The cost of the remaining steps and evaluations of a run, without checkpoints."""

    steps: int
    flops_per_step: int  # without recomputation
    recomputed_flops_per_step: int  # of activation checkpointing
    evaluations: int
    evaluate_every: int  # steps between evaluations
    steps_per_evaluation: float  # time of an evaluation, in steps; only the main rank evaluates
    memory: TrainingMemory  # of a step, per rank
    between_steps: int  # further bytes that evaluations and checkpoints take, per rank
    data: int  # bytes of the training set in main memory, per rank
    device_has_memory: bool  # a GPU has its own memory, which does not hold the training set
    available: int | None  # bytes per rank; None: unknown
    advice: str  # settings that make the run fit; empty where it fits
    step_seconds: float | None = None  # None until steps were timed

    @property
    def flops(self) -> int:
        """Operations of all remaining steps, without recomputation, as in the cost of a recipe."""
        return self.steps * self.flops_per_step

    @property
    def memory_bytes(self) -> int:
        """Bytes per rank on its device. The process keeps what steps have freed, so that the peaks add up."""
        return self.memory.total + self.between_steps + (0 if self.device_has_memory else self.data)

    @property
    def seconds(self) -> float | None:
        """Time of the remaining steps and evaluations; None until steps were timed."""
        if self.step_seconds is None:
            return None
        return (self.steps + self.evaluations * self.steps_per_evaluation) * self.step_seconds

    def timed(self, step_seconds: float) -> "CostEstimate":
        """A copy with the measured time of a step."""
        return replace(self, step_seconds=step_seconds)

    @property
    def text(self) -> str:
        """Operations and memory as two lines of text."""
        recomputed = self.recomputed_flops_per_step
        again = f", and {scaled(recomputed, 'FLOP')} once more" if recomputed else ""
        parts = {  # bytes
            "weights": self.memory.weights,
            "gradients": self.memory.gradients,
            "optimiser": self.memory.optimizer,
            "activations": self.memory.activations + self.memory.working,
            "evaluations and checkpoints": self.between_steps,
            "data" + " in main memory" * self.device_has_memory: self.data,
        }
        room = "" if self.available is None else f" of {_bytes(self.available)}"
        return (
            f"about {scaled(self.flops, 'FLOP')}: {scaled(self.flops_per_step, 'FLOP')} per step{again}\n"
            f"memory {_bytes(self.memory_bytes)}{room} per rank "
            f"({', '.join(f'{name} {_bytes(size)}' for name, size in parts.items() if size)}){self.advice}"
        )

    @property
    def time_text(self) -> str:
        """The time as a line of text, once steps were timed."""
        step, whole = self.step_seconds, self.seconds
        assert step is not None, "steps are timed first"
        assert whole is not None, "it follows from the time of a step"
        return (
            f"about {duration(whole)} for {self.steps:,} steps: {duration(step)} per step as measured, "
            f"and an evaluation of {duration(self.steps_per_evaluation * step)} every {self.evaluate_every} steps"
        )

    def to_json(self) -> dict[str, float | int | None]:
        seconds = None if self.seconds is None else round(self.seconds, 1)
        return {"flops": self.flops, "memory_bytes": self.memory_bytes, "seconds": seconds}


def estimate(
    config: RunConfig, *, ranks: int, device: torch.device, step: int = 0, training_sequences: int = 0
) -> CostEstimate:
    """The cost of a run after ``step`` updates, on ``ranks`` processes of this machine.

    An evaluation reads ``training_sequences`` in addition to the configuration's test sequences.
    """
    shape, tokens = config.transformer, config.data.context_tokens
    recomputed = recomputed_flops(shape, sequences=config.batch_size, tokens=tokens) if config.recompute else 0
    evaluation_flops = forward_flops(shape, sequences=config.test_sequences + training_sequences, tokens=tokens)
    device_has_memory, data = device.type == "cuda", data_bytes(config)
    available, memory = _available(ranks, device), step_memory(config, ranks=ranks, device=device)
    evaluated = min(MAX_ARRAY_SIZE, (config.test_sequences + training_sequences) * largest_array(shape))
    evaluation, checkpoint = 4 * EVALUATION_ARRAYS * evaluated, CHECKPOINT_COPIES * memory.optimizer
    between_steps = evaluation if device_has_memory else max(evaluation, checkpoint)
    return CostEstimate(
        steps=config.steps - step,
        flops_per_step=config.step_flops,
        recomputed_flops_per_step=recomputed,
        evaluations=-(-config.steps // config.evaluate_every) - step // config.evaluate_every,
        evaluate_every=config.evaluate_every,
        steps_per_evaluation=ranks * evaluation_flops / (config.step_flops + recomputed),
        memory=memory,
        between_steps=between_steps,
        data=data,
        device_has_memory=device_has_memory,
        available=available,
        advice=_advice(config, ranks, device, available, between_steps + (0 if device_has_memory else data))
        + (_data_advice(ranks * data) if device_has_memory else ""),
    )


def check_memory(config: RunConfig, device: torch.device, ranks: int = 1) -> None:
    """Raise UserError, with advice, for a run that needs more than twice the main memory that is free. It would fill
    the machine before it fails; the memory of a GPU ends with an error of its own."""
    cost = estimate(config, ranks=ranks, device=device)
    if not cost.device_has_memory and cost.available is not None and cost.memory_bytes > 2 * cost.available:
        raise UserError(
            f"this run needs {_bytes(cost.memory_bytes)} of memory, and {_bytes(cost.available)} are free{cost.advice}"
        )


class StepTimer:
    """An observer of training that times the first steps after warm-up and calls ``found`` with seconds per step."""

    def __init__(self, device: torch.device, found: Callable[[float], None]) -> None:
        self._device, self._found = device, found
        self._calls, self._before, self._spent = 0, 0.0, 0.0
        self._done = False

    def __call__(self, progress: Progress) -> None:
        if self._done:
            return
        self._calls += 1
        waited = synchronize(self._device)  # work queued on a GPU is not in the time of the step
        if self._calls > WARM_UP:
            self._spent += progress.train_seconds - self._before + waited
        self._before = progress.train_seconds
        measured = self._calls - WARM_UP
        enough = measured >= ENOUGH_STEPS and self._spent >= ENOUGH_SECONDS
        if enough or self._spent >= LONG_SECONDS:
            self._done = True
            self._found(self._spent / measured)


def step_memory(config: RunConfig, *, ranks: int, device: torch.device) -> TrainingMemory:
    """Memory of one rank's share of a step on this device."""
    memory = training_memory(
        config.transformer,
        sequences=-(-config.batch_size // ranks),
        precision=choose_precision(config.precision, device),
        attention=choose_attention(config.transformer, device),
        **OPTIMIZERS[config.optimizer.name].moments,
        micro_batches=config.micro_batches,
        recompute=config.recompute,
    )
    if ranks > 1:
        memory = replace(memory, gradients=2 * memory.gradients)  # DDP communicates copies
    if device.type == "cpu" and not returns_memory(config):
        fragments = (FRAGMENTATION - 1) * (memory.activations + memory.working)
        memory = replace(memory, working=memory.working + round(fragments))
    return memory


def data_bytes(config: RunConfig) -> int:
    """An upper bound on the bytes of the training set: tokens, parameters, and the order of two epochs."""
    task = config.data
    token_bytes = (task.context_tokens + 1) * np.dtype(task.tokenizer.dtype).itemsize
    return task.training_set_rows * (token_bytes + task.parameter_bytes + 2 * 8)


def _available(ranks: int, device: torch.device) -> int | None:
    """Available bytes per rank: of its GPU, or its share of main memory."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    free = available_memory()
    return None if free is None or device.type != "cpu" else free // ranks


def _advice(config: RunConfig, ranks: int, device: torch.device, available: int | None, further: int) -> str:
    """Settings that make a step fit beside ``further`` bytes, as text; empty where it fits."""

    def needed(changed: RunConfig) -> int:
        return step_memory(changed, ranks=ranks, device=device).total + further

    if available is None or needed(config) <= available:
        return ""
    parts = [2**k for k in range(21) if config.batch_size % (ranks * 2**k) == 0 and 2**k >= config.micro_batches]
    for recompute in dict.fromkeys((config.recompute, True)):
        for micro_batches in parts:
            changed = {"micro_batches": micro_batches, "recompute": recompute}
            if (least := needed(config.replace(**changed))) <= available:
                settings = [f"{key}={str(value).lower()}" for key, value in changed.items() if config.at(key) != value]
                return f"; set {' and '.join(settings)} to need {_bytes(least)}"
    return "; no number of micro_batches makes it fit, nor recompute: make the model, batch_size or data smaller"


def _data_advice(data: int) -> str:
    """A setting that makes the training sets of all ranks fit, as text; empty where they fit."""
    free = available_memory()
    if free is None or data <= free:
        return ""
    return f"; the training sets need {_bytes(data)} of {_bytes(free)} of main memory: set data.mode=streaming"


def _bytes(number: float) -> str:
    return scaled(number, "B")
