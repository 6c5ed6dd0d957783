"""What is an experiment? Runs → measure → tables (saved) → draw → judge, with claims written beforehand or after."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unrandom.experiments.catalogue import CATALOGUE, Entry
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.scale import Scale
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import Task

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper (or several that belong together) as a thing that can be run and judged.

    ``measure`` may use models; ``draw`` and ``evidence`` see the saved tables alone.
    """

    name: str
    claims: tuple[Claim, ...]
    runs: Callable[[Scale, int], list[RunSpec]]
    measure: Callable[[list[Run], Scale], Tables]
    draw: Callable[[Tables, Path], None]
    evidence: Callable[[Tables], Evidence]
    task: type[Task] | None = None  # a run of any other task is refused, and every run is if this is None
    compares: bool = False  # whether it needs several runs, and one alone says nothing
    archived_seeds: int = 0  # the trained models of so many seeds are saved beside the results, if they are small

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
