"""What is an experiment? Runs to train, a measurement that saves tables, figures, and claims judged by the tables.

Claims were written before the first look at the results, or are marked as written after it.
"""

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
    """One figure of the paper (or several that belong together), or a question beyond it: how it is run and judged.

    ``runs`` takes a scale and a number of seeds. ``measure`` may use models; ``draw`` and ``evidence`` see the saved
    tables alone.
    """

    name: str
    claims: tuple[Claim, ...]
    runs: Callable[[Scale, int], list[RunSpec]]
    measure: Callable[[list[Run], Scale], Tables]
    draw: Callable[[Tables, Path], None]
    evidence: Callable[[Tables], Evidence]
    task: type[Task] | None = None  # the task that a user's run must have; None: no user's run can be measured
    compares: bool = False  # whether it compares several runs, so that one run of the user's cannot be measured
    archived_seeds: int = 0  # number of seeds whose trained models are archived, if they are small

    @property
    def entry(self) -> Entry:
        """The catalogue entry."""
        return CATALOGUE[self.name]

    @property
    def about(self) -> str:
        return self.entry.about

    @property
    def figures(self) -> tuple[str, ...]:
        """The labels of the paper's figures."""
        return self.entry.figures

    def command(self, scale: str) -> str:
        """The shell command that runs the experiment."""
        return f"unrandom reproduce {self.name} --scale {scale}"
