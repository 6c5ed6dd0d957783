"""Which runs were decided on, when time was short? A file that a later call reads, to go on with the same runs.

``results/<scale>/plan.json`` has an entry for each experiment, or kind of single run, that was fitted into a time: the
share of its steps, by what its width is divided, and the speed that both follow from.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from unrandom.core.errors import UserError
from unrandom.core.files import make_folder, read_json, write_json
from unrandom.experiments.fitting import Fit, Speed, described, fit
from unrandom.experiments.scale import Scale
from unrandom.runs.spec import RunSpec

LEAST_SECONDS = 60.0  # that must be left to try how fast another group is


@dataclass(frozen=True)
class Group:
    """Runs that are cut alike, so that they can be compared. Groups of a round share the time that is left."""

    name: str
    runs: tuple[RunSpec, ...]
    round: int = 0

    @property
    def flops(self) -> int:
        return sum(run.flops for run in self.runs)


class TimedPlan:
    """The decisions of one scale, by name. Reading a plan that was never made gives an empty one."""

    def __init__(self, scale: Scale, results: Path) -> None:
        self.path = results / scale / "plan.json"
        decided = read_json(self.path) if self.path.is_file() else {}
        try:
            self._decided = {name: Fit(**entry) for name, entry in decided.items()}
        except (AttributeError, TypeError):
            raise UserError(f"{self.path} is not a plan of runs; without it, they are decided on anew") from None

    def __contains__(self, name: str) -> bool:
        return name in self._decided

    def runs(self, name: str, planned: Sequence[RunSpec]) -> list[RunSpec]:
        """What is trained in the place of planned runs: as was decided for this name, else as they were planned."""
        decided = self._decided.get(name)
        return list(planned) if decided is None else [decided.cut(run) for run in planned]

    def decide(self, name: str, found: Fit) -> None:
        """Keep a decision, at once and for good."""
        self._decided[name] = found
        make_folder(self.path.parent)
        write_json(self.path, {name: asdict(each) for name, each in self._decided.items()})


def train_in_turn(
    groups: Sequence[Group],
    plan: TimedPlan,
    speed: Speed,
    *,
    seconds_left: Callable[[], float],
    train: Callable[[list[RunSpec]], bool],
    say: Callable[[str], None],
) -> None:
    """Decide on each group when its turn comes, and train it, until no time is left.

    A group is given the part of the time that it has of the operations of its round that are still to come; what it
    does not use goes to those after it. What was decided on before goes on as it is. Where too little time is left for
    a good part of a group, it waits for another call, unless it is the first that ``train`` finds something to do for.
    """
    first = True
    for index, group in enumerate(groups):
        if seconds_left() <= 0:
            return
        if group.name not in plan:
            if not first and seconds_left() < LEAST_SECONDS:
                return
            coming = sum(each.flops for each in groups[index:] if each.round == group.round)
            found = fit(group.runs, _part(seconds_left, group.flops / coming), speed, may_wait=not first)
            if found is None:
                return
            plan.decide(group.name, found)
            say(f"{group.name}: {described(found, group.runs)}")
        if seconds_left() > 0:
            first = not train(plan.runs(group.name, group.runs)) and first


def _part(seconds_left: Callable[[], float], part: float) -> Callable[[], float]:
    return lambda: part * seconds_left()
