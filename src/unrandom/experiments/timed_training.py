"""How is a limited time on a fast machine used? Runs are trained by priority, each with as many steps as fit.

Steps and widths are decided when a run's turn comes, from the measured speed. Some of the time is reserved, so that
checkpoints and results are written, and can be copied, before it is up.
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
from unrandom.runs.run import Run
from unrandom.runs.running.launcher import Launcher, Watch, raise_full_disk
from unrandom.runs.running.plan import Job, unfinished
from unrandom.runs.running.worker import Outcome, WorkerOptions, run_job
from unrandom.runs.sharing.archive import archive_folder, archive_run, steps_trained
from unrandom.runs.spec import RunSpec
from unrandom.training.checkpoint import latest_checkpoint
from unrandom.training.machine import choose_device, release_models

FITTED = ("gpu",)  # scales whose runs are fitted to the machine's speed
WITHOUT_NAMES = tuple(EXPONENTS)  # scales at which ``reproduce`` trains runs by priority if no experiment is named
# Share of the time limit that is reserved, with its bounds in seconds.
RESERVED_SHARE, MIN_RESERVED, MAX_RESERVED = 0.08, 10.0, 120.0


@dataclass(frozen=True)
class TimedCommand:
    """The options of one command with a time limit."""

    scale: Scale
    results: Path
    seeds: int
    launcher: Launcher  # ``launcher.minutes`` is the time limit
    say: Callable[[str], None]  # prints a message to the user
    watch: Watch | None = None  # makes the progress display of a run from its number of steps

    @property
    def plan(self) -> TimedPlan:
        return TimedPlan(self.scale, self.results)

    def deadline(self) -> float:
        """When training has to end, in seconds since the epoch; the reserved time is subtracted."""
        assert self.launcher.minutes is not None, "a time limit is required"
        seconds = 60 * self.launcher.minutes
        reserved = min(MAX_RESERVED, max(MIN_RESERVED, RESERVED_SHARE * seconds))
        return time.time() + seconds - reserved


def train_by_priority(command: TimedCommand) -> JsonObject:
    """Train runs by priority, one after another in this process, and archive each as far as it was trained.

    Returns a summary with the progress of each run. Raises UserError if workers are requested, and RunsFailed if a run
    fails.
    """
    launcher = command.launcher
    if launcher.engine != "local" or launcher.pack > 1 or launcher.options.workers or launcher.options.gpus_per_run:
        raise UserError(
            "without experiment names, runs are trained one after another in this process: "
            "leave out --engine, --workers and similar options"
        )
    deadline, plan = command.deadline(), command.plan
    archived = archive_folder(command.scale, command.results)
    outcomes: list[Outcome] = []

    def train(runs: list[RunSpec]) -> bool:
        if RunFolder(archived / runs[0].id).finished:  # finished on another machine; its run folder is not here
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
    rows = [row for run in decided if (row := _progress(run, launcher.out / run.id, archived / run.id))["steps"]]
    if failed := [outcome for outcome in outcomes if outcome.status in ("failed", "busy")]:
        raise RunsFailed(f"{failed[0].run} failed: {failed[0].error}")
    left = len(groups) - sum(row["steps"] == row["of"] for row in rows)
    if left:
        command.say(f"the time is up; {left} of {len(groups)} runs are left, and the same command continues them")
    return {"scale": command.scale, "plan": str(plan.path), "archived": str(archived), "runs": rows, "left": left}


def train_fitted(
    groups: list[Group], command: TimedCommand, train_all: Callable[[list[RunSpec], Launcher], object]
) -> int:
    """Train the runs of each group with as many steps as fit. Returns the number of unfinished runs."""
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
    """Call ``train_in_turn`` with the clock and the speed of this machine."""
    speed = MeasuredSpeed(choose_device())
    train_in_turn(groups, plan, speed, seconds_left=lambda: deadline - time.time(), train=train, say=say)


def _progress(run: RunSpec, folder: Path, archived: Path) -> JsonObject:
    """Steps trained, in the run folder or the archive, whichever has more; accuracy, from the archive."""
    metrics = RunFolder(archived).read_metrics()
    return {
        "run": run.id,
        "steps": max(steps_trained(RunFolder(folder)), steps_trained(RunFolder(archived))),
        "of": run.config.steps,
        "last_number_accuracy": metrics[-1]["last_number_accuracy"] if metrics else None,
        "archived": str(archived) if RunFolder(archived).exists else None,
    }
