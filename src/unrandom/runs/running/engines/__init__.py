"""Engines run workers on this machine, on a Ray cluster or under Slurm; one loop schedules jobs on any of them."""

import pickle
import time
import uuid
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from unrandom.core.errors import UserError
from unrandom.core.files import make_folder
from unrandom.core.interrupts import Interrupted, interruptible
from unrandom.core.names import ENGINES
from unrandom.core.processes import as_usual
from unrandom.runs.running.plan import Job
from unrandom.runs.running.worker import Outcome, WorkerOptions, record_death, run_job

BUSY_SECONDS = 1.0  # delay before a locked run is tried again, and longest wait for a job to end
POLL_SECONDS = 0.5  # interval of polling jobs that cannot be waited for


@dataclass(frozen=True)
class EngineOptions:
    """The user's settings of workers. None: chosen for the machine."""

    workers: int | None = None
    threads: int | None = None  # torch threads per worker
    gpus_per_run: float | None = None
    slurm: tuple[str, ...] = ()  # settings of submitit, as KEY=VALUE

    def __post_init__(self) -> None:
        asked = self.gpus_per_run
        if asked is not None and not (0 <= asked <= 1 or asked % 1 == 0):
            raise UserError(f"--gpus-per-run {asked:g} was given; a share of one GPU or a whole number is allowed")


@dataclass(frozen=True)
class Death:
    """A worker ended without outcomes, with the reason."""

    message: str


Answer = list[Outcome] | Death


@runtime_checkable
class Engine(Protocol):
    """Runs jobs on workers. After ``close`` an engine cannot be used again."""

    places: int  # jobs that run at the same time
    tries: int  # attempts at a run whose worker dies

    def start(self, jobs: Sequence[Job], options: WorkerOptions) -> None:
        """Start jobs, at most one for each free place."""

    def ended(self, seconds: float) -> list[tuple[Job, Answer]]:
        """The jobs that ended since the last call; waits up to ``seconds`` for the first."""

    def close(self) -> None:
        """Terminate all running jobs; their checkpoints remain."""


def load_engine(name: str, options: EngineOptions) -> Engine:
    """The engine called ``name``. Raises UserError for options that it cannot use, or if its package is missing."""
    assert name in ENGINES, name
    if options.slurm and name != "slurm":
        raise UserError("--slurm KEY=VALUE goes with --engine slurm")
    engine: Engine = getattr(import_module(f"{__name__}.{name}"), f"{name.capitalize()}Engine")(options)
    return engine


def imported(module: str, engine: str) -> Any:
    """A module of the extra ``sweep``, imported without its warnings. Raises UserError if it is missing."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return import_module(module)
    except ImportError:
        raise UserError(f"--engine {engine} needs the extra: pip install 'unrandom[sweep]'") from None


def run_packed(packed: bytes, options: WorkerOptions) -> Answer:
    """Run a pickled job in a worker. Unpickling it imports the code of a user-defined task."""
    as_usual()
    try:
        job: Job = pickle.loads(packed)
    except UserError as error:
        return Death(str(error))
    return run_job(job, options)


def run_jobs(engine: Engine, jobs: Sequence[Job], options: WorkerOptions) -> Iterator[Outcome]:
    """Schedule the jobs in order; yields the outcome of each run when it ends.

    A run waits for its ancestors. No job starts after the deadline. A run that another process has locked is retried
    until it is released. A worker that dies is replaced, and its runs continue from their checkpoints, each in a job of
    its own. A full disk ends the schedule. After SIGINT no job starts, and the workers are asked to save their runs and
    end, by a file; then Interrupted is raised.
    """
    steps = {spec.id: spec.config.steps for job in jobs for spec in job.runs}
    stop_file = options.out.resolve() / f".stop-{uuid.uuid4().hex}"
    saved: list[tuple[str, int, int]] = []
    with interruptible() as interrupted:

        def over() -> bool:
            """Whether no more jobs start. After SIGINT, running jobs are asked to end, too."""
            if interrupted() and not stop_file.exists():
                make_folder(stop_file.parent)
                stop_file.touch()
            return interrupted() or options.over

        try:
            for outcome in _schedule(engine, jobs, replace(options, stop_file=stop_file), over):
                if outcome.status == "stopped" and outcome.step:
                    saved.append((outcome.run, outcome.step, steps[outcome.run]))
                yield outcome
        finally:
            try:
                engine.close()
            finally:
                if interrupted():
                    stop_file.unlink(missing_ok=True)
        if interrupted():
            raise Interrupted.at(saved)


def _schedule(
    engine: Engine, jobs: Sequence[Job], options: WorkerOptions, over: Callable[[], bool]
) -> Iterator[Outcome]:
    """The outcomes of the jobs; once ``over()``, jobs that have not started are stopped."""
    waiting, later = deque(jobs), deque[tuple[float, Job]]()  # later: (earliest time, job)
    running, deaths = 0, Counter[str]()
    pending = {spec.id for job in jobs for spec in job.runs}
    while waiting or later or running:
        ending = over()
        while later and (later[0][0] <= time.monotonic() or ending):
            waiting.append(later.popleft()[1])
        if ending:
            yield from (Outcome(spec.id, "stopped") for job in waiting for spec in job.runs)
            waiting.clear()
        starting = _ready(waiting, pending, engine.places - running)
        for job in starting:
            waiting.remove(job)
        if starting:
            engine.start(starting, options)
            running += len(starting)
        for job, answer in engine.ended(BUSY_SECONDS) if running or later else ():
            running -= 1
            if isinstance(answer, Death):
                if len(job.runs) > 1:  # any of them may be the cause: retry each alone
                    waiting.extend(Job((spec,)) for spec in job.runs)
                    continue
                deaths[job.runs[0].id] += 1
                if deaths[job.runs[0].id] < engine.tries:
                    waiting.append(job)
                    continue
                answer = [record_death(spec, options, answer.message) for spec in job.runs]
            if busy := tuple(run for run, each in zip(job.runs, answer, strict=False) if each.status == "busy"):
                later.append((time.monotonic() + BUSY_SECONDS, Job(busy)))
            ended = [each for each in answer if each.status != "busy"]
            pending -= {each.run for each in ended}
            yield from ended
            if any(each.status == "full disk" for each in answer):
                return


def _ready(waiting: Iterable[Job], pending: set[str], places: int) -> list[Job]:
    """The first jobs, up to ``places``, without ancestors that are still pending."""
    ready = (job for job in waiting if not any(each.id in pending for run in job.runs for each in run.ancestors()))
    return list(islice(ready, max(0, places)))
