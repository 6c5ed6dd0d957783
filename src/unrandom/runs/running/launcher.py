"""How does one command train many runs? It launches them on an engine and yields an event when a run ends."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unrandom.core.errors import RunsFailed
from unrandom.core.files import make_folder
from unrandom.runs.running.engines import EngineOptions, load_engine, run_jobs
from unrandom.runs.running.plan import pack_jobs
from unrandom.runs.running.worker import Outcome, Watch, WorkerOptions
from unrandom.runs.spec import RunSpec


@dataclass(frozen=True)
class Launcher:
    """Where and how the runs of one command are trained."""

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
    wanted = {spec.id: spec for spec in specs}
    total, done, ended, began = sum(spec.flops for spec in specs), 0, 0, time.monotonic()
    for outcome in run_jobs(engine, pack_jobs(specs, launcher.pack), options):
        if outcome.status == "full disk":  # on which no other run could be saved
            raise OSError(outcome.errno, os.strerror(outcome.errno), str(launcher.out))
        spec = wanted[outcome.run]
        if outcome.status == "stopped":
            yield Ended(spec, outcome, ended, None)
            continue
        ended += 1
        done += spec.flops
        left = (time.monotonic() - began) * (total - done) / done / 60
        yield Ended(spec, outcome, ended, left if ended < len(specs) else None)


def raise_failures(outcomes: Sequence[Outcome]) -> None:
    """Raise RunsFailed, with the first failure, if any run failed."""
    if failed := [outcome for outcome in outcomes if outcome.status == "failed"]:
        others = f" (and {len(failed) - 1} more failed)" if len(failed) > 1 else ""
        raise RunsFailed(f"{failed[0].run} failed: {failed[0].error}{others}")
