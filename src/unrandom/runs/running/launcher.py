"""Launches many runs on an engine and yields an event when a run ends.

The time that is left is estimated from the steps that all places have made, also in runs that have not ended.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unrandom.core.errors import RunsFailed, UserError
from unrandom.core.files import make_folder
from unrandom.core.run_folder import RunFolder
from unrandom.runs.running.engines import EngineOptions, load_engine, run_jobs
from unrandom.runs.running.plan import pack_jobs
from unrandom.runs.running.worker import Outcome, Watch, WorkerOptions
from unrandom.runs.spec import RunSpec


@dataclass(frozen=True)
class Launcher:
    """How and on which engine the runs of one command are trained."""

    out: Path  # parent of the run folders
    command: tuple[str, ...] = ()
    engine: str = "local"
    options: EngineOptions = field(default_factory=EngineOptions)
    pack: int = 1  # most runs stacked in one process
    minutes: float | None = None  # time after which runs save and stop; None: no limit


@dataclass(frozen=True)
class Ended:
    """A run that ended, with the progress of all runs."""

    spec: RunSpec
    outcome: Outcome
    number: int  # count of ended runs so far, from 1; runs stopped by the deadline do not count
    minutes_left: float | None  # estimate for the remaining runs; None: none is left, or the deadline stopped this one


def train_runs(
    specs: Sequence[RunSpec], launcher: Launcher, *, sequences: int | None = None, watch: Watch | None = None
) -> Iterator[Ended]:
    """Train every run and, if ``sequences`` is set, evaluate it as a grid point.

    ``watch(steps)`` returns a context manager with an observer that shows progress; it is used if one local process
    trains one run at a time. Raises OSError when the disk is full.
    """
    if not specs:
        return
    engine = load_engine(launcher.engine, launcher.options)
    make_folder(launcher.out)  # here, where it is one line if it cannot be made or written
    options = WorkerOptions(
        out=launcher.out,
        command=launcher.command,
        deadline=None if launcher.minutes is None else time.time() + 60 * launcher.minutes,
        sequences=sequences,
        watch=watch if launcher.engine == "local" and engine.places == 1 and launcher.pack == 1 else None,
    )
    wanted, ended = {spec.id: spec for spec in specs}, 0
    pace = Pace(specs, launcher.out, engine.places)
    for outcome in run_jobs(engine, pack_jobs(specs, launcher.pack), options):
        if outcome.status == "full disk":  # no other run could be saved, either
            raise OSError(outcome.errno, os.strerror(outcome.errno), str(launcher.out))
        spec = wanted[outcome.run]
        if outcome.status == "stopped":
            yield Ended(spec, outcome, ended, None)
            continue
        ended += 1
        pace.end(spec)
        yield Ended(spec, outcome, ended, pace.minutes_left() if ended < len(specs) else None)


class Pace:
    """The speed at which ``places`` train these runs, from now on, by the operations of the steps made."""

    def __init__(self, specs: Sequence[RunSpec], out: Path, places: int) -> None:
        self._left, self._out = {spec.id: spec for spec in specs}, out
        self._places = min(places, len(specs))
        self._began, self._before = time.monotonic(), {spec.id: self._made(spec) for spec in specs}
        self._ended = 0.0  # operations of the runs that have ended

    def end(self, spec: RunSpec) -> None:
        """Count a run as ended."""
        self._ended += self._made(spec) - self._before[spec.id]
        del self._left[spec.id]

    def minutes_left(self) -> float | None:
        """The time for the runs that have not ended: all places share what is left, and none ends before its own
        run. None before anything was made."""
        made = {name: self._made(spec) for name, spec in self._left.items()}
        done = self._ended + sum(made[name] - self._before[name] for name in made)
        if not done:
            return None
        left = [spec.flops - made[name] for name, spec in self._left.items()]
        seconds = (time.monotonic() - self._began) / done * max(sum(left), self._places * max(left, default=0.0))
        return seconds / 60

    def _made(self, spec: RunSpec) -> float:
        """Operations of the steps that a run has made, by its last evaluation."""
        try:
            metrics = RunFolder(self._out / spec.id).read_metrics()
        except UserError:  # of a damaged run, which fails by itself
            return 0.0
        return spec.flops * min(1.0, metrics[-1]["step"] / spec.config.steps) if metrics else 0.0


def raise_failures(outcomes: Sequence[Outcome]) -> None:
    """Raise RunsFailed, with the first failure, if any run failed."""
    if failed := [outcome for outcome in outcomes if outcome.status == "failed"]:
        others = f" (and {len(failed) - 1} more failed)" if len(failed) > 1 else ""
        raise RunsFailed(f"{failed[0].run} failed: {failed[0].error}{others}")
