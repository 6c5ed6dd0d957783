"""What may training see, and what is held out for testing? A split of a task under a seed."""

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
"""The name of a part of the test; an integer is its modulus."""


@dataclass(frozen=True)
class FurtherTest:
    """Additional test sequences, reported separately from the held-out ones."""

    name: str
    about: str  # a phrase for readers
    examples: Examples


@runtime_checkable
class Phase(Protocol):
    """A phase of a curriculum."""

    def share_at(self, step: int) -> float:
        """The share of the batch of ``step`` (from 0) that the phase replaces."""
        ...


class Split(ABC):
    """What training draws from and what is held out for testing, under a seed."""

    task: "Task"
    seed: int

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """The parts of the test, each evaluated separately."""

    @abstractmethod
    def draw_training(self, rng: np.random.Generator, rows: int) -> Parameters:
        """Parameters of ``rows`` training sequences, none held out. Raises UserError if nothing is left to draw."""

    @abstractmethod
    def test(self, part: Part, sequences: int, *, name: str = "test") -> Examples:
        """Test sequences of one part, a function of ``name`` and the seed. Raises UserError for an unknown part."""

    @abstractmethod
    def check(self, parameters: Parameters) -> None:
        """Raise RuntimeError if training parameters contain anything held out, which would be a bug."""

    @abstractmethod
    def manifest(self) -> dict[str, Any]:
        """What is held out, as JSON values for the manifest."""

    @abstractmethod
    def validation_and_test(self) -> tuple["Split", "Split"]:
        """Two splits without common held-out parameters: one for choosing settings, one for testing the choice.

        Raises UserError if there is too little to halve.
        """

    @abstractmethod
    def unseen_by(self, earlier: "Split") -> "Split":
        """A copy whose test is also unseen by an ancestor run that trained on the split ``earlier``.

        Raises UserError if nothing is left to test.
        """

    @property
    def about(self) -> str:
        """A phrase for readers: how the test sequences are held out."""
        return "held out from training"

    def training_set(self, rng: np.random.Generator) -> Parameters:
        """Parameters of a fixed training set."""
        return self.draw_training(rng, self._set_size)

    @property
    def _set_size(self) -> int:
        if self.task.n_sequences is None:
            raise UserError(
                f"data.mode=fixed needs data.n_sequences: the task {self.task.name} cannot list all that there are"
            )
        return self.task.n_sequences

    def check_batch(self, rows: int) -> None:
        """Raise UserError if some setting has no effect in batches of this size."""
        return

    def try_drawing(self, rows: int) -> None:
        """Draw one batch as a trial. Raises UserError if nothing can be drawn, or a fixed training set has no size."""
        most = self._set_size if self.task.mode == "fixed" else rows
        self.draw_training(stream(self.seed, "plan"), min(rows, most))

    def curriculum(self) -> Sequence[tuple[Phase, "Split"]]:
        """The phases of the curriculum, each with the split of its easier sequences."""
        return ()

    def with_own_part(self, part: Part) -> "Split":
        """A copy with a test part that the configuration does not name. Raises UserError if that is impossible."""
        if part not in self.parts:
            raise UserError(f"{part} was given; the test of this run has {', '.join(map(str, self.parts))}")
        return self

    def further_tests(self, part: Part, sequences: int, *, seed: int) -> Sequence[FurtherTest]:
        """Additional tests beside the held-out sequences of a part. ``seed`` is the run's."""
        return ()

    def followed(self, part: Part, sequences: int) -> Mapping[str, Parameters]:
        """Additional sequences on which last-number accuracy is monitored in training, by the prefix of the metric."""
        return {}

    def test_of_largest(self, sequences: int, *, name: str) -> Examples:
        """Test sequences of the last part, or of the one with the largest modulus."""
        numbers = [part for part in self.parts if isinstance(part, int)]
        return self.test(max(numbers) if numbers else self.parts[-1], sequences, name=name)


def another_task(earlier: Split) -> UserError:
    """The error for starting from a run with another task."""
    return UserError(f"the run to start from has another task ({earlier.task.name}): it is unknown what it has seen")
