"""Trains many runs by a launcher, with one line on standard error as each run ends."""

from argparse import Namespace
from collections.abc import Callable, Sequence

from unrandom.cli.progress import TrainingProgress, say
from unrandom.runs.running.engines import EngineOptions
from unrandom.runs.running.launcher import Launcher, train_runs
from unrandom.runs.running.worker import Outcome
from unrandom.runs.spec import RunSpec


def launcher_of(arguments: Namespace) -> Launcher:
    """The launcher that the command-line arguments describe."""
    return Launcher(
        out=arguments.runs,
        command=tuple(arguments.command_line),
        engine=arguments.engine,
        options=EngineOptions(arguments.workers, arguments.threads, arguments.gpus_per_run, tuple(arguments.slurm)),
        pack=arguments.pack,
        minutes=arguments.max_minutes,
    )


def train_shown(
    specs: Sequence[RunSpec],
    launcher: Launcher,
    *,
    what: str,
    sequences: int | None = None,
    describe: Callable[[RunSpec], str] = lambda spec: spec.id,
) -> list[Outcome]:
    """Train the runs and return their outcomes; with ``sequences``, measure each as a grid point on that many.

    ``what`` is the noun for one run in the printed lines ("run", "grid point"); ``describe`` says which one it is.
    """
    outcomes = []
    for ended in train_runs(specs, launcher, sequences=sequences, watch=TrainingProgress):
        outcomes.append(ended.outcome)
        if ended.outcome.status == "stopped":  # by the deadline; the same command resumes it
            continue
        status = "finished" if ended.outcome.status == "finished" else f"failed: {ended.outcome.error}"
        time_left = "" if ended.minutes_left is None else f", about {ended.minutes_left:.0f} min left"
        say(f"{what} {ended.number} of {len(specs)} {status}: {describe(ended.spec)}{time_left}")
    return outcomes
