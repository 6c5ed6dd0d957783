"""How long do a step and an evaluation of a run take on this machine? A few of each are timed, with initial weights.

Where a step would take long or much memory, steps of fewer sequences are timed and scaled by their operations. What a
step does once, however many sequences it has (the update of the weights), is timed separately and not scaled.
"""

import gc
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial

import torch

from unrandom.bench.timing import interleaved
from unrandom.core.memory import available_memory
from unrandom.evaluation.during_training import MONITOR, PROBES
from unrandom.models import forward_flops
from unrandom.models.numerics import choose_precision
from unrandom.models.predictor import TransformerPredictor
from unrandom.tasks import Batches, Parameters
from unrandom.tasks.batches import Tokens
from unrandom.training import RunConfig
from unrandom.training.estimate import check_memory, step_memory
from unrandom.training.loop import SingleStepper
from unrandom.training.machine import matrix_product, release_models, synchronize
from unrandom.training.trainee import build_model
from unrandom.training.trial import awaited_step, trial_stepper

WARM_UP, ROUNDS = 1, 3
# A trial step has at most the operations that large matrix products make in ALL_SECONDS over the number of shapes. That
# time is at least SHORTEST and at most LONGEST seconds. Steps reach a third of the rate of such products, and a trial
# makes four of them. So the trials of many shapes take about twenty times ALL_SECONDS.
ALL_SECONDS, SHORTEST, LONGEST = 2.0, 0.05, 1.0
LEAST_TOKENS = 1024  # A trial step has at least so many tokens: with fewer, each operation takes longer.
LARGEST_SHARE = 0.5  # A trial step takes at most this share of the free memory.
MOST_EVALUATED = 512  # A trial evaluation has at most so many sequences.


@dataclass(frozen=True)
class Trial:
    """What was measured of the runs of one shape."""

    step_seconds: float  # A step with the whole batch takes this long.
    sequence_seconds: float  # An evaluation takes this long for each of its sequences.
    rows: int  # The steps that were timed had so many sequences.

    def evaluation_seconds(self, config: RunConfig) -> float:
        """The time of an evaluation during training."""
        return self.sequence_seconds * (config.test_sequences + PROBES)


def shape_of(config: RunConfig) -> Hashable:
    """A key that is equal for configurations whose steps cost the same, but for how sequences are drawn."""
    optimizer = (config.optimizer.name, config.gradient_clip is None)
    return (config.transformer, config.batch_size, config.precision, config.micro_batches, config.recompute, *optimizer)


def measure(configs: Sequence[RunConfig], device: torch.device) -> list[Trial]:
    """The times of each configuration, with one thread. The more there are, the fewer sequences are in a step.

    Raises UserError if one sequence of a batch needs more memory than there is.
    """
    rate = cache(partial(_rate, device))  # by the precision
    seconds = max(SHORTEST, min(LONGEST, ALL_SECONDS / max(1, len(configs))))
    with _one_thread(), _quickly_released():
        return [
            _measured(config, device, seconds * rate(choose_precision(config.precision, device))) for config in configs
        ]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Within the block, torch computes with one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _quickly_released() -> Iterator[None]:
    """Within the block, `release_models` does not search what was there before, which takes longer than a trial."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _rate(device: torch.device, precision: str) -> float:
    """Operations per second of a large matrix product."""
    product, operations = matrix_product(precision, device)
    (seconds,) = interleaved(product, rounds=ROUNDS, warmup=WARM_UP)
    return operations / seconds


def _measured(config: RunConfig, device: torch.device, operations: float) -> Trial:
    """The times of one configuration, by steps of at most so many operations."""
    drawn = config.replace(data={"mode": "streaming"})  # a fixed training set may take minutes to make
    rows = trial_rows(drawn, operations, device)
    in_parts = drawn if rows == drawn.batch_size else drawn.replace(micro_batches=1)
    stepper = trial_stepper(in_parts, build_model(drawn, device))
    trial = Trial(_step_seconds(stepper, rows), _sequence_seconds(stepper, operations), rows)
    del stepper
    release_models(device)
    return trial


def trial_rows(config: RunConfig, operations: float, device: torch.device) -> int:
    """The sequences of a trial step: the batch, halved until the step has at most these operations and fits in memory.

    Raises UserError if one sequence needs more memory than there is.
    """
    rows, free = config.batch_size, available_memory() if device.type == "cpu" else None
    few = LEAST_TOKENS // config.transformer.context

    def too_many() -> bool:
        takes_long = rows > few and rows * config.step_flops > config.batch_size * operations
        needed = step_memory(_with_batch(config, rows), ranks=1, device=device).total
        return takes_long or (free is not None and needed > LARGEST_SHARE * free)

    while rows > 1 and too_many():
        rows = -(-rows // 2)
    check_memory(_with_batch(config, rows), device)
    return rows


def _with_batch(config: RunConfig, rows: int) -> RunConfig:
    return config if rows == config.batch_size else config.replace(batch_size=rows, micro_batches=1)


@dataclass
class FirstRows:
    """The first rows of other batches, whose size the task may not allow."""

    batches: Batches
    batch_size: int

    def tokens(self, step: int, rank: int = 0, ranks: int = 1) -> Tokens:
        return self.batches.tokens(step, rank, ranks)[: self.batch_size]

    def probe(self, rows: int) -> Parameters:
        return self.batches.probe(rows)


def _step_seconds(stepper: SingleStepper, rows: int) -> float:
    """The time of a whole step, from steps of ``rows`` sequences."""
    whole, batches = stepper.config.batch_size, stepper.batches
    stepper.batches = FirstRows(batches, rows)

    def done_once() -> None:
        batches.tokens(stepper.progress.step)
        stepper.optimizers.step()
        synchronize(stepper.device)

    few, once = interleaved(awaited_step(stepper), done_once, rounds=ROUNDS, warmup=WARM_UP)
    return few if rows == whole else once + max(0.0, few - once) * whole / rows


def _sequence_seconds(stepper: SingleStepper, operations: float) -> float:
    """The time of one sequence in an evaluation during training, from an evaluation of about so many operations."""
    config, model = stepper.config, stepper.model
    each = forward_flops(config.transformer, sequences=1, tokens=config.data.context_tokens)
    sequences = max(1, min(MOST_EVALUATED, int(operations / each)))
    numbers = config.data.split(config.split_seed).test_of_largest(sequences, name=MONITOR).numbers
    predictor = TransformerPredictor(model.eval(), config.data.tokenizer, precision=stepper.precision)
    (seconds,) = interleaved(lambda: predictor.read(numbers), rounds=ROUNDS - 1, warmup=WARM_UP)
    return seconds / sequences
