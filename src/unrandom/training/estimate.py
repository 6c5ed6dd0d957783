"""What will a run cost? Operations and memory by closed forms, time by how fast this machine is now."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from unrandom.core.memory import available_memory
from unrandom.data import UnseenModulus
from unrandom.models import recomputed_flops, training_flops, training_memory
from unrandom.models.counts import TrainingMemory
from unrandom.training.config import RunConfig
from unrandom.training.machine import choose_attention, choose_precision, matrix_rate, saves_memory

# Of the rate of a matrix product, what a step reaches: a guess at the low end of what `unrandom bench train` measured,
# .38 to .82; the progress bar knows better after some steps.
EFFICIENCY = 0.4
HOLES = 1.7  # on a CPU, freed memory is kept in pieces that do not always fit: measured 1.4 to 1.9


@dataclass(frozen=True)
class Estimate:
    """What the steps that are left take. Time is that of steps alone: neither evaluation nor checkpoints."""

    steps: int
    flops_per_step: int  # the model's own
    flops_again: int  # a step, where blocks run twice
    rate: float  # of a matrix product, operations a second on all ranks together
    memory: TrainingMemory  # of a rank
    data: int  # bytes of the training set, in main memory, on each rank
    data_beside: bool  # the device has memory of its own, and the training set is not there
    available: int | None  # bytes for a rank; none: nobody knows
    advice: str

    @property
    def flops(self) -> int:
        """The model's own operations, as in the cost of a recipe."""
        return self.steps * self.flops_per_step

    @property
    def memory_bytes(self) -> int:
        """Of a rank, on its device."""
        return self.memory.total + (0 if self.data_beside else self.data)

    @property
    def seconds(self) -> float:
        return self.steps * (self.flops_per_step + self.flops_again) / (EFFICIENCY * self.rate)

    def after(self, step: int) -> "Estimate":
        """What is left of it once ``step`` updates are made."""
        return replace(self, steps=self.steps - step)

    @property
    def words(self) -> str:
        again = f", and {_scaled(self.flops_again, 'FLOP')} once more" if self.flops_again else ""
        parts = {  # bytes
            "weights": self.memory.weights,
            "gradients": self.memory.gradients,
            "optimiser": self.memory.optimizer,
            "activations": self.memory.activations + self.memory.working,
            "data" + " in main memory" * self.data_beside: self.data,
        }
        room = "" if self.available is None else f" of {_bytes(self.available)}"
        return (
            f"about {_scaled(self.flops, 'FLOP')}: {_scaled(self.flops_per_step, 'FLOP')} a step{again}; about "
            f"{_time(self.seconds)} at {100 * EFFICIENCY:.0f} % of {_scaled(self.rate, 'FLOP')}/s\n"
            f"memory {_bytes(self.memory_bytes)}{room} a rank "
            f"({', '.join(f'{name} {_bytes(size)}' for name, size in parts.items() if size)}){self.advice}"
        )

    def tree(self) -> dict[str, float | int]:
        """As JSON values."""
        return {"flops": self.flops, "memory_bytes": self.memory_bytes, "seconds": round(self.seconds, 1)}


def estimate(config: RunConfig, *, ranks: int, device: torch.device) -> Estimate:
    """What all of a run takes on ``ranks`` processes like this one, all of them on this machine."""
    precision = choose_precision(config.precision, device)
    shape, tokens = config.transformer, config.data.context_tokens
    again = recomputed_flops(shape, sequences=config.batch_size, tokens=tokens) if config.recompute else 0
    beside, held = device.type == "cuda", data_bytes(config)
    available = _available(ranks, device)
    memory = step_memory(config, ranks=ranks, device=device)
    return Estimate(
        steps=config.steps,
        flops_per_step=training_flops(shape, sequences=config.batch_size, tokens=tokens),
        flops_again=again,
        rate=ranks * matrix_rate(precision, device),
        memory=memory,
        data=held,
        data_beside=beside,
        available=available,
        advice=_advice(config, ranks, device, available, 0 if beside else held)
        + (_data_advice(ranks * held) if beside else ""),
    )


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
    if device.type == "cpu" and not saves_memory(config):
        lost = (HOLES - 1) * (memory.activations + memory.working)
        memory = replace(memory, working=memory.working + round(lost))
    return memory


def data_bytes(config: RunConfig) -> int:
    """The training set: tokens, parameters, and two epochs' order. At most; a modulus may have fewer parameters."""
    data = config.data
    if data.mode == "streaming":
        return 0
    unseen = isinstance(data, UnseenModulus)
    row = (data.context_tokens + 1) * np.dtype(data.tokenizer.dtype).itemsize + 8 * (4 if unseen else 3) + 2 * 8
    if data.n_sequences is not None:
        return data.n_sequences * row
    moduli = 1 if not isinstance(data, UnseenModulus) else data.n_m or data.largest_modulus - data.smallest_modulus + 1
    return moduli * (data.n_a or 1) * (data.n_c or 1) * row


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
            if (least := needed(config.model_copy(update=changed))) <= available:
                settings = [f"{key}={str(value).lower()}" for key, value in changed.items() if config.at(key) != value]
                return f"; set {' and '.join(settings)} to need {_bytes(least)}"
    return "; no number of micro_batches makes it fit, nor recompute"


def _data_advice(held: int) -> str:
    """What to set so that the training sets of all ranks of this machine fit; nothing where they do."""
    free = available_memory()
    if free is None or held <= free:
        return ""
    return f"; the training sets need {_bytes(held)} of {_bytes(free)} of main memory: set data.mode=streaming"


def _bytes(number: float) -> str:
    return _scaled(number, "B")


def _scaled(number: float, unit: str) -> str:
    """With three digits and a prefix: 37.3 EFLOP."""
    prefixes = iter(("", "k", "M", "G", "T", "P", "E", "Z", "Y"))
    prefix = next(prefixes)
    while number >= 999.5:
        number, prefix = number / 1000, next(prefixes)
    return f"{number:.3g} {prefix}{unit}"


def _time(seconds: float) -> str:
    for size, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
