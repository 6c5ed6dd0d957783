"""How does a command train many runs? By an engine, with a line on standard error for each that ends."""

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from unrandom.cli.progress import TrainingProgress
from unrandom.core.errors import RunsFailed
from unrandom.runs.engines import Options, load_engine, run_jobs
from unrandom.runs.plan import jobs
from unrandom.runs.spec import RunSpec
from unrandom.runs.worker import Outcome, Work


def train_all(missing: Sequence[RunSpec], arguments: Namespace, *, what: str) -> int:
    """Train all of these; returns how many are left, which time alone decides. Raises RunsFailed if any fails."""
    outcomes = carry_out(missing, arguments, what=what)
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    if failed:
        others = f" (and {len(failed) - 1} more failed)" if len(failed) > 1 else ""
        raise RunsFailed(f"{failed[0].run} failed: {failed[0].error}{others}")
    return sum(outcome.status == "stopped" for outcome in outcomes)


def raise_full_disk(outcome: Outcome, out: Path) -> None:
    """OSError where a run could not be written, which would end all others, too."""
    if outcome.status == "full disk":
        raise OSError(outcome.errno, os.strerror(outcome.errno), str(out))


def carry_out(
    runs: Sequence[RunSpec],
    arguments: Namespace,
    *,
    what: str,
    sequences: int | None = None,
    words: Callable[[RunSpec], str] = lambda planned: planned.id,
) -> list[Outcome]:
    """Train (and, with ``sequences``, measure) runs as the arguments say. OSError when the disk is full."""
    if not runs:
        return []
    options = Options(arguments.workers, arguments.threads, arguments.gpus_per_run, tuple(arguments.slurm))
    engine = load_engine(arguments.engine, options)
    work = Work(
        out=arguments.out,
        command=tuple(arguments.command_line),
        deadline=None if arguments.max_minutes is None else time.time() + 60 * arguments.max_minutes,
        sequences=sequences,
        watch=TrainingProgress if arguments.engine == "local" and engine.places == 1 and arguments.pack == 1 else None,
    )
    planned = {run.id: run for run in runs}
    total, done, ended, began = sum(run.flops for run in runs), 0, 0, time.monotonic()
    outcomes = []
    for outcome in run_jobs(engine, jobs(runs, arguments.pack), work):
        raise_full_disk(outcome, arguments.out)
        outcomes.append(outcome)
        if outcome.status == "stopped":
            continue
        ended += 1
        done += planned[outcome.run].flops
        left = (time.monotonic() - began) * (total - done) / done / 60
        how = "finished" if outcome.status == "finished" else f"failed: {outcome.error}"
        more = f", about {left:.0f} min left" if ended < len(runs) else ""
        print(f"{what} {ended} of {len(runs)} {how}: {words(planned[outcome.run])}{more}", file=sys.stderr, flush=True)
    return outcomes
