"""How does a command show runs that are trained by many? A line on standard error for each that ends."""

from argparse import Namespace
from collections.abc import Callable, Sequence

from unrandom.cli.progress import TrainingProgress, say
from unrandom.runs.engines import EngineOptions
from unrandom.runs.launcher import Launcher, raise_failures, train_runs
from unrandom.runs.spec import RunSpec
from unrandom.runs.worker import Outcome


def launcher_of(arguments: Namespace) -> Launcher:
    """The launcher that the arguments ask for."""
    options = EngineOptions(arguments.workers, arguments.threads, arguments.gpus_per_run, tuple(arguments.slurm))
    return Launcher(
        out=arguments.out,
        command=tuple(arguments.command_line),
        engine=arguments.engine,
        options=options,
        pack=arguments.pack,
        minutes=arguments.max_minutes,
    )


def train_shown(
    specs: Sequence[RunSpec],
    launcher: Launcher,
    *,
    what: str,
    sequences: int | None = None,
    words: Callable[[RunSpec], str] = lambda spec: spec.id,
) -> list[Outcome]:
    """Train runs (and measure them as grid points); ``what`` one is called, and ``words`` say which it is."""
    outcomes = []
    for ended in train_runs(specs, launcher, sequences=sequences, watch=TrainingProgress):
        outcomes.append(ended.outcome)
        if ended.stopped:
            continue
        how = "finished" if ended.outcome.status == "finished" else f"failed: {ended.outcome.error}"
        more = "" if ended.minutes_left is None else f", about {ended.minutes_left:.0f} min left"
        said = f"{what} {ended.number} of {len(specs)} {how}: {words(ended.spec)}{more}"
        say(said)
    return outcomes


def train_all(specs: Sequence[RunSpec], launcher: Launcher, *, what: str) -> int:
    """Train all of these; returns how many are left, which time alone decides. Raises RunsFailed if any fails."""
    outcomes = train_shown(specs, launcher, what=what)
    raise_failures(outcomes)
    return sum(outcome.status == "stopped" for outcome in outcomes)
