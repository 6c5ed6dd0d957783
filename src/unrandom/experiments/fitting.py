"""What fits into the minutes there are? Steps and width of planned runs, from the speed that was measured.

Runs of one experiment are cut alike, so that they stay comparable: each keeps the same share of its steps.
"""

import math
import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import torch

from unrandom.core.errors import out_of_memory
from unrandom.core.quantities import duration
from unrandom.evaluation.during_training import PROBES
from unrandom.models import forward_flops
from unrandom.models.numerics import choose_precision
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig
from unrandom.training.machine import configure_process, matrix_product, release_models
from unrandom.training.trial import step_seconds

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
        """Seconds of a step, from steps that were made; infinite where memory does not do."""
        ...


class MeasuredSpeed:
    """By the rate of a large matrix product, and by a trial of each configuration."""

    def __init__(self, device: torch.device) -> None:
        configure_process(device)
        self._device = device
        self._rates: dict[str, float] = {}  # FLOP/s, by precision

    def at_best(self, config: RunConfig) -> float:
        precision = choose_precision(config.precision, self._device)
        if precision not in self._rates:
            product, operations = matrix_product(precision, self._device)
            self._rates[precision] = operations / min(timeit.repeat(product, number=1, repeat=5))
        return config.step_flops / self._rates[precision]

    def measured(self, config: RunConfig) -> float:
        try:
            return step_seconds(config, self._device)
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            return math.inf
        finally:
            release_models(self._device)


@dataclass(frozen=True)
class Fit:
    """How planned runs are cut: all of them to the same share of their steps, one alone perhaps narrower, too."""

    share: float  # of the steps that were planned
    divisor: int  # of the width that was planned
    rate: float  # of the largest run, FLOP/s
    measured: bool  # the rate; else it is that of a matrix product, and no step is as fast

    def cut(self, run: RunSpec) -> RunSpec:
        """What is trained in the place of a planned run, measured and saved often."""
        return replace(run, config=_cut(_narrowed(run.config, self.divisor), self.share, self.rate))

    @property
    def text(self) -> str:
        """What was decided, in a line."""
        width = "" if self.divisor == 1 else f" with 1/{self.divisor} of the width"
        several = "" if self.measured and self.share > LEAST_SHARE else ", over several calls"
        return f"{self.share:.0%} of the planned steps{width}{several}"


def fit(runs: Sequence[RunSpec], seconds: Callable[[], float], speed: Speed, *, may_wait: bool = False) -> Fit | None:
    """As many of the steps of the runs (ancestors included) as fit into ``seconds``, at least LEAST_SHARE of them.

    The time is asked for again after a trial, which takes some of it. A single run is made narrower before it gets
    fewer steps. Runs that ``may_wait`` for another call are not cut so far: None, where LEAST_SHARE does not fit. What
    cannot fit even at the speed of a matrix product is not tried.
    """
    divisors = [1] if may_wait else [d for d in DIVISORS if d == 1 or (len(runs) == 1 and _can_be_divided(runs[0], d))]
    found = None
    for divisor in divisors:
        configs = [_narrowed(run.config, divisor) for run in runs]
        largest = max(configs, key=lambda config: config.step_flops)
        flops = BESIDE_STEPS * sum(config.flops for config in configs)
        best = largest.step_flops / speed.at_best(largest)
        found = Fit(LEAST_SHARE, divisor, best, measured=False)
        if LEAST_SHARE * flops / best <= seconds():
            step = speed.measured(largest)
            share = seconds() * largest.step_flops / step / flops
            if share >= LEAST_SHARE:
                return Fit(min(1.0, share), divisor, largest.step_flops / step, measured=True)
            if math.isfinite(step):
                found = Fit(LEAST_SHARE, divisor, largest.step_flops / step, measured=True)
    return None if may_wait else found


def _can_be_divided(run: RunSpec, divisor: int) -> bool:
    width = run.config.model.d_model
    return (
        run.config.start is None and width % (divisor * run.config.model.n_heads) == 0 and width // divisor >= NARROWEST
    )


def _narrowed(config: RunConfig, divisor: int) -> RunConfig:
    return config if divisor == 1 else config.replace(model={"d_model": config.model.d_model // divisor})


def _cut(config: RunConfig, share: float, rate: float) -> RunConfig:
    """A share of the steps, at ``rate`` FLOP/s; what the run begins with is cut likewise."""
    steps = _rounded(share * config.steps)
    flops = config.step_flops
    read = config.test_sequences + PROBES
    evaluation = (
        forward_flops(config.transformer, sequences=read, tokens=config.data.context_tokens) / flops
    )  # in steps
    tree = config.to_json() | {
        "steps": steps,
        "warmup_steps": min(config.warmup_steps, steps // 10),
        "evaluate_every": min(steps, max(math.ceil(steps / POINTS), math.ceil(EVALUATION_STEPS * evaluation))),
        "checkpoint_every": min(steps, max(1, int(CHECKPOINT_SECONDS * rate / flops))),
    }
    for phase in tree["data"]["curriculum"]:
        phase["begin"] = round(share * phase["begin"])
        phase["steps"] = phase["steps"] and max(1, round(share * phase["steps"]))
    if config.start is not None:
        tree["start"]["config"] = _cut(config.start.config, share, rate).to_json()
    return RunConfig.parse(tree)


def _rounded(steps: float) -> int:
    """Down to two or three digits, which is as well as the speed is known."""
    whole = max(1, math.floor(steps))
    unit = 10 ** max(0, len(str(whole)) - 3)
    return whole // unit * unit


def described(found: Fit, runs: Sequence[RunSpec]) -> str:
    """The decision with what it rests on."""
    step = max(found.cut(run).config.step_flops for run in runs) / found.rate
    return f"{found.text} ({duration(step)} a step {'as measured' if found.measured else 'at best'})"
