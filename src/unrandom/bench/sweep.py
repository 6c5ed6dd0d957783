"""Compares the runs of a sweep trained in turn, in parallel processes, and stacked."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from unrandom.bench.timing import interleaved
from unrandom.runs.running.engines import EngineOptions, load_engine, run_jobs
from unrandom.runs.running.engines.local import physical_cores
from unrandom.runs.running.plan import Job, pack_jobs
from unrandom.runs.running.worker import Outcome, WorkerOptions, run_job
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig

RUNS, STEPS = 4, 100
ROUNDS = 1  # repetitions of the time measurement


def bench_sweep(config: RunConfig, steps: int = STEPS) -> dict[str, Any]:
    """Seconds for a few seeds of a short run, trained in each way, and the speed-ups over training in turn.

    Training in turn and stacked training use all cores. The start-up time of the worker processes is included.
    """
    short = {"steps": steps, "warmup_steps": 0, "evaluate_every": steps, "checkpoint_every": steps}
    base = config.replace(**short, test_sequences=64)
    runs = [RunSpec("bench", base.replace(seed=seed)) for seed in range(RUNS)]
    cores = physical_cores()
    serial, processes, stacked = interleaved(
        lambda: _in_turn(pack_jobs(runs), cores),
        lambda: _in_processes(pack_jobs(runs)),
        lambda: _in_turn(pack_jobs(runs, pack=RUNS), cores),
        rounds=ROUNDS,
        warmup=1,
    )
    return {
        "runs": RUNS,
        "steps": steps,
        "cores": cores,
        "seconds_in_turn": round(serial, 2),
        "seconds_in_processes": round(processes, 2),
        "seconds_stacked": round(stacked, 2),
        "speedup_of_processes": round(serial / processes, 2),
        "speedup_of_stacking": round(serial / stacked, 2),
    }


def _in_turn(jobs: Sequence[Job], threads: int) -> None:
    _in_temporary_folder(
        lambda out: [outcome for job in jobs for outcome in run_job(job, WorkerOptions(out, threads=threads))]
    )


def _in_processes(jobs: Sequence[Job]) -> None:
    _in_temporary_folder(
        lambda out: list(run_jobs(load_engine("local", EngineOptions(threads=1)), jobs, WorkerOptions(out)))
    )


def _in_temporary_folder(train: Callable[[Path], list[Outcome]]) -> None:
    with tempfile.TemporaryDirectory(prefix="unrandom-bench-") as folder:
        outcomes = train(Path(folder))
        assert all(outcome.status == "finished" for outcome in outcomes), outcomes
