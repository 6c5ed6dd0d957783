"""How many training steps fit into a limited time? As many as the measured speed allows, for all runs the same share.

Runs of one experiment keep the same share of their planned steps, so that they stay comparable; a single run may also
be made narrower. ``choose_shortening`` makes this decision, and ``Shortening.shorten`` applies it to a run.
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

MIN_STEPS_SHARE = 0.25  # least share of the planned steps; a single run is made narrower before it gets fewer
WIDTH_DIVISORS = (1, 2, 4)  # possible divisors of the width of a single run
MIN_WIDTH = 128  # features
EVALUATION_OVERHEAD = 1.2  # bound on total time over training time: evaluations and checkpoints take some, too
MAX_EVALUATIONS = 60  # points of a learning curve
MIN_EVALUATION_INTERVAL = 10  # least time between two evaluations, in units of the time that one takes
CHECKPOINT_SECONDS = 60.0  # time between two checkpoints


@runtime_checkable
class Speed(Protocol):
    """The training speed of a machine. Tests use a fake one."""

    def fastest_step_seconds(self, config: RunConfig) -> float:
        """Lower bound on the seconds per step."""
        ...

    def measured_step_seconds(self, config: RunConfig) -> float:
        """Seconds per step, measured by training a few steps; infinite if memory is too small."""
        ...


class MeasuredSpeed:
    """Speed of this machine: the bound from the rate of a large matrix product, the measurement from a trial."""

    def __init__(self, device: torch.device) -> None:
        configure_process(device)
        self._device = device
        self._rates: dict[str, float] = {}  # FLOP/s, by precision

    def fastest_step_seconds(self, config: RunConfig) -> float:
        precision = choose_precision(config.precision, self._device)
        if precision not in self._rates:
            product, operations = matrix_product(precision, self._device)
            self._rates[precision] = operations / min(timeit.repeat(product, number=1, repeat=5))
        return config.step_flops / self._rates[precision]

    def measured_step_seconds(self, config: RunConfig) -> float:
        try:
            return step_seconds(config, self._device)
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            return math.inf
        finally:
            release_models(self._device)


@dataclass(frozen=True)
class Shortening:
    """How planned runs are shortened: all to the same share of their steps, a single run perhaps made narrower, too."""

    share: float  # share of the planned steps that is trained
    divisor: int  # planned width over trained width
    rate: float  # training speed of the largest run, FLOP/s
    measured: bool  # True: the rate is that of training steps; False: that of a matrix product, an upper bound

    def shorten(self, run: RunSpec) -> RunSpec:
        """Return the run to train in place of a planned run, with evaluation and checkpoint intervals for its speed."""
        return replace(run, config=_shortened_config(_narrowed(run.config, self.divisor), self.share, self.rate))

    @property
    def text(self) -> str:
        """The decision in one line."""
        width = "" if self.divisor == 1 else f" with 1/{self.divisor} of the width"
        several = "" if self.measured and self.share > MIN_STEPS_SHARE else ", over several runs of the command"
        return f"{self.share:.0%} of the planned steps{width}{several}"


def choose_shortening(
    runs: Sequence[RunSpec], seconds: Callable[[], float], speed: Speed, *, may_wait: bool = False
) -> Shortening | None:
    """Return the largest share of steps of the runs (ancestors included) that fits, at least MIN_STEPS_SHARE.

    ``seconds`` returns the remaining time; it is called again after a trial, which takes some of it. A single run is
    made narrower before it gets fewer steps. Returns None if the runs ``may_wait`` for another run of the command and
    MIN_STEPS_SHARE does not fit. A width that cannot fit even at the speed of a matrix product is not tried.
    """
    divisors = (
        [1] if may_wait else [d for d in WIDTH_DIVISORS if d == 1 or (len(runs) == 1 and _can_be_narrowed(runs[0], d))]
    )
    found = None
    for divisor in divisors:
        configs = [_narrowed(run.config, divisor) for run in runs]
        largest = max(configs, key=lambda config: config.step_flops)
        flops = EVALUATION_OVERHEAD * sum(config.flops for config in configs)
        best = largest.step_flops / speed.fastest_step_seconds(largest)
        found = Shortening(MIN_STEPS_SHARE, divisor, best, measured=False)
        if MIN_STEPS_SHARE * flops / best <= seconds():
            step = speed.measured_step_seconds(largest)
            share = seconds() * largest.step_flops / step / flops
            if share >= MIN_STEPS_SHARE:
                return Shortening(min(1.0, share), divisor, largest.step_flops / step, measured=True)
            if math.isfinite(step):
                found = Shortening(MIN_STEPS_SHARE, divisor, largest.step_flops / step, measured=True)
    return None if may_wait else found


def _can_be_narrowed(run: RunSpec, divisor: int) -> bool:
    width = run.config.model.d_model
    return (
        run.config.start is None and width % (divisor * run.config.model.n_heads) == 0 and width // divisor >= MIN_WIDTH
    )


def _narrowed(config: RunConfig, divisor: int) -> RunConfig:
    return config if divisor == 1 else config.replace(model={"d_model": config.model.d_model // divisor})


def _shortened_config(config: RunConfig, share: float, rate: float) -> RunConfig:
    """Return the configuration with a share of its steps, at ``rate`` FLOP/s; its ancestor is shortened alike."""
    steps = _round_down(share * config.steps)
    flops = config.step_flops
    sequences = config.test_sequences + PROBES
    evaluation_steps = (
        forward_flops(config.transformer, sequences=sequences, tokens=config.data.context_tokens) / flops
    )  # cost of one evaluation, in units of a training step
    shortened = config.to_json() | {
        "steps": steps,
        "warmup_steps": min(config.warmup_steps, steps // 10),
        "evaluate_every": min(
            steps, max(math.ceil(steps / MAX_EVALUATIONS), math.ceil(MIN_EVALUATION_INTERVAL * evaluation_steps))
        ),
        "checkpoint_every": min(steps, max(1, int(CHECKPOINT_SECONDS * rate / flops))),
    }
    for phase in shortened["data"]["curriculum"]:
        phase["begin"] = round(share * phase["begin"])
        phase["steps"] = phase["steps"] and max(1, round(share * phase["steps"]))
    if config.start is not None:
        shortened["start"]["config"] = _shortened_config(config.start.config, share, rate).to_json()
    return RunConfig.parse(shortened)


def _round_down(steps: float) -> int:
    """Round down to three significant digits, which is as precise as the speed is known."""
    whole = max(1, math.floor(steps))
    unit = 10 ** max(0, len(str(whole)) - 3)
    return whole // unit * unit


def shortening_text(found: Shortening, runs: Sequence[RunSpec]) -> str:
    """Return the decision, with the seconds per step on which it is based, as text."""
    step = max(found.shorten(run).config.step_flops for run in runs) / found.rate
    return f"{found.text} ({duration(step)} per step {'as measured' if found.measured else 'at best'})"
