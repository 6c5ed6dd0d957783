"""What may training see, and what is kept for testing? What a task answers under a seed."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.tasks.examples import Examples, Parameters

if TYPE_CHECKING:
    from unrandom.tasks.task import Task

Part = int | str
"""What a part of the test is called; an integer is its modulus."""


@dataclass(frozen=True)
class FurtherTest:
    """Sequences that are tested beside those of the split, for what they say by themselves."""

    name: str
    about: str  # a phrase for readers
    examples: Examples


@runtime_checkable
class Phase(Protocol):
    """A part of a curriculum."""

    def share_at(self, step: int) -> float:
        """The share of the batch of ``step`` (from 0)."""
        ...


class Split(ABC):
    """What training may draw from, and what testing draws from, under a seed."""

    task: "Task"
    seed: int

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """The parts of the test, each of which is evaluated by itself."""

    @abstractmethod
    def draw_training(self, rng: np.random.Generator, rows: int) -> Parameters:
        """``rows`` training sequences. Nothing that is held out is among them; UserError where nothing is left."""

    @abstractmethod
    def test(self, part: Part, sequences: int, *, name: str = "test") -> Examples:
        """Test sequences of one part, always the same for a ``name``. UserError for a part that there is not."""

    @abstractmethod
    def check(self, parameters: Parameters) -> None:
        """Raise RuntimeError if training parameters hold anything that is kept for testing. They never should."""

    @abstractmethod
    def manifest(self) -> dict[str, Any]:
        """What is held out, as JSON, for the run folder."""

    @abstractmethod
    def validation_and_test(self) -> tuple["Split", "Split"]:
        """One split to choose settings by and one to test the choice on, with nothing held out in common.

        UserError where there is too little to halve.
        """

    @abstractmethod
    def unseen_by(self, earlier: "Split") -> "Split":
        """The same without what a run could train on that this one's weights come from, by ``earlier``'s split.

        UserError where nothing is left to test.
        """

    @property
    def about(self) -> str:
        """What training saw of the test's sequences: a phrase for readers."""
        return "held out from training"

    def training_set(self, rng: np.random.Generator) -> Parameters:
        """The sequences of a fixed training set."""
        return self.draw_training(rng, self._set_size)

    @property
    def _set_size(self) -> int:
        if self.task.n_sequences is None:
            raise UserError(
                f"data.mode=fixed needs data.n_sequences: the task {self.task.name} cannot list all that there are"
            )
        return self.task.n_sequences

    def check_batch(self, rows: int) -> None:
        """UserError where some setting would do nothing in batches of so many rows."""
        return

    def try_drawing(self, rows: int) -> None:
        """Draw a batch's training parameters. UserError where there are none, or no size for a fixed set of them."""
        most = self._set_size if self.task.mode == "fixed" else rows
        self.draw_training(stream(self.seed, "plan"), min(rows, most))

    def curriculum(self) -> Sequence[tuple[Phase, "Split"]]:
        """Phases with the split that each draws its easier sequences from."""
        return ()

    def with_own_part(self, part: Part) -> "Split":
        """The same with a part to test that the configuration does not name. UserError where that cannot be."""
        if part not in self.parts:
            raise UserError(f"{part} was given; the test of this run has {', '.join(map(str, self.parts))}")
        return self

    def further_tests(self, part: Part, sequences: int, *, seed: int) -> Sequence[FurtherTest]:
        """What else is worth testing, apart from the held-out sequences of a part. ``seed`` is the run's."""
        return ()

    def followed(self, part: Part, sequences: int) -> Mapping[str, Parameters]:
        """Further sequences whose last number is followed during training, by the prefix of its metric."""
        return {}

    def test_of_largest(self, sequences: int, *, name: str) -> Examples:
        """Test sequences of the last part, or of the one with the largest modulus."""
        numbers = [part for part in self.parts if isinstance(part, int)]
        return self.test(max(numbers) if numbers else self.parts[-1], sequences, name=name)


def another_task(earlier: Split) -> UserError:
    """The refusal of a run to start from that learned something else."""
    return UserError(f"the run to start from has another task ({earlier.task.name}): what it saw cannot be told")
