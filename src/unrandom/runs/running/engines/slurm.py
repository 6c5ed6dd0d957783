"""Runs jobs under Slurm through submitit, which requeues jobs that are pre-empted or out of time.

The runs folder must be shared by all machines; scripts and logs are in its subfolder ``slurm``.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from unrandom.core.errors import UserError
from unrandom.core.processes import as_usual, python, started_safely
from unrandom.runs.running.engines import POLL_SECONDS, Answer, Death, EngineOptions, imported
from unrandom.runs.running.engines.local import workers_and_threads
from unrandom.runs.running.plan import Job
from unrandom.runs.running.worker import Outcome, WorkerOptions, run_job

UNPREFIXED = ("name", "timeout_min", "mem_gb", "nodes", "cpus_per_task", "gpus_per_node", "tasks_per_node")
TIMEOUT_MINUTES = 60  # time limit of one Slurm job; a run that needs longer is requeued
REQUEUES = 1000
PLACES = 1000  # jobs submitted at a time; clusters limit the jobs of a user


@dataclass(frozen=True)
class SubmittedJob:
    """A job as submitit's callable. It may be called again on another machine and continues from the checkpoint."""

    job: Job
    options: WorkerOptions

    def __call__(self) -> list[Outcome]:
        """Train until done or pre-empted; then save, and let submitit requeue the job.

        submitit's own signal handler would end the process in the middle of an update, so it is called only after
        training has stopped.
        """
        as_usual()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # of submitit's emulation, which Ctrl-C reaches; see `run_jobs`
        preemption = signal.Signals[f"SIG{os.environ.get('SUBMITIT_PREEMPT_SIGNAL', 'USR2')}"]
        preempted = threading.Event()
        submitit_handler = signal.signal(preemption, lambda *_: preempted.set())
        try:
            outcomes = run_job(self.job, self.options, stop=preempted.is_set)
        finally:
            signal.signal(preemption, submitit_handler)
        if preempted.is_set() and not self.options.over and any(outcome.status == "stopped" for outcome in outcomes):
            signal.raise_signal(preemption)
        return outcomes

    def checkpoint(self) -> Any:
        """Submitit runs this after requeuing."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


class SlurmEngine:
    """Jobs on a Slurm cluster, or on submitit's local emulation of one (``cluster=local``)."""

    tries = 2

    def __init__(self, options: EngineOptions) -> None:
        self._submitit, emulation = (imported(name, "slurm") for name in ("submitit", "submitit.local.local"))
        # Its processes are in a group of their own: Ctrl-C would make the emulation kill jobs before they have saved.
        own_group = partial(subprocess.Popen, process_group=0)
        emulation.subprocess = SimpleNamespace(**{**vars(subprocess), "Popen": own_group})
        settings = dict(_setting(text) for text in options.slurm)
        self.cluster = settings.pop("cluster", "slurm")
        if self.cluster not in ("slurm", "local"):
            raise UserError(f"--slurm cluster={self.cluster} was given; slurm and local are allowed")
        if self.cluster == "slurm" and shutil.which("sbatch") is None:
            raise UserError(
                "--engine slurm needs sbatch, which is not here; --slurm cluster=local runs on this machine"
            )
        workers, threads = workers_and_threads(options)
        self.threads = threads if self.cluster == "local" else options.threads or 1
        self.places = workers if self.cluster == "local" else min(options.workers or PLACES, PLACES)
        self.settings = {"name": "unrandom", "timeout_min": TIMEOUT_MINUTES, "cpus_per_task": self.threads}
        if options.gpus_per_run:
            self.settings["gpus_per_node"] = -int(-options.gpus_per_run // 1)
        self.settings |= {
            key if key in UNPREFIXED or key.startswith("slurm_") else f"slurm_{key}": value
            for key, value in settings.items()
        }
        self._executor: Any = None
        self._running: dict[Any, Job] = {}
        with tempfile.TemporaryDirectory() as folder:
            self._make_executor(Path(folder))  # validates the settings

    def _make_executor(self, folder: Path) -> Any:
        most = {f"{self.cluster}_max_num_timeout": REQUEUES, f"{self.cluster}_python": shlex.join(python())}
        try:
            executor = self._submitit.AutoExecutor(folder=folder, cluster=self.cluster, **most)
            executor.update_parameters(**self.settings)
        except (NameError, ValueError, AssertionError, TypeError, RuntimeError) as error:
            raise UserError(f"--slurm: {str(error).splitlines()[0]}") from None
        return executor

    def start(self, jobs: Sequence[Job], options: WorkerOptions) -> None:
        options = replace(options, out=options.out.resolve(), threads=self.threads)
        if self._executor is None:
            self._executor = self._make_executor(options.out / "slurm")
        try:
            with started_safely(), self._executor.batch():  # one job array
                submitted = [self._executor.submit(SubmittedJob(job, options)) for job in jobs]
        except RuntimeError as error:  # sbatch failed
            said = [line for line in str(error).splitlines() if line.strip()]
            raise UserError(f"the jobs were not submitted: {said[-1] if said else type(error).__name__}") from None
        self._running |= dict(zip(submitted, jobs, strict=True))

    def ended(self, seconds: float) -> list[tuple[Job, Answer]]:
        until = time.monotonic() + seconds
        while not (done := [each for each in self._running if each.done()]) and time.monotonic() < until:
            time.sleep(POLL_SECONDS / 5 if self.cluster == "local" else POLL_SECONDS)
        return [(self._running.pop(each), self._answer(each)) for each in done]

    def _answer(self, submitted: Any) -> Answer:
        try:
            outcomes: list[Outcome] = submitted.result()
            return outcomes
        except self._submitit.core.utils.FailedJobError as error:
            last = [line for line in str(error).splitlines() if line.strip() and not line.startswith("-")]
            return Death(f"its job {submitted.job_id} failed: {' '.join(last[-4:])[:300]}")
        except self._submitit.core.utils.UncompletedJobError:  # FailedJobError is a subclass
            return Death(f"its job {submitted.job_id} ended without a result, as it does when memory runs out")

    def close(self) -> None:
        for submitted in self._running:
            submitted.cancel(check=False)
        self._running.clear()


def _setting(text: str) -> tuple[str, Any]:
    key, separator, value = (part.strip() for part in text.partition("="))
    if not separator or not key or not value:
        raise UserError(f"--slurm takes KEY=VALUE, not {text!r}")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value
