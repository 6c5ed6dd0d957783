"""Where do the workers run? On this machine, on a Ray cluster or under Slurm; one loop hands the jobs to any."""

import importlib
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, runtime_checkable

from unrandom.core.errors import UserError
from unrandom.runs.plan import Job
from unrandom.runs.worker import Outcome, WorkerOptions, record_death

ENGINES = ("local", "ray", "slurm")
BUSY_SECONDS = 1.0  # until a run that another process holds is tried again
POLL_SECONDS = 0.5  # between two looks at jobs that cannot be waited for


@dataclass(frozen=True)
class EngineOptions:
    """What a user may say about the workers. None: what suits the machine."""

    workers: int | None = None
    threads: int | None = None  # of each worker
    gpus_per_run: float | None = None
    slurm: tuple[str, ...] = ()  # KEY=VALUE


@dataclass(frozen=True)
class Death:
    """A worker ended without outcomes, and why."""

    message: str


@runtime_checkable
class Engine(Protocol):
    """Workers that take jobs. An engine is closed once, and then of no more use."""

    places: int  # jobs at a time
    tries: int  # of a run whose worker dies over it alone

    def start(self, jobs: Sequence[Job], options: WorkerOptions) -> None:
        """Begin jobs; never more than there are places."""

    def ended(self, seconds: float) -> list[tuple[Job, list[Outcome] | Death]]:
        """The jobs that ended since the last call; waits up to ``seconds`` for the first."""

    def close(self) -> None:
        """End whatever still runs, at once. Its checkpoints remain."""


def load_engine(name: str, options: EngineOptions) -> Engine:
    """The engine called ``name``. UserError for options that it cannot use, and where its package is missing."""
    assert name in ENGINES, name
    if options.slurm and name != "slurm":
        raise UserError("--slurm KEY=VALUE goes with --engine slurm")
    engine: Engine = importlib.import_module(f"unrandom.runs.engines.{name}").make_engine(options)
    return engine


def needs_extra(what: str) -> UserError:
    return UserError(f"{what} needs the extra: pip install 'unrandom[sweep]'")


def run_jobs(engine: Engine, jobs: Sequence[Job], options: WorkerOptions) -> Iterator[Outcome]:
    """Hand out the jobs in order; gives the outcome of each run as it comes.

    A run waits for those whose weights it begins with. When the time is up no job starts any more. A run that another
    process holds is tried again until that one is done with it. A worker that dies is replaced, and its runs go on from
    the checkpoint, each for itself. After a full disk nothing else comes.
    """
    waiting, later = deque(jobs), deque[tuple[float, Job]]()  # later: not before this moment
    running, deaths = 0, Counter[str]()
    pending = {planned.id for job in jobs for planned in job.runs}
    try:
        while waiting or later or running:
            while later and (later[0][0] <= time.monotonic() or options.over):
                waiting.append(later.popleft()[1])
            if options.over:
                yield from (Outcome(planned.id, "stopped") for job in waiting for planned in job.runs)
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
                    if len(job.runs) > 1:  # one of them may be the cause: it is not to take the others with it again
                        waiting.extend(Job((planned,)) for planned in job.runs)
                        continue
                    deaths[job.runs[0].id] += 1
                    if deaths[job.runs[0].id] < engine.tries:
                        waiting.append(job)
                        continue
                    answer = [record_death(planned, options, answer.message) for planned in job.runs]
                if busy := tuple(run for run, each in zip(job.runs, answer, strict=False) if each.status == "busy"):
                    later.append((time.monotonic() + BUSY_SECONDS, Job(busy)))
                ended = [each for each in answer if each.status != "busy"]
                pending -= {each.run for each in ended}
                yield from ended
                if any(each.status == "full disk" for each in answer):
                    return
    finally:
        engine.close()


def _ready(waiting: Iterable[Job], pending: set[str], places: int) -> list[Job]:
    """The first jobs, as many as there are places for, that begin with the weights of none that is still to come."""
    ready = (job for job in waiting if not any(each.id in pending for run in job.runs for each in run.ancestors()))
    return list(islice(ready, max(0, places)))
