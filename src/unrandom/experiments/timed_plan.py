"""Which runs were decided on, when time was short? A file that a later call reads, to go on with the same runs.

``results/<scale>/plan.json`` has an entry for each experiment (or single run) that was fitted into a time: the share of
its steps, at what speed, and the configuration that is trained in place of each planned one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unrandom.core.files import make_folder, read_json, write_json
from unrandom.experiments.experiment import PlannedRun, Scale
from unrandom.experiments.fitting import Fit, Speed, fit
from unrandom.training import RunConfig


@dataclass(frozen=True)
class Group:
    """Runs that are cut alike, so that they can be compared. Groups of a round share the time that is left."""

    name: str
    runs: tuple[PlannedRun, ...]
    round: int = 0

    @property
    def flops(self) -> int:
        return sum(run.flops for run in self.runs)


class TimedPlan:
    """The decisions of one scale. Reading a plan that was never made gives an empty one."""

    def __init__(self, scale: Scale, results: Path) -> None:
        self.path = results / scale / "plan.json"
        self._entries: dict[str, dict[str, Any]] = read_json(self.path) if self.path.is_file() else {}

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def runs(self, name: str, planned: Sequence[PlannedRun]) -> list[PlannedRun]:
        """What is trained in place of the planned runs: by the entry of this name, else as they were planned."""
        decided = self._entries.get(name, {"runs": {}})["runs"]
        return [_read(decided[run.id]) if run.id in decided else run for run in planned]

    def decide(self, name: str, fitted: Fit) -> None:
        """Keep a decision, at once and for good."""
        self._entries[name] = {
            "share_of_steps": round(fitted.share, 4),
            "width_divided_by": fitted.divisor,
            "step_seconds": fitted.step_seconds,
            "measured": fitted.measured,
            "seconds_given": round(fitted.seconds, 1),
            "runs": {key: {"name": run.name, "config": run.config.tree()} for key, run in fitted.runs.items()},
        }
        make_folder(self.path.parent)
        write_json(self.path, self._entries)


def train_in_turn(
    groups: Sequence[Group],
    plan: TimedPlan,
    speed: Speed,
    *,
    seconds_left: Callable[[], float],
    train: Callable[[Group, list[PlannedRun]], None],
    say: Callable[[str], None],
) -> None:
    """Decide on each group when its turn comes, and train it, until no time is left.

    A group is given the part of the time that it has of the operations of its round that are still to come; what it
    does not use goes to those after it. One that was decided on before goes on as it is.
    """
    for index, group in enumerate(groups):
        if (left := seconds_left()) <= 0:
            return
        if group.name not in plan:
            coming = sum(each.flops for each in groups[index:] if each.round == group.round)
            fitted = fit(group.runs, left * group.flops / coming, speed)
            plan.decide(group.name, fitted)
            say(f"{group.name}: {fitted.words}")
        if seconds_left() > 0:
            train(group, plan.runs(group.name, group.runs))


def _read(decided: dict[str, Any]) -> PlannedRun:
    return PlannedRun(decided["name"], RunConfig.parse(decided["config"]))
