"""What does ``reproduce`` do with a machine that is there for minutes? What is most worth first, and all that fits.

Steps and widths are planned by the speed that is measured when a run's turn comes. Some of the time is left over, so
that checkpoints and results are written, and can be copied, before it is up.
"""

import sys
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unrandom.cli.progress import TrainingProgress
from unrandom.cli.work import raise_full_disk, train_all
from unrandom.core.errors import RunsFailed, UserError
from unrandom.core.run_folder import RunFolder
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.fitting import MeasuredSpeed
from unrandom.experiments.reproduce import kept_folder
from unrandom.experiments.timed_plan import Group, TimedPlan, train_in_turn
from unrandom.experiments.worth import EXPONENTS, most_worth
from unrandom.runs.archive import keep_run, steps_made
from unrandom.runs.plan import Job, unfinished
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec, with_ancestors
from unrandom.runs.worker import Outcome, Work, carry_out
from unrandom.training.checkpoint import latest_checkpoint
from unrandom.training.machine import choose_device, forget_models

Tree = dict[str, Any]
FITTED = ("gpu",)  # scales whose sizes depend on the machine
WITHOUT_NAMES = tuple(EXPONENTS)  # scales at which runs are trained that no experiment was named for
RESERVED_SHARE, LEAST_RESERVED, MOST_RESERVED = (
    0.08,
    10.0,
    120.0,
)  # a share of the time given, and its bounds in seconds


def names_nothing(arguments: Namespace) -> bool:
    """Whether a time is given at a scale that depends on the machine, and nothing is named that it is for."""
    named = arguments.all or arguments.experiments or arguments.run or arguments.kept or arguments.from_tables
    return arguments.max_minutes is not None and arguments.scale in WITHOUT_NAMES and not named


def train_most_worth(arguments: Namespace) -> tuple[Tree, str]:
    """Train the runs that are most worth having, and keep each beside the results as far as it came.

    One after another in this process; UserError where workers are asked for.
    """
    if arguments.engine != "local" or arguments.pack > 1 or arguments.workers or arguments.gpus_per_run:
        raise UserError(
            "without names, runs are trained one after another here: leave out --engine, --workers and the like"
        )
    deadline, plan = _deadline(arguments), TimedPlan(arguments.scale, arguments.results)
    kept = kept_folder(arguments.scale, arguments.results)
    outcomes: list[Outcome] = []

    def train(runs: list[RunSpec]) -> bool:
        if RunFolder(
            kept / runs[0].id
        ).finished:  # A run that was finished on another machine is kept, and has no folder here.
            return False
        forget_models(choose_device())
        work = Work(arguments.out, tuple(arguments.command_line), deadline=deadline, watch=TrainingProgress)
        outcomes.extend(carry_out(Job(tuple(runs)), work))
        raise_full_disk(outcomes[-1], arguments.out)
        if latest_checkpoint(RunFolder(arguments.out / runs[0].id)) is not None:
            keep_run(Run.open(arguments.out / runs[0].id), kept / runs[0].id)
        return True

    groups = most_worth(arguments.scale, arguments.seeds)
    _in_turn(groups, plan, deadline, train)
    decided = [run for group in groups if group.name in plan for run in plan.runs(group.name, group.runs)]
    rows = [row for run in decided if (row := _standing(run, arguments.out / run.id, kept / run.id))["steps"]]
    if failed := [outcome for outcome in outcomes if outcome.status in ("failed", "busy")]:
        raise RunsFailed(f"{failed[0].run} failed: {failed[0].error}")
    left = len(groups) - sum(row["steps"] == row["of"] for row in rows)
    if left:
        _say(f"the time is up; {left} of {len(groups)} runs are left, and the same command goes on")
    return {"scale": arguments.scale, "plan": str(plan.path), "runs": rows, "left": left}, _table(rows, plan.path, kept)


def train_fitted(chosen: list[Experiment], arguments: Namespace) -> int:
    """Train what the experiments need, each with as many steps as fit; returns how many runs are left."""
    deadline, plan = _deadline(arguments), TimedPlan(arguments.scale, arguments.results)
    groups = [Group(each.name, tuple(with_ancestors(each.runs(arguments.scale, arguments.seeds)))) for each in chosen]

    def train(runs: list[RunSpec]) -> bool:
        minutes = max(0.0, deadline - time.time()) / 60
        missing = unfinished(runs, arguments.out)
        train_all(missing, Namespace(**{**vars(arguments), "max_minutes": minutes}), what="run")
        return bool(missing)

    _in_turn([group for group in groups if group.runs], plan, deadline, train)
    needed = {run.id: run for group in groups for run in plan.runs(group.name, group.runs)}
    return len(unfinished(list(needed.values()), arguments.out))


def _deadline(arguments: Namespace) -> float:
    """When training has to end, in seconds since the epoch."""
    seconds = 60 * arguments.max_minutes
    reserved = min(MOST_RESERVED, max(LEAST_RESERVED, RESERVED_SHARE * seconds))
    return time.time() + seconds - reserved


def _in_turn(groups: list[Group], plan: TimedPlan, deadline: float, train: Callable[[list[RunSpec]], bool]) -> None:
    """By this machine's clock and speed."""
    speed = MeasuredSpeed(choose_device())
    train_in_turn(groups, plan, speed, seconds_left=lambda: deadline - time.time(), train=train, say=_say)


def _standing(run: RunSpec, folder: Path, kept: Path) -> Tree:
    """How far a run came, here or where it was kept before."""
    metrics = RunFolder(kept).read_metrics()
    return {
        "run": run.id,
        "steps": max(steps_made(RunFolder(folder)), steps_made(RunFolder(kept))),
        "of": run.config.steps,
        "last_number_accuracy": metrics[-1]["last_number_accuracy"] if metrics else None,
        "kept": str(kept) if RunFolder(kept).exists else None,
    }


def _table(rows: list[Tree], plan: Path, kept: Path) -> str:
    lines = []
    for row in rows:
        accuracy = row["last_number_accuracy"]
        said = "nothing measured yet" if accuracy is None else f"{accuracy:.3f} of last numbers right"
        lines.append(f"{row['run']}  step {row['steps']:,} of {row['of']:,}  {said}")
    return "\n".join([*lines, f"plan  {plan}", f"kept  {kept}"])


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
