"""How are runs shortened when time is limited? By decisions saved in a file: later commands train the same runs.

``results/<scale>/plan.json`` has one entry per experiment, or kind of single run, that was fitted into a limited time:
the share of its planned steps, the divisor of its width, and the speed on which both are based.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from unrandom.core.config import Config
from unrandom.core.errors import UserError
from unrandom.core.files import make_folder, write_json
from unrandom.core.reading import Saved, read_json
from unrandom.experiments.fitting import Shortening, Speed, choose_shortening, shortening_text
from unrandom.experiments.scale import Scale
from unrandom.runs.spec import RunSpec

MIN_TRIAL_SECONDS = 60.0  # remaining time below which the speed of another group is not measured


class _Decision(Config):
    """A `Shortening`, as it is saved."""

    share: Annotated[float, Field(gt=0, le=1)]
    divisor: Annotated[int, Field(ge=1, le=2**20)]
    rate: Annotated[float, Field(gt=0)]
    measured: bool


class SavedPlan(Saved):
    """What ``plan.json`` holds: the decision on each group, by its name."""

    __pydantic_extra__: dict[str, _Decision]


@dataclass(frozen=True)
class Group:
    """Runs that are shortened alike, to be comparable. Groups with the same ``round`` share the remaining time."""

    name: str
    runs: tuple[RunSpec, ...]
    round: int = 0  # seed of the runs, if groups are trained seed by seed

    @property
    def flops(self) -> int:
        return sum(run.flops for run in self.runs)


class TimedPlan:
    """The decisions of one scale, by group name; empty if no plan was saved. Raises UserError if it is not readable."""

    def __init__(self, scale: Scale, results: Path) -> None:
        self.path = results / scale / "plan.json"
        try:
            decided = read_json(self.path, SavedPlan) if self.path.exists() else {}
        except UserError as error:
            raise UserError(f"{error}; remove it to plan the runs anew") from None
        self._decided = {name: Shortening(**entry) for name, entry in decided.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._decided

    def runs(self, name: str, planned: Sequence[RunSpec]) -> list[RunSpec]:
        """Return the runs to train: shortened as was decided for this name, else as planned."""
        decided = self._decided.get(name)
        return list(planned) if decided is None else [decided.shorten(run) for run in planned]

    def decide(self, name: str, found: Shortening) -> None:
        """Save a decision; later commands use it."""
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
    """Decide how to shorten each group when its turn comes, and train it, until no time is left.

    ``train`` returns whether it trained anything. A group's share of the remaining time is its share of the FLOPs that
    are left in its round; time that it does not use goes to later groups. A group that an earlier command decided on
    is trained as decided. A group of which too little fits waits for another command, unless nothing was trained
    before it.
    """
    nothing_trained = True
    for index, group in enumerate(groups):
        if seconds_left() <= 0:
            return
        if group.name not in plan:
            if not nothing_trained and seconds_left() < MIN_TRIAL_SECONDS:
                return
            remaining_flops = sum(each.flops for each in groups[index:] if each.round == group.round)
            found = choose_shortening(
                group.runs, _share_of(seconds_left, group.flops / remaining_flops), speed, may_wait=not nothing_trained
            )
            if found is None:
                return
            plan.decide(group.name, found)
            say(f"{group.name}: {shortening_text(found, group.runs)}")
        if seconds_left() > 0:
            nothing_trained = not train(plan.runs(group.name, group.runs)) and nothing_trained


def _share_of(seconds_left: Callable[[], float], share: float) -> Callable[[], float]:
    return lambda: share * seconds_left()
