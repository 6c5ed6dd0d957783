"""An experiment: runs to train, a measurement that saves tables, figures, and claims judged by the tables.

Claims were written before the first look at the results; a `LateClaim` was written after it. Every
experiment is written in the names exported here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from unrandom.experiments.catalogue import Entry
from unrandom.experiments.claims import LEARNED, USUAL, Claim, Evidence, Judgement, Precondition, judge_all
from unrandom.experiments.scale import Scale, by_scale
from unrandom.experiments.summaries import MEASURED
from unrandom.figures.description import Panel
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import Task

__all__ = ["Entry", "Experiment", "Picture", "Pictures", "Rows", "Run", "RunSpec", "Scale", "by_scale"]

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Picture:
    """Panels that are saved side by side, in a file with the name of the experiment and ``suffix``."""

    panels: Sequence[Panel]
    columns: int = 2
    suffix: str = ""


Pictures = Iterator[Picture]


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper (or several that belong together), or a question beyond it: how it is run and judged.

    ``runs`` takes a scale and a number of seeds. ``measure`` may use models, and its tables are by run; ``derive``
    makes further tables of these. ``evidence`` and ``draw`` see the saved tables alone. Claims are ``stated`` by key.
    Claims of an experiment beyond the paper are beyond it and usually presuppose nothing. Other claims usually
    presuppose LEARNED, and are made by the first figure of the entry if they name no other.
    """

    entry: Entry
    stated: Mapping[str, Claim]
    runs: Callable[[Scale, int], list[RunSpec]]
    measure: Callable[[list[Run], Scale], Tables]
    evidence: Callable[[Tables], Evidence]
    draw: Callable[[Tables], Pictures]
    derive: Callable[[Tables], Tables] = lambda _tables: {}
    task: type[Task] | None = None  # the task that a user's run must have; None: no user's run can be measured
    digits: bool = False  # whether a user's run must have base-b digits, and not one token per number
    compares: bool = False  # whether it compares several runs, so that one run of the user's cannot be measured
    presupposes: Precondition | None = USUAL  # what its claims presuppose if they name nothing else
    archived_seeds: int = 0  # number of seeds whose trained models are archived, if they are small

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims as stated, each with its key and with what follows from the experiment."""
        return tuple(self._completed(replace(claim, key=key)) for key, claim in self.stated.items())

    def judge(self, tables: Tables) -> list[Judgement]:
        """Judge the claims by the evidence; what is measured for LEARNED and BEYOND_SHORTCUT is in every table."""
        evidence, needed = self.evidence(tables), {claim.precondition for claim in self.claims}
        for precondition, measured in MEASURED.items():
            if precondition in needed and precondition not in evidence:
                evidence = {**evidence, precondition: measured(tables)}
        return judge_all(self.claims, evidence)

    def _completed(self, claim: Claim) -> Claim:
        beyond = self.entry.section == "beyond the paper"
        if claim.precondition is USUAL:
            usual = None if beyond else LEARNED
            claim = replace(claim, precondition=usual if self.presupposes is USUAL else self.presupposes)
        if beyond:
            return replace(claim, origin="beyond")
        if claim.origin == "paper" and not claim.figure:
            return replace(claim, figure=next(iter(self.figures)))
        return claim

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def about(self) -> str:
        return self.entry.about

    @property
    def figures(self) -> Mapping[str, str]:
        """The labels of the paper's figures, and what each shows."""
        return self.entry.figures

    def command(self, scale: str) -> str:
        """The shell command that runs the experiment."""
        return f"unrandom reproduce {self.name} --scale {scale}"
