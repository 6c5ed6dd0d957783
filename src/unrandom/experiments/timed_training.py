"""What is trained on a machine that is there for minutes? What is most worth having first, and all that fits.

Steps and widths are planned by the speed that is measured when a run's turn comes. Some of the time is left over, so
that checkpoints and results are written, and can be copied, before it is up.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from unrandom.core.errors import RunsFailed, UserError
from unrandom.core.files import JsonObject
from unrandom.core.run_folder import RunFolder
from unrandom.experiments.fitting import MeasuredSpeed
from unrandom.experiments.priorities import EXPONENTS, by_priority
from unrandom.experiments.scale import Scale
from unrandom.experiments.timed_plan import Group, TimedPlan, train_in_turn
from unrandom.runs.archive import archive_folder, archive_run, steps_made
from unrandom.runs.launcher import Launcher, Watch, raise_full_disk
from unrandom.runs.plan import Job, unfinished
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.worker import Outcome, WorkerOptions, run_job
from unrandom.training.checkpoint import latest_checkpoint
from unrandom.training.machine import choose_device, release_models

FITTED = ("gpu",)  # scales whose sizes depend on the machine
WITHOUT_NAMES = tuple(EXPONENTS)  # scales at which runs are trained that no experiment was named for
# A share of the time that is given is left over, within bounds in seconds.
RESERVED_SHARE, LEAST_RESERVED, MOST_RESERVED = 0.08, 10.0, 120.0


@dataclass(frozen=True)
class TimedCommand:
    """What one command asks for, at a scale whose sizes depend on the machine."""

    scale: Scale
    results: Path
    seeds: int
    launcher: Launcher  # its minutes are the time that is given
    say: Callable[[str], None]  # shows a decision to the user
    watch: Watch | None = None  # makes what shows a run of so many steps

    @property
    def plan(self) -> TimedPlan:
        return TimedPlan(self.scale, self.results)

    def deadline(self) -> float:
        """When training has to end, in seconds since the epoch, so that some time is left over."""
        assert self.launcher.minutes is not None, "a time is given"
        seconds = 60 * self.launcher.minutes
        reserved = min(MOST_RESERVED, max(LEAST_RESERVED, RESERVED_SHARE * seconds))
        return time.time() + seconds - reserved


def train_by_priority(command: TimedCommand) -> JsonObject:
    """Train the runs that are most worth having, and keep each beside the results as far as it came.

    One after another in this process; UserError where workers are asked for. Raises RunsFailed where one fails.
    """
    launcher = command.launcher
    if launcher.engine != "local" or launcher.pack > 1 or launcher.options.workers or launcher.options.gpus_per_run:
        raise UserError(
            "without names, runs are trained one after another here: leave out --engine, --workers and the like"
        )
    deadline, plan = command.deadline(), command.plan
    archived = archive_folder(command.scale, command.results)
    outcomes: list[Outcome] = []

    def train(runs: list[RunSpec]) -> bool:
        if RunFolder(archived / runs[0].id).finished:  # It was finished on another machine, and has no folder here.
            return False
        release_models(choose_device())
        outcomes.extend(
            run_job(
                Job(tuple(runs)), WorkerOptions(launcher.out, launcher.command, deadline=deadline, watch=command.watch)
            )
        )
        raise_full_disk(outcomes[-1], launcher.out)
        if latest_checkpoint(RunFolder(launcher.out / runs[0].id)) is not None:
            archive_run(Run.open(launcher.out / runs[0].id), archived / runs[0].id)
        return True

    groups = by_priority(command.scale, command.seeds)
    _in_turn(groups, plan, deadline, train, command.say)
    decided = [run for group in groups if group.name in plan for run in plan.runs(group.name, group.runs)]
    rows = [row for run in decided if (row := _standing(run, launcher.out / run.id, archived / run.id))["steps"]]
    if failed := [outcome for outcome in outcomes if outcome.status in ("failed", "busy")]:
        raise RunsFailed(f"{failed[0].run} failed: {failed[0].error}")
    left = len(groups) - sum(row["steps"] == row["of"] for row in rows)
    if left:
        command.say(f"the time is up; {left} of {len(groups)} runs are left, and the same command goes on")
    return {"scale": command.scale, "plan": str(plan.path), "archived": str(archived), "runs": rows, "left": left}


def train_fitted(
    groups: list[Group], command: TimedCommand, train_all: Callable[[list[RunSpec], Launcher], object]
) -> int:
    """Train the runs of each group with as many steps as fit; returns how many runs are left."""
    deadline, plan, out = command.deadline(), command.plan, command.launcher.out

    def train(runs: list[RunSpec]) -> bool:
        missing = unfinished(runs, out)
        train_all(missing, replace(command.launcher, minutes=max(0.0, deadline - time.time()) / 60))
        return bool(missing)

    _in_turn([group for group in groups if group.runs], plan, deadline, train, command.say)
    needed = {run.id: run for group in groups for run in plan.runs(group.name, group.runs)}
    return len(unfinished(list(needed.values()), out))


def _in_turn(
    groups: list[Group],
    plan: TimedPlan,
    deadline: float,
    train: Callable[[list[RunSpec]], bool],
    say: Callable[[str], None],
) -> None:
    """By this machine's clock and speed."""
    speed = MeasuredSpeed(choose_device())
    train_in_turn(groups, plan, speed, seconds_left=lambda: deadline - time.time(), train=train, say=say)


def _standing(run: RunSpec, folder: Path, archived: Path) -> JsonObject:
    """How far a run came, here or where it was archived before."""
    metrics = RunFolder(archived).read_metrics()
    return {
        "run": run.id,
        "steps": max(steps_made(RunFolder(folder)), steps_made(RunFolder(archived))),
        "of": run.config.steps,
        "last_number_accuracy": metrics[-1]["last_number_accuracy"] if metrics else None,
        "archived": str(archived) if RunFolder(archived).exists else None,
    }
