"""What is an experiment? Runs → measure → tables (saved) → draw → judge, with claims written beforehand or after."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unrandom.experiments.catalogue import CATALOGUE, Entry
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.runs import Run
from unrandom.tasks import Task
from unrandom.training import RunConfig

Scale = Literal["smoke", "laptop", "gpu", "paper"]
SCALES: tuple[Scale, ...] = ("smoke", "laptop", "gpu", "paper")

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]  # each a tidy table: a row is one observation


@dataclass(frozen=True)
class PlannedRun:
    """A run that an experiment needs. Experiments that need the same one share its folder."""

    name: str
    config: RunConfig

    @property
    def id(self) -> str:
        return f"{self.name}-{self.config.digest()}"

    def ancestors(self) -> list["PlannedRun"]:
        """The runs whose weights it begins with, the first of all first."""
        start = self.config.start
        if start is None:
            return []
        parent = PlannedRun(start.recipe, start.config)
        return [*parent.ancestors(), parent]

    @property
    def flops(self) -> int:
        """Training operations, without those of its ancestors."""
        return self.config.flops


def with_ancestors(runs: Iterable[PlannedRun]) -> list[PlannedRun]:
    """The runs and all that they begin with, each once, ancestors before what comes of them."""
    return list({each.id: each for run in runs for each in (*run.ancestors(), run)}.values())


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper (or several that belong together) as a thing that can be run and judged.

    ``measure`` may use models; ``draw`` and ``evidence`` see the saved tables alone.
    """

    name: str
    claims: tuple[Claim, ...]
    runs: Callable[[Scale, int], list[PlannedRun]]
    measure: Callable[[list[Run], Scale], Tables]
    draw: Callable[[Tables, Path], None]
    evidence: Callable[[Tables], Evidence]
    task: type[Task] | None = None  # of the runs that it can measure; none: it needs no model, or runs of several
    compares: bool = False  # whether it needs several runs, and one alone says nothing
    kept_seeds: int = 0  # the trained models of so many seeds are saved beside the results, if they are small

    @property
    def entry(self) -> Entry:
        """Its line in the catalogue."""
        return CATALOGUE[self.name]

    @property
    def about(self) -> str:
        return self.entry.about

    @property
    def figures(self) -> tuple[str, ...]:
        """The paper's labels."""
        return self.entry.figures

    def command(self, scale: str) -> str:
        """What a reader types to carry it out."""
        return f"unrandom reproduce {self.name} --scale {scale}"
