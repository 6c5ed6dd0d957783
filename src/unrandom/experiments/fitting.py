"""What fits into the minutes there are? Steps and width of planned runs, from the speed that was measured.

Runs of one experiment are cut alike, so that they stay comparable: each keeps the same share of its steps.
"""

import math
import timeit
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch

from unrandom.core.quantities import in_words
from unrandom.evaluation.during_training import PROBES
from unrandom.experiments.experiment import PlannedRun
from unrandom.models import forward_flops, training_flops
from unrandom.training import RunConfig
from unrandom.training.machine import choose_precision, matrix_product, prepare
from unrandom.training.trial import step_seconds

SIZE = 2048  # of the matrix product
LEAST_SHARE = 0.25  # of the steps that a run is planned with; a narrower model is better than fewer
DIVISORS = (1, 2, 4)  # of the width of a run that stands alone
NARROWEST = 128  # features
BESIDE_STEPS = 1.2  # evaluations and checkpoints come to a fifth of the steps' time at most
POINTS = 60  # of a curve
EVALUATION_STEPS = 10  # between two evaluations at least, in the time that one evaluation takes
CHECKPOINT_SECONDS = 60.0


@runtime_checkable
class Speed(Protocol):
    """How fast this machine is. A stand-in of it makes plans testable."""

    def at_best(self, config: RunConfig) -> float:
        """Seconds that a step cannot be faster than."""
        ...

    def measured(self, config: RunConfig) -> float:
        """Seconds of a step, from steps that were made."""
        ...


class MeasuredSpeed:
    """By the rate of a large matrix product, and by a trial of each configuration."""

    def __init__(self, device: torch.device) -> None:
        prepare(device)
        self._device = device
        self._rates: dict[str, float] = {}  # FLOP/s, by precision

    def at_best(self, config: RunConfig) -> float:
        precision = choose_precision(config.precision, self._device)
        if precision not in self._rates:
            seconds = timeit.repeat(matrix_product(SIZE, precision, self._device), number=1, repeat=5)
            self._rates[precision] = 2 * SIZE**3 / min(seconds)
        return step_flops(config) / self._rates[precision]

    def measured(self, config: RunConfig) -> float:
        return step_seconds(config, self._device)


@dataclass(frozen=True)
class Fit:
    """The runs as they fit: by their id as planned, what is trained in their place."""

    runs: dict[str, PlannedRun]
    share: float  # of the steps that were planned
    divisor: int  # of the width that was planned
    step_seconds: float  # of the largest run
    measured: bool  # and not only what it takes at best
    seconds: float  # that there were

    @property
    def words(self) -> str:
        """What was decided, and from what, in a line."""
        width = "" if self.divisor == 1 else f" with 1/{self.divisor} of the width"
        step = f"{in_words(self.step_seconds)} a step {'as measured' if self.measured else 'at best'}"
        there = f"{in_words(self.seconds)} for it, {step}"
        if self.measured and self.share > LEAST_SHARE:
            return f"{self.share:.0%} of the planned steps{width} ({there})"
        return f"{self.share:.0%} of the planned steps{width}, over several calls ({there})"


def fit(runs: Sequence[PlannedRun], seconds: float, speed: Speed) -> Fit:
    """The runs (ancestors included) with as many of their steps as fit into ``seconds``, at least LEAST_SHARE of them.

    A single run is made narrower before it gets fewer. What cannot fit even at the speed of a matrix product is not
    measured.
    """
    single = len(runs) == 1
    divisors = [d for d in DIVISORS if d == 1 or (single and _can_be_divided(runs[0].config, d))]
    for divisor in divisors:
        narrowed = [_narrowed(run, divisor) for run in runs]
        largest = max(narrowed, key=lambda run: step_flops(run.config)).config
        all_steps = BESIDE_STEPS * sum(run.flops for run in narrowed) / step_flops(largest)  # in steps of the largest
        best = speed.at_best(largest)
        possible = all_steps * best * LEAST_SHARE <= seconds
        if not possible and divisor != divisors[-1]:
            continue
        step = speed.measured(largest) if possible else best
        share = seconds / (all_steps * step)
        if share >= LEAST_SHARE or divisor == divisors[-1]:
            share = min(1.0, max(LEAST_SHARE, share))
            rate = step_flops(largest) / step
            cut = {run.id: _cut(_narrowed(run, divisor), share, rate) for run in runs}
            return Fit(cut, share, divisor, step, possible, seconds)
    raise AssertionError("the narrowest is always taken")


def step_flops(config: RunConfig) -> int:
    """Operations of a training step."""
    return training_flops(config.transformer, sequences=config.batch_size, tokens=config.data.context_tokens)


def _can_be_divided(config: RunConfig, divisor: int) -> bool:
    width = config.model.d_model
    return config.start is None and width % (divisor * config.model.n_heads) == 0 and width // divisor >= NARROWEST


def _narrowed(run: PlannedRun, divisor: int) -> PlannedRun:
    if divisor == 1:
        return run
    return PlannedRun(run.name, run.config.override([f"model.d_model={run.config.model.d_model // divisor}"]))


def _cut(run: PlannedRun, share: float, rate: float) -> PlannedRun:
    """The run with a share of its steps, at ``rate`` FLOP/s, measured and saved often; what it begins with likewise."""
    config = run.config
    steps = _rounded(share * config.steps)
    flops = step_flops(config)
    tokens, read = config.data.context_tokens, config.test_sequences + PROBES
    evaluation = forward_flops(config.transformer, sequences=read, tokens=tokens) / flops  # in steps
    tree = config.tree()
    tree |= {
        "steps": steps,
        "warmup_steps": min(config.warmup_steps, steps // 10),
        "evaluate_every": min(steps, max(math.ceil(steps / POINTS), math.ceil(EVALUATION_STEPS * evaluation))),
        "checkpoint_every": min(steps, max(1, int(CHECKPOINT_SECONDS * rate / flops))),
    }
    for phase in tree["data"]["curriculum"]:
        phase["begin"] = round(share * phase["begin"])
        phase["steps"] = phase["steps"] and max(1, round(share * phase["steps"]))
    if config.start is not None:
        tree["start"]["config"] = _cut(PlannedRun(config.start.recipe, config.start.config), share, rate).config.tree()
    return PlannedRun(run.name, RunConfig.parse(tree))


def _rounded(steps: float) -> int:
    """Down to two or three digits, which is as well as the speed is known."""
    whole = max(1, math.floor(steps))
    unit = 10 ** max(0, len(str(whole)) - 3)
    return whole // unit * unit
