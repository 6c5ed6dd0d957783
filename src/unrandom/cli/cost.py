"""Prints what training will cost: FLOPs and memory before it begins, and time once a few steps are timed."""

import time

from unrandom.cli.progress import say
from unrandom.core.quantities import duration
from unrandom.evaluation.during_training import PROBES
from unrandom.runs.run import Run
from unrandom.training import Progress
from unrandom.training.distributed import launched_ranks
from unrandom.training.estimate import CostEstimate, StepTimer, estimate
from unrandom.training.machine import training_device


class Costs:
    """An observer of training that prints the cost of each run on standard error. It has to observe every step.

    ``device`` is the name of the device that trains; None: the best one.
    """

    def __init__(self, device: str | None = None) -> None:
        self._device = device
        self.estimates: dict[str, CostEstimate] = {}  # keys are run ids
        self._timer: StepTimer | None = None
        self._began = 0.0  # when data preparation began
        self._startup_seconds = 0.0  # time from the start of data preparation to the end of the first step

    def begin(self, run: Run, step: int, preface: str = "") -> None:
        """Print the cost of training ``run`` from ``step`` to its end; call this before the training."""
        device = training_device(self._device)
        cost = estimate(run.config, ranks=launched_ranks(), device=device, step=step, training_sequences=PROBES)
        compiling = "compiling and " if device.type == "cuda" else ""
        say(f"{preface}{cost.text}\nmaking the data, then {compiling}timing the first steps ...")
        self.estimates[run.id], self._began, self._startup_seconds = cost, time.monotonic(), 0.0
        self._timer = StepTimer(device, lambda seconds: self._print_time(run.id, seconds))

    def __call__(self, progress: Progress) -> None:
        assert self._timer is not None, "`begin` must be called before the first step"
        self._startup_seconds = self._startup_seconds or time.monotonic() - self._began
        self._timer(progress)

    def _print_time(self, run_id: str, seconds: float) -> None:
        """Add the measured seconds per step to the estimate of the run, and print it."""
        self.estimates[run_id] = self.estimates[run_id].timed(seconds)
        say(f"{self.estimates[run_id].time_text}; starting took {duration(self._startup_seconds)}")
