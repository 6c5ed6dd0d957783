"""A worker trains each run of a job from its newest checkpoint and returns one outcome per run.

A run that fails leaves ``error.json`` in its folder, and the other runs continue. Only a full disk ends all of them.
"""

import errno
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch

from unrandom.core.config import Config
from unrandom.core.errors import Busy, NonFiniteLoss, RunsFailed, UserError, out_of_memory
from unrandom.core.files import FULL, make_folder, write_json
from unrandom.core.interrupts import Interrupted, either, interruptible
from unrandom.core.reading import read_json
from unrandom.core.run_folder import RunFolder
from unrandom.runs.run import Run
from unrandom.runs.running.execution import create_run, execute, execute_together
from unrandom.runs.running.grid_point import is_measured, measured_point
from unrandom.runs.running.plan import Job
from unrandom.runs.spec import RunSpec
from unrandom.training.checkpoint import saved_step
from unrandom.training.loop import Observer

STOP_FILE_SECONDS = 0.2  # interval of looking whether the stop file exists

OutcomeStatus = Literal["finished", "stopped", "failed", "busy", "full disk"]
Stop = Callable[[], bool]
Watch = Callable[[int], AbstractContextManager[Observer]]


@dataclass(frozen=True)
class WorkerOptions:
    """Options that every worker of a command receives, on any engine."""

    out: Path
    command: tuple[str, ...] = ()
    threads: int | None = None  # torch threads per worker; None: torch's default
    deadline: float | None = None  # when runs save and stop, in seconds since the epoch
    sequences: int | None = None  # sequences per part for evaluating finished runs; None: no evaluation
    watch: Watch | None = None  # watch(steps) shows progress
    stop_file: Path | None = None  # once it exists, runs save and stop: it reaches every machine that shares ``out``

    @property
    def over(self) -> bool:
        return self.deadline is not None and time.time() >= self.deadline

    def minutes_left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.time()) / 60


class Failure(Config):
    """The content of ``error.json``."""

    kind: str
    message: str
    traceback: str | None


@dataclass(frozen=True)
class Outcome:
    """How one run ended. A run stopped by the deadline or by pre-emption can be resumed."""

    run: str  # its id
    status: OutcomeStatus
    error: str = ""
    seconds: float = 0.0
    errno: int = 0  # system error of a full disk
    step: int = 0  # updates that were saved of a stopped run


def run_job(job: Job, options: WorkerOptions, stop: Stop | None = None) -> list[Outcome]:
    """Train the runs of a job: several runs stacked; a single run, or all runs if stacking fails, one after another.
    Raises Interrupted, after checkpoints, if SIGINT came to this process (workers ignore it)."""
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    with interruptible() as interrupted:
        outcomes = _train_job(job, options, either(interrupted, stop, _appeared(options.stop_file)))
    if interrupted():
        steps = {spec.id: spec.config.steps for spec in job.runs}
        raise Interrupted.at([(each.run, each.step, steps[each.run]) for each in outcomes if each.step])
    return outcomes


def _train_job(job: Job, options: WorkerOptions, stop: Stop) -> list[Outcome]:
    began = time.perf_counter()
    if len(job.runs) > 1 and not options.over:
        # If training them together fails, each run is retried alone below, so that only the faulty one fails.
        try:
            opened = [_open(spec, options) for spec in job.runs]
            if len(waiting := [run for run in opened if not run.folder.finished]) > 1:
                execute_together(waiting, max_minutes=options.minutes_left(), stop=stop)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in FULL:
                return [_full_disk(job.runs[0], error, time.perf_counter() - began)]
    outcomes: list[Outcome] = []
    for spec in job.runs:
        outcomes.append(_train_one(spec, options, stop))
        if outcomes[-1].status == "full disk":
            break
    return outcomes


def _appeared(file: Path | None) -> Stop | None:
    """A predicate that is true once the file exists, which is looked up now and then."""
    if file is None:
        return None
    looked, found = -STOP_FILE_SECONDS, False

    def appeared() -> bool:
        nonlocal looked, found
        if not found and time.monotonic() - looked >= STOP_FILE_SECONDS:
            looked, found = time.monotonic(), file.exists()
        return found

    return appeared


