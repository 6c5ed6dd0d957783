"""Runs jobs as Ray tasks, on the cluster of RAY_ADDRESS or on a temporary local one.

The runs folder must be shared by all machines.
"""

import os
import pickle
import time
from collections.abc import Sequence
from contextlib import ExitStack, chdir, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any
from warnings import catch_warnings, simplefilter

import torch

from unrandom.core.errors import UserError
from unrandom.core.leftovers import ended_with_this
from unrandom.core.processes import started_safely
from unrandom.runs.running.engines import Answer, Death, EngineOptions, imported, run_packed
from unrandom.runs.running.engines.local import workers_and_threads
from unrandom.runs.running.plan import Job
from unrandom.runs.running.worker import WorkerOptions

STORE_BYTES = 100_000_000  # shared memory of Ray's object store; results are small
RETRIES = 3
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}  # read when Ray is imported: no usage statistics; workers without a GPU keep CUDA_VISIBLE_DEVICES
LOCAL_ONLY = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # despite its name, on any system: listen on 127.0.0.1 only
KILLED = "killed by signal 9, as the kernel does when memory runs out"


class RayEngine:
    """Tasks on a Ray cluster. Ray itself retries a task whose worker dies."""

    tries = 1

    def __init__(self, options: EngineOptions) -> None:
        self.address = os.environ.get("RAY_ADDRESS") or "local"
        os.environ |= SETTINGS | (LOCAL_ONLY if self.address == "local" else {})
        self._ray = imported("ray", "ray")
        workers, threads = workers_and_threads(options)
        self.workers, self.threads = workers, options.threads or (threads if self.address == "local" else 1)
        self.places = options.workers or (workers if self.address == "local" else 10_000)
        asked = options.gpus_per_run
        self.gpus = asked if asked is not None else float(torch.cuda.is_available())
        self._folder: Path | None = None
        self._ends = ExitStack()
        self._running: dict[Any, Job] = {}

    def start(self, jobs: Sequence[Job], options: WorkerOptions) -> None:
        if not self._ray.is_initialized():
            self._connect()
        options = replace(options, out=options.out.resolve(), threads=self.threads)
        task = self._ray.remote(_run_in).options(num_cpus=self.threads, num_gpus=self.gpus, max_retries=RETRIES)
        self._running |= {task.remote(pickle.dumps(job), options, os.getcwd()): job for job in jobs}

    def _connect(self) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if self.address == "local":
            self._folder = Path(mkdtemp(prefix="unrandom-")).resolve()  # short: names of sockets have a limit
            self._ends.enter_context(ended_with_this(self._folder))
            # Ray starts this process even without a dashboard, and it asks the cloud's metadata address where it is.
            import_module("ray._private.node").Node.start_api_server = lambda *_, **__: None
            options |= {
                "include_dashboard": False,
                "num_cpus": self.workers * self.threads,
                "object_store_memory": STORE_BYTES,
                "_node_ip_address": "127.0.0.1",
                "_temp_dir": str(self._folder),
            }
        try:
            # Ray puts the folder where it starts first on the import path of its workers, so it must not be the user's.
            with TemporaryDirectory() as empty, chdir(self._folder or empty), started_safely(), catch_warnings():
                simplefilter("ignore")
                self._ray.init(address=self.address, **options)
        except ConnectionError as error:
            raise UserError(f"no Ray cluster answers at {self.address}: {str(error).splitlines()[0]}") from None

    def ended(self, seconds: float) -> list[tuple[Job, Answer]]:
        if not self._running:
            time.sleep(seconds)
            return []
        done, _ = self._ray.wait(list(self._running), timeout=seconds)
        answers: list[tuple[Job, Answer]] = []
        for reference in done:
            job = self._running.pop(reference)
            try:
                answers.append((job, self._ray.get(reference)))
            except (self._ray.exceptions.WorkerCrashedError, self._ray.exceptions.OutOfMemoryError):
                answers.append((job, Death(KILLED)))
            except self._ray.exceptions.RayError as error:
                answers.append((job, Death(" ".join(str(error).split())[:300])))
        return answers

    def close(self) -> None:
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._running.clear()
        if self._ray.is_initialized():
            self._ray.shutdown()
        self._ends.close()


def _run_in(packed: bytes, options: WorkerOptions, folder: str) -> Answer:
    """Run a pickled job in the folder of the command, if this machine has it."""
    with suppress(OSError):
        os.chdir(folder)
    return run_packed(packed, options)
