"""Runs many small jobs on one machine, each in a process forked from a server that has imported torch.

A worker ends when its parent process ends, even if that is killed.
"""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import torch

from unrandom.core.errors import UserError
from unrandom.core.interrupts import uninterrupted
from unrandom.core.processes import started_safely, without_main
from unrandom.core.processors import usable_processors
from unrandom.runs.running.engines import Answer, Death, EngineOptions, run_packed
from unrandom.runs.running.plan import Job
from unrandom.runs.running.worker import WorkerOptions

PRELOADED = ["unrandom.runs.running.worker", "torch._dynamo"]  # torch._dynamo is imported by the first optimiser


def physical_cores() -> int:
    """Physical cores that this process may use; hyper-threads of one core count once."""
    usable = usable_processors()
    topology = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    try:
        return len({Path(topology.format(cpu)).read_text() for cpu in usable})
    except OSError:
        return len(usable)


def workers_and_threads(options: EngineOptions) -> tuple[int, int]:
    """Workers and threads per worker: as in the options, else one worker per core with one thread each."""
    cores = physical_cores()
    if options.workers is not None:
        return options.workers, options.threads or max(1, cores // options.workers)
    threads = options.threads or 1
    return max(1, cores // threads), threads


def device_of(place: int, share: float, devices: int) -> str:
    """The GPU of a worker as a value for CUDA_VISIBLE_DEVICES, among the GPUs visible to this process."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = [name.strip() for name in visible.split(",")] if visible else [str(index) for index in range(devices)]
    return names[int(place * share) % devices]


@dataclass(frozen=True)
class Worker:
    """A process, its job, and its place from 0."""

    process: BaseProcess
    job: Job
    place: int


class LocalEngine:
    """Worker processes on this machine. With GPUs, each worker has a share of one."""

    tries = 2

    def __init__(self, options: EngineOptions) -> None:
        if options.gpus_per_run is not None and options.gpus_per_run > 1:
            raise UserError(f"--gpus-per-run {options.gpus_per_run:g} was given; --engine local takes 1 at most")
        self.places, self.threads = workers_and_threads(options)
        self.devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
        self.share = options.gpus_per_run or 1.0
        if self.devices and options.workers is None:
            self.places = max(1, int(self.devices / self.share))
        methods = multiprocessing.get_all_start_methods()  # Windows has no fork, and so no fork server
        self._context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        self._context.set_forkserver_preload(PRELOADED)
        if "forkserver" in methods:
            with started_safely(), without_main():
                resource_tracker.ensure_running()  # the server needs it; starting it lets SIGINT in again
                with uninterrupted():  # while it imports torch, Ctrl-C would end the server before it can ignore it
                    forkserver.ensure_running()
        self._workers: dict[Connection, Worker] = {}

    def start(self, jobs: Sequence[Job], options: WorkerOptions) -> None:
        for job in jobs:
            place = min(set(range(self.places)) - {worker.place for worker in self._workers.values()})
            device = device_of(place, self.share, self.devices) if self.devices else None
            ours, theirs = self._context.Pipe(duplex=False)
            arguments = (theirs, pickle.dumps(job), replace(options, threads=self.threads), device)
            process = self._context.Process(target=_run_worker, args=arguments, daemon=True)
            with started_safely(), without_main():
                process.start()
            theirs.close()
            self._workers[ours] = Worker(process, job, place)

    def ended(self, seconds: float) -> list[tuple[Job, Answer]]:
        answers: list[tuple[Job, Answer]] = []
        for pipe in wait(list(self._workers), seconds):
            assert isinstance(pipe, Connection)
            worker = self._workers.pop(pipe)
            try:
                answers.append((worker.job, pipe.recv()))
            except EOFError:
                worker.process.join()
                answers.append((worker.job, Death(_exit_reason(worker.process.exitcode or 0))))
            finally:
                pipe.close()
            worker.process.join()
            worker.process.close()
        return answers

    def close(self) -> None:
        for worker in self._workers.values():
            worker.process.terminate()
        for pipe, worker in self._workers.items():
            worker.process.join()
            worker.process.close()
            pipe.close()
        self._workers.clear()


def _exit_reason(exit_code: int) -> str:
    if exit_code == -9:  # SIGKILL, which Windows does not have
        return "killed by signal 9, as the kernel does when memory runs out"
    return f"killed by signal {-exit_code}" if exit_code < 0 else f"its worker ended with exit status {exit_code}"


def _run_worker(answer: Connection, packed: bytes, options: WorkerOptions, device: str | None) -> None:
    """The main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; `run_jobs` asks workers to end
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)  # for libraries that read it in the worker
    if device is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = device
    answer.send(run_packed(packed, options))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has one"
    parent.join()
    os._exit(1)
