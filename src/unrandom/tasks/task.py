"""A `Task` is the configuration of a data distribution: sequences, tokens and baselines.

Under a seed it makes a `Split`, which holds out data for testing, draws training and test sequences, and checks that
training has nothing that is held out. Training, evaluation and reports use this interface and know no generator.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import numpy as np
from pydantic import Field, model_serializer, model_validator

from unrandom.core.arithmetic import digits_needed
from unrandom.core.config import Config
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.tasks.curriculum import Count, Phase, check_shares
from unrandom.tasks.examples import Examples, Parameters
from unrandom.tasks.facts import Baseline, FurtherTest, KnownFrom, Part, Source
from unrandom.tokenization import Tokenizer

T = TypeVar("T", bound="Task")
TestCount = Annotated[int, Field(ge=1, le=2**16)]  # per parameter; the manifest lists them all
NAME_KEY = "regime"  # the JSON key of a task's name; published run ids depend on it
BYTES_PER_PARAMETER = 8
ShareByStep = Callable[[int], float]
"""The share of a batch that a phase of a curriculum replaces, by step (from 0)."""


class Task(Config, ABC):
    """A distribution to train and test a model on. Sequences have context + 1 numbers; the last is only predicted."""

    name: ClassVar[str] = ""  # name in configurations and commands; default: the class's name
    kind: ClassVar[str] = ""  # noun phrase for readers; default: "the task <name>"
    part_name: ClassVar[tuple[str, str]] = ("part", "parts")  # nouns for a part of the test: singular, plural
    source: ClassVar[Source | None] = None  # None: a task of this package

    context: Annotated[int, Field(ge=2, le=2**16)] = 256  # numbers
    mode: Literal["fixed", "streaming"] = "fixed"  # n_sequences drawn once and repeated, or new ones at each step
    n_sequences: Count | None = 100_000  # size of a fixed training set
    base: Annotated[int, Field(ge=2, le=2**31)] | None = None  # base of digits; None: one token per number
    digits: Annotated[int, Field(ge=1, le=64)] | None = (
        None  # tokens per number; None: the fewest for the largest number
    )

    curriculum: tuple[Phase, ...] = ()  # phases with easier sequences

    added_later: ClassVar[frozenset[str]] = frozenset({"curriculum", "digits"})

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if "name" not in cls.__dict__:
            cls.name = cls.__name__
        if "kind" not in cls.__dict__:
            cls.kind = f"the task {cls.name}"

    @classmethod
    def parse(cls: type[T], values: Any) -> T:
        """The same as for any configuration; the values may include the task's name, which must be this one's."""
        if isinstance(values, dict) and NAME_KEY in values:
            if values[NAME_KEY] != cls.name:
                raise UserError(f"{NAME_KEY}={values[NAME_KEY]!r} was given; this is the task {cls.name}")
            values = {key: value for key, value in values.items() if key != NAME_KEY}
        return super().parse(values)

    def identity(self) -> dict[str, Any]:
        """The same as for any configuration, with the hash of the code of a user-defined task."""
        values = super().identity()
        return values if self.source is None else {**values, "sha256": self.source.sha256}

    @property
    @abstractmethod
    def vocabulary(self) -> int:
        """An exclusive upper bound of all numbers."""

    @abstractmethod
    def split(self, seed: int) -> "Split":
        """The split under a root seed. Raises UserError if there is too little to hold out."""

    @property
    def test_parts(self) -> tuple[Part, ...]:
        """The parts of the test; the split has the same."""
        return ("test",)

    def in_phase(self, phase: Phase) -> "Task":
        """The task of a phase's easier sequences, without a curriculum. Raises UserError if the task has none."""
        raise UserError(f"the task {self.name} has no easier sequences: leave data.curriculum empty")

    def baselines(self) -> Mapping[str, Baseline]:
        """The baseline predictors that apply to the test sequences, by name."""
        return {}

    @property
    def rule(self) -> str:
        """The generator's rule as text for readers."""
        return self.name

    @property
    def scope(self) -> str:
        """A phrase for readers that follows "the next number"."""
        return f"of {self.name}"

    @property
    def unseen(self) -> str:
        """What is unseen in test sequences, as a phrase for readers."""
        return "parameters"

    @property
    def enough(self) -> tuple[KnownFrom, ...]:
        """How many numbers suffice in principle; empty if unknown."""
        return ()

    @property
    def enough_text(self) -> str:
        """A sentence for readers about how many numbers suffice."""
        return ""

    def contradiction(self, numbers: Sequence[int]) -> str | None:
        """Why numbers below the vocabulary cannot be a sequence of this task: a clause for readers, or None."""
        return None

    @property
    def embedding_modulus(self) -> int | None:
        """The modulus whose prime powers are the residues tested in the embedding; None: small moduli are tested."""
        return self.base or self.vocabulary

    @property
    def training_set_rows(self) -> int:
        """Largest number of sequences in a fixed training set; 0 in streaming mode."""
        return 0 if self.mode == "streaming" else self.n_sequences or 0

    @property
    def parameter_bytes(self) -> int:
        """Bytes of the parameters of one training sequence."""
        return 4 * BYTES_PER_PARAMETER

    @property
    def tokenizer(self) -> Tokenizer:
        if self.base is None:
            return Tokenizer(self.vocabulary)
        return Tokenizer(self.base, self.digits or digits_needed(self.vocabulary - 1, self.base))

    @property
    def context_tokens(self) -> int:
        """Tokens that the model reads: all tokens of a sequence but the last."""
        return (self.context + 1) * self.tokenizer.width - 1

    def part_text(self, part: Part) -> str:
        """A part as text, such as "modulus 64"."""
        return f"{self.part_name[0]} {part}" if isinstance(part, int) else part

    def part_symbol(self, part: Part) -> str:
        """A part as a legend entry, such as "m = 64"."""
        return f"m = {part}" if isinstance(part, int) else part

    @model_serializer(mode="wrap")
    def _with_tag(self, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return {NAME_KEY: self.name, **handler(self)}

    @model_validator(mode="after")
    def _writable(self) -> "Task":
        if not isinstance(vocabulary := self.vocabulary, int) or vocabulary < 2:
            raise ValueError(f"the vocabulary must be a whole number from 2 on, not {vocabulary!r:.40}")
        if self.base is None and vocabulary > 2**20:
            raise ValueError(
                f"numbers up to {vocabulary - 1} need digits: set data.base (256, say); "
                "one token per number is allowed up to 2^20"
            )
        if self.digits is not None:
            if self.base is None:
                raise ValueError(f"data.digits={self.digits} needs data.base")
            if self.digits < (needed := digits_needed(vocabulary - 1, self.base)):
                raise ValueError(f"data.digits={self.digits} is less than the {needed} that a number can have")
        return self

    @model_validator(mode="after")
    def _has_easier_sequences(self) -> "Task":
        check_shares(self.curriculum)
        for phase in self.curriculum:
            if phase.skipping and "skipping_share" not in type(self).model_fields:
                raise ValueError(f"curriculum: the task {self.name} has no sequences that skip")
            self.in_phase(phase)
        return self


class Split(ABC):
    """What training draws from and what is held out for testing, under a seed."""

    task: Task
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
        Raises UserError if there is too little to halve."""

    @abstractmethod
    def unseen_by(self, earlier: "Split") -> "Split":
        """A copy whose test an ancestor that trained on the split ``earlier`` has not seen; UserError if nothing is
        left."""

    @property
    def caution(self) -> str:
        """A warning to readers of this test's accuracy; empty if there is none."""
        return ""

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

    def in_phase(self, phase: Phase) -> "Split":
        """The split of a phase's easier sequences, with the same parameters held out."""
        raise UserError(f"the task {self.task.name} has no easier sequences: leave data.curriculum empty")

    def curriculum(self) -> Sequence[tuple[ShareByStep, "Split"]]:
        """For each phase of the curriculum, the share of a batch that it replaces, and the split that draws it."""
        return [(phase.share_at, self.in_phase(phase)) for phase in self.task.curriculum]

    def testing(self, part: Part) -> "Split":
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


def different_task_error(earlier: Split) -> UserError:
    """The error for starting from a run with another task."""
    return UserError(f"the run to start from has another task ({earlier.task.name}): it is unknown what it has seen")
