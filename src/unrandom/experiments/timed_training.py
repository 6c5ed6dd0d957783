"""What is trained on a machine that is there for minutes? What is most worth having first, and all that fits.

Steps and widths are planned by the speed that is measured when a run's turn comes. Some of the time is left over, so
that checkpoints and results are written, and can be copied, before it is up.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unrandom.core.errors import RunsFailed, UserError
from unrandom.core.run_folder import RunFolder
from unrandom.experiments.fitting import MeasuredSpeed
from unrandom.experiments.scale import Scale
from unrandom.experiments.timed_plan import Group, TimedPlan, train_in_turn
from unrandom.experiments.worth import EXPONENTS, most_worth
from unrandom.runs.archive import keep_run, kept_folder, steps_made
from unrandom.runs.crew import Crew, Watch, raise_full_disk
from unrandom.runs.plan import Job, unfinished
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.worker import Outcome, Work, carry_out
from unrandom.training.checkpoint import latest_checkpoint
from unrandom.training.machine import choose_device, forget_models

Tree = dict[str, Any]
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
    crew: Crew  # its minutes are the time that is given
    say: Callable[[str], None]  # shows a decision to the user
    watch: Watch | None = None  # makes what shows a run of so many steps

    @property
    def plan(self) -> TimedPlan:
        return TimedPlan(self.scale, self.results)

    def deadline(self) -> float:
        """When training has to end, in seconds since the epoch, so that some time is left over."""
        assert self.crew.minutes is not None, "a time is given"
        seconds = 60 * self.crew.minutes
        reserved = min(MOST_RESERVED, max(LEAST_RESERVED, RESERVED_SHARE * seconds))
        return time.time() + seconds - reserved


def train_most_worth(command: TimedCommand) -> Tree:
    """Train the runs that are most worth having, and keep each beside the results as far as it came.

    One after another in this process; UserError where workers are asked for. Raises RunsFailed where one fails.
    """
    crew = command.crew
    if crew.engine != "local" or crew.pack > 1 or crew.options.workers or crew.options.gpus_per_run:
        raise UserError(
            "without names, runs are trained one after another here: leave out --engine, --workers and the like"
        )
    deadline, plan = command.deadline(), command.plan
    kept = kept_folder(command.scale, command.results)
    outcomes: list[Outcome] = []

    def train(runs: list[RunSpec]) -> bool:
        if RunFolder(kept / runs[0].id).finished:  # It was finished on another machine, and has no folder here.
            return False
        forget_models(choose_device())
        outcomes.extend(
            carry_out(Job(tuple(runs)), Work(crew.out, crew.command, deadline=deadline, watch=command.watch))
        )
        raise_full_disk(outcomes[-1], crew.out)
        if latest_checkpoint(RunFolder(crew.out / runs[0].id)) is not None:
            keep_run(Run.open(crew.out / runs[0].id), kept / runs[0].id)
        return True

    groups = most_worth(command.scale, command.seeds)
    _in_turn(groups, plan, deadline, train, command.say)
    decided = [run for group in groups if group.name in plan for run in plan.runs(group.name, group.runs)]
    rows = [row for run in decided if (row := _standing(run, crew.out / run.id, kept / run.id))["steps"]]
    if failed := [outcome for outcome in outcomes if outcome.status in ("failed", "busy")]:
        raise RunsFailed(f"{failed[0].run} failed: {failed[0].error}")
    left = len(groups) - sum(row["steps"] == row["of"] for row in rows)
    if left:
        command.say(f"the time is up; {left} of {len(groups)} runs are left, and the same command goes on")
    return {"scale": command.scale, "plan": str(plan.path), "kept": str(kept), "runs": rows, "left": left}


def train_fitted(groups: list[Group], command: TimedCommand, train_all: Callable[[list[RunSpec], Crew], object]) -> int:
    """Train the runs of each group with as many steps as fit; returns how many runs are left."""
    deadline, plan, out = command.deadline(), command.plan, command.crew.out

    def train(runs: list[RunSpec]) -> bool:
        missing = unfinished(runs, out)
        train_all(missing, replace(command.crew, minutes=max(0.0, deadline - time.time()) / 60))
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
