"""Holds out parameter values: training has none of the test's values, or no combination of them."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Examples, Parameters
from unrandom.tasks.facts import Part
from unrandom.tasks.task import Split, Task, different_task_error

ATTEMPTS = 1000  # redraws before giving up

Values = Mapping[str, UInt64[np.ndarray, "..."]]  # parameters may have different numbers of values


class HeldValuesTask(Task):
    """A task with one test part, defined by how sequences are drawn and which parameter values are held out."""

    # What training must not have. values: any value of any parameter in the test; pairs: any combination of them.
    hold_out: Literal["values", "pairs"] = "values"

    added_later: ClassVar[frozenset[str]] = Task.added_later | {"hold_out"}

    @abstractmethod
    def draw(self, rng: np.random.Generator, rows: int, **given: UInt64[np.ndarray, " rows"]) -> Parameters:
        """Parameters of ``rows`` sequences: the ``given`` arrays (one row per sequence), the others drawn."""

    @abstractmethod
    def held_values(self, rng: np.random.Generator) -> Values:
        """Values held out for the test, by parameter name; at least one parameter."""

    def trained_values(self, rng: np.random.Generator, held: Values) -> Values:
        """The values that training is limited to, by parameter name; other parameters have all but held-out values."""
        return {}

    def may_have(self, name: str, values: UInt64[np.ndarray, " values"]) -> Bool[np.ndarray, " values"]:
        """Which values of a parameter sequences of this task can have, where some are too large; by default all."""
        return np.ones(len(values), dtype=bool)

    def split(self, seed: int) -> "HeldValues":
        held = {name: np.asarray(values) for name, values in self.held_values(stream(seed, "held out")).items()}
        if not held:
            raise UserError(f"{self.name}.held_values names no parameter")
        for name, values in held.items():
            if values.ndim != 1 or not 0 < len(values) == len(np.unique(values)):
                raise UserError(f"{self.name}.held_values: {name} needs one value or more, each only once")
        return HeldValues(self, seed, held, self.trained_values(stream(seed, "trained"), held))


@dataclass(frozen=True)
class HeldValues(Split):
    """Training has none of the held-out values, or no pair of them; the test has only these, all pairs equally often.

    ``trained`` limits training to some values of a parameter.
    """

    task: HeldValuesTask
    seed: int
    held: Values
    trained: Values = field(default_factory=dict)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.task.test_parts

    @property
    def about(self) -> str:
        names = " and ".join(self.held)
        if self.task.hold_out == "pairs" and len(self.held) > 1:
            return f"of which training saw no pair of {names}"
        return f"of which training saw none of the values of {names}"

    def draw_training(self, rng: np.random.Generator, rows: int) -> Parameters:
        drawn = self._draw(rng, rows)
        for _ in range(ATTEMPTS):
            withheld = np.flatnonzero(self._withheld(drawn))
            if not len(withheld):
                return drawn
            drawn.put(withheld, self._draw(rng, len(withheld)))
        raise UserError(f"nothing is left to train on: hold out fewer values of {' and '.join(self.held)}")

    def _draw(self, rng: np.random.Generator, rows: int) -> Parameters:
        given = {name: values[rng.integers(0, len(values), rows)] for name, values in self.trained.items()}
        return self.task.draw(rng, rows, **given)

    def in_phase(self, phase: Phase) -> "HeldValues":
        easier = self.task.in_phase(phase)
        assert isinstance(easier, HeldValuesTask), "the same task with other settings"
        return replace(self, task=easier, trained={})

    def _withheld(self, parameters: Parameters) -> Bool[np.ndarray, " rows"]:
        labels = parameters.labels
        if lost := [name for name in self.held if name not in labels]:
            known = ", ".join(labels)
            raise UserError(f"{self.task.name}.held_values names {lost[0]!r}, but its sequences have {known}")
        held = [np.isin(labels[name], values) for name, values in self.held.items()]
        return (np.logical_and if self.task.hold_out == "pairs" else np.logical_or).reduce(held)

    def test(self, part: Part, sequences: int, *, name: str = "test") -> Examples:
        if part not in self.parts:
            raise UserError(f"{part} is not a part of the test; its parts are {', '.join(map(str, self.parts))}")
        rng = stream(self.seed, name, part)
        shape = tuple(len(values) for values in self.held.values())
        combinations = prod(shape)
        repeats = -(-sequences // combinations)
        places = np.concatenate([rng.permutation(combinations) for _ in range(repeats)])[:sequences]
        chosen = zip(self.held.items(), np.unravel_index(places, shape), strict=True)
        given = {name: values[which] for (name, values), which in chosen}
        drawn = self.task.draw(rng, sequences, **given)
        for label, values in given.items():
            if not np.array_equal(drawn.labels[label], values):
                raise UserError(f"{self.task.name}.draw does not keep the {label} that it is given")
        units = drawn.units or {label: f"values of {label}" for label in list(self.held)[:2]}
        return Examples(drawn, drawn.numbers(self.task.context + 1), units)

    def check(self, parameters: Parameters) -> None:
        if self._withheld(parameters).any():
            raise RuntimeError("training parameters and test parameters overlap")

    def manifest(self) -> dict[str, Any]:
        return {"seed": self.seed, "test": {name: values.tolist() for name, values in self.held.items()}}

    def validation_and_test(self) -> tuple["HeldValues", "HeldValues"]:
        """Each split has half of the held-out values; a parameter with a single value has it in both."""
        if all(len(values) < 2 for values in self.held.values()):
            raise UserError("one value of each parameter is held out; choosing by validation needs 2 of one of them")
        halves = {
            name: np.array_split(values, [len(values) // 2]) if len(values) > 1 else (values, values)
            for name, values in self.held.items()
        }
        first, second = ({name: half[which] for name, half in halves.items()} for which in (0, 1))
        return replace(self, held=first), replace(self, held=second)

    def unseen_by(self, earlier: Split) -> "HeldValues":
        if not (isinstance(earlier, HeldValues) and earlier.task.name == self.task.name):
            raise different_task_error(earlier)
        alone = self.task.hold_out == "values"
        both = {name: values[earlier.never_trained(name, values, alone=alone)] for name, values in self.held.items()}
        if any(not len(values) for values in both.values()):
            raise UserError("the run to start from may have seen every value that is held out")
        return replace(self, held=both)

    def never_trained(
        self, name: str, values: UInt64[np.ndarray, " values"], *, alone: bool
    ) -> Bool[np.ndarray, " values"]:
        """Which values of a parameter a run on this split cannot have seen, ``alone`` or in a pair of its test:
        values that are too large, and values held out (unless only pairs were, for ``alone``)."""
        by_pairs = self.task.hold_out == "pairs" and len(self.held) > 1
        held = () if alone and by_pairs else self.held.get(name, ())
        return np.isin(values, held) | ~self.task.may_have(name, values)
