"""Which run is meant? A recipe's name, a configuration, and what tells it from the runs beside it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from unrandom.training import RunConfig, run_id


@dataclass(frozen=True)
class RunSpec:
    """A run that is wanted. Those that ask for the same configuration of a recipe share its folder.

    ``labels`` say what whoever asked for the run asked it for; they become columns of tables, and are no part of what
    the run computes.
    """

    recipe: str
    config: RunConfig
    labels: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def id(self) -> str:
        """The name of its folder."""
        return run_id(self.recipe, self.config)

    @property
    def flops(self) -> int:
        """Training operations, without those of its ancestors."""
        return self.config.flops

    def labelled(self, **labels: Any) -> "RunSpec":
        """The same with more labels."""
        return replace(self, labels={**self.labels, **labels})

    def ancestors(self) -> list["RunSpec"]:
        """The runs whose weights it begins with, the first of all first."""
        start = self.config.start
        if start is None:
            return []
        parent = RunSpec(start.recipe, start.config)
        return [*parent.ancestors(), parent]


def with_ancestors(specs: Iterable[RunSpec]) -> list[RunSpec]:
    """The runs and all that they begin with, each once, ancestors before what comes of them."""
    return list({each.id: each for spec in specs for each in (*spec.ancestors(), spec)}.values())
