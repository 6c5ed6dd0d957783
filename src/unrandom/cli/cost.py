"""What will training cost? Operations and memory are said before it begins, and time once a few steps were made."""

import time

from unrandom.cli.progress import say
from unrandom.core.quantities import duration
from unrandom.evaluation.during_training import PROBES
from unrandom.runs.run import Run
from unrandom.training import Progress
from unrandom.training.distributed import launched_device, launched_ranks
from unrandom.training.estimate import CostEstimate, StepTimer, estimate
from unrandom.training.machine import choose_device


class Costs:
    """Says on standard error what each run will cost. It has to see every step, as an observer of training."""

    def __init__(self) -> None:
        self.estimates: dict[str, CostEstimate] = {}  # The key is the id of the run.
        self._timer: StepTimer | None = None
        self._began, self._starting = 0.0, 0.0  # when the data began to be made, and how long it took to the first step

    def begin(self, run: Run, step: int, preface: str = "") -> None:
        """Say what the steps of ``run`` after ``step`` will cost; it is about to be trained."""
        device = choose_device(launched_device())
        cost = estimate(run.config, ranks=launched_ranks(), device=device, step=step, probes=PROBES)
        compiling = "compiling and " if device.type == "cuda" else ""
        say(f"{preface}{cost.text}\nmaking the data, then {compiling}timing the first steps ...")
        self.estimates[run.id], self._began, self._starting = cost, time.monotonic(), 0.0
        self._timer = StepTimer(device, lambda seconds: self._found(run.id, seconds))

    def __call__(self, progress: Progress) -> None:
        assert self._timer is not None, "a run begins before its first step"
        self._starting = self._starting or time.monotonic() - self._began
        self._timer(progress)

    def _found(self, run: str, seconds: float) -> None:
        self.estimates[run] = self.estimates[run].timed(seconds)
        say(f"{self.estimates[run].time_text}; starting took {duration(self._starting)}")