def _open(spec: RunSpec, options: WorkerOptions) -> Run:
    """The run with its folder, created if necessary."""
    return create_run(spec, options.out, list(options.command))


def _train_one(spec: RunSpec, options: WorkerOptions, stop: Stop) -> Outcome:
    began = time.perf_counter()

    def outcome(status: OutcomeStatus, error: str = "") -> Outcome:
        return Outcome(spec.id, status, error, round(time.perf_counter() - began, 3))

    try:
        if _train_and_evaluate(spec, options, stop):
            return outcome("finished")
        return replace(outcome("stopped"), step=saved_step(RunFolder(options.out / spec.id)))
    except Busy as error:
        return outcome("busy", str(error))
    except RunsFailed as error:  # the folder is gone; nothing is written there
        return outcome("failed", str(error))
    except Exception as error:
        seconds = time.perf_counter() - began
        if isinstance(error, OSError) and error.errno in FULL:
            return _full_disk(spec, error, seconds)
        kind = _kind(error)
        trace = "".join(traceback.format_exception(error)) if kind == "error" else None
        return replace(_failed(spec, options, kind, _one_line(error), trace), seconds=round(seconds, 3))


def _failed(spec: RunSpec, options: WorkerOptions, kind: str, message: str, trace: str | None = None) -> Outcome:
    """The outcome of a run that failed, which is recorded in ``error.json`` of its folder if that is possible."""
    try:
        saved = {"kind": kind, "message": message, "traceback": trace}
        write_json(make_folder(options.out / spec.id) / "error.json", saved)
        is_clear = kind in ("error", "killed", "user error") or kind in message
        return Outcome(spec.id, "failed", message if is_clear else f"{kind}: {message}")
    except (OSError, UserError) as second:
        if isinstance(second, OSError) and second.errno in FULL:
            return _full_disk(spec, second)
        return Outcome(spec.id, "failed", message)


def _full_disk(spec: RunSpec, error: OSError, seconds: float = 0.0) -> Outcome:
    return Outcome(spec.id, "full disk", _one_line(error), round(seconds, 3), error.errno or errno.ENOSPC)


def _train_and_evaluate(spec: RunSpec, options: WorkerOptions, stop: Stop) -> bool:
    """Train (and evaluate, if ``sequences`` is set); False if interrupted by the deadline or ``stop``."""
    folder = options.out / spec.id
    finished = RunFolder(folder).finished
    if not finished:
        if options.over or stop():
            return False
        run = _open(spec, options)
        (folder / "error.json").unlink(missing_ok=True)
        progress = options.watch(spec.config.steps) if options.watch else nullcontext()
        with progress as observer:
            observers = () if observer is None else (observer,)
            result = execute(run, max_minutes=options.minutes_left(), stop=stop, observers=observers)
        finished = bool(result["finished"])
    if finished and options.sequences is not None:
        if stop():
            return False
        measured_point(Run.open(folder), options.sequences)
    if finished:
        (folder / "error.json").unlink(missing_ok=True)  # left by an earlier attempt
    return finished


def _kind(error: Exception) -> str:
    if out_of_memory(error):
        return "out of memory"
    if isinstance(error, NonFiniteLoss):
        return "not finite"
    return "user error" if isinstance(error, UserError) else "error"


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror + (f": {error.filename}" if error.filename else "")
    said, kind = " ".join(str(error).split()), type(error).__name__
    return f"{kind}: {said}" if said and _kind(error) == "error" else said or kind


def record_death(spec: RunSpec, options: WorkerOptions, message: str) -> Outcome:
    """The outcome of a run whose worker died in every attempt."""
    folder = options.out / spec.id
    if RunFolder(folder).finished and (options.sequences is None or is_measured(folder, options.sequences)):
        return Outcome(spec.id, "finished")
    return _failed(spec, options, "killed", message)


def failure(folder: Path) -> dict[str, Any] | None:
    """The contents of ``error.json``, if it exists."""
    path = folder / "error.json"
    return read_json(path, Failure) if path.exists() else None
