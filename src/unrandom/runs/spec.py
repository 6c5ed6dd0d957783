"""A run to be made: a recipe's name and a configuration, with labels for tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from unrandom.core.config import as_typed, dotted_items
from unrandom.training import RunConfig, run_id


@dataclass(frozen=True)
class RunSpec:
    """A run that is wanted, whether or not it exists. Equal configurations of a recipe share a run folder.

    ``labels`` name the run's role in an experiment or sweep; they become columns of tables and do not change the run.
    """

    recipe: str
    config: RunConfig
    labels: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def id(self) -> str:
        """The name of the run and of its folder."""
        return run_id(self.recipe, self.config)

    @property
    def flops(self) -> int:
        """Floating-point operations of training, without its ancestors."""
        return self.config.flops

    def words_for(self, config: RunConfig) -> list[str]:
        """The words of a command that turns this specification into a configuration: the recipe, and what differs."""
        before, source = dict(dotted_items(self.config.to_json())), config.data.source
        changed = [(key, value) for key, value in dotted_items(config.to_json()) if before.get(key) != value]
        settings = [word for key, value in changed for word in ("--set", f"{key}={as_typed(value)}")]
        return [self.recipe if source is None else source.path, *settings]

    def labelled(self, **labels: Any) -> "RunSpec":
        """A copy with additional labels."""
        return replace(self, labels={**self.labels, **labels})

    def ancestors(self) -> list["RunSpec"]:
        """The runs whose weights it starts from, oldest first."""
        start = self.config.start
        if start is None:
            return []
        parent = RunSpec(start.recipe, start.config)
        return [*parent.ancestors(), parent]


def with_ancestors(specs: Iterable[RunSpec]) -> list[RunSpec]:
    """The runs and all their ancestors, each once, ancestors first."""
    return list({each.id: each for spec in specs for each in (*spec.ancestors(), spec)}.values())
