"""What is a task? The configuration of a data distribution: sequences, tokens, splits and baselines.

Under a seed, a task makes a `Split`, which holds out data for testing, draws training and test sequences, and checks
that training has nothing that is held out. Training, evaluation and reports use this interface and know no generator.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field, model_serializer, model_validator

from unrandom.core.arithmetic import digits_needed
from unrandom.core.config import Config
from unrandom.core.errors import UserError
from unrandom.predictors.protocol import Predictor
from unrandom.tasks.split import Part, Split
from unrandom.tokenization import Tokenizer

T = TypeVar("T", bound="Task")
Count = Annotated[int, Field(ge=1, le=2**32)]
TestCount = Annotated[int, Field(ge=1, le=2**16)]  # held-out values of a parameter, all of which the manifest lists
TAG = "regime"  # the JSON key of a task's name; published run ids depend on it
BYTES_PER_PARAMETER = 8


@dataclass(frozen=True)
class Baseline:
    """A predictor with which models of a task are compared."""

    about: str  # a phrase for readers
    make: Callable[[], Predictor]
    by_order: Callable[[int], Predictor] | None = None  # makes one of a given order, as in ``lookback:3``
    in_reports: bool = True  # False: too slow for reports, or redundant there


@dataclass(frozen=True)
class Enough:
    """After ``seen`` numbers a perfect predictor is right in a share ``accuracy`` of the test sequences."""

    seen: int
    accuracy: float
    text: str  # label of a line in figures


@dataclass(frozen=True)
class Source:
    """Where the code of a user-defined task is."""

    path: str  # import path: absolute file or module, a colon, and the class
    sha256: str  # hash of the file

    def to_json(self) -> dict[str, str]:
        """As JSON values."""
        return {"path": self.path, "sha256": self.sha256}


class Task(Config, ABC):
    """What a model is trained on and tested on. Sequences have context + 1 numbers; the last is only predicted."""

    name: ClassVar[str] = ""  # name in configurations and commands; default: the class's name
    kind: ClassVar[str] = ""  # noun phrase for readers; default: "the task <name>"
    part_name: ClassVar[tuple[str, str]] = ("part", "parts")  # nouns for a part of the test: singular, plural
    source: ClassVar[Source | None] = None  # None: a task of this package

    context: Annotated[int, Field(ge=2, le=2**16)] = 256  # numbers
    mode: Literal["fixed", "streaming"] = "fixed"  # n_sequences drawn once and repeated, or new ones at each step
    n_sequences: Count | None = 100_000  # size of a fixed training set
    base: Annotated[int, Field(ge=2, le=2**31)] | None = None  # base of digits; None: one token per number
    digits: Annotated[int, Field(ge=1, le=64)] | None = (
        None  # tokens per number; None: as many as the largest number needs
    )

    added_later: ClassVar[frozenset[str]] = frozenset({"digits"})

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if "name" not in cls.__dict__:
            cls.name = cls.__name__
        if "kind" not in cls.__dict__:
            cls.kind = f"the task {cls.name}"

    @classmethod
    def parse(cls: type[T], values: Any) -> T:
        """The same as for any configuration; the values may include the task's name, which must be this one's."""
        if isinstance(values, dict) and TAG in values:
            if values[TAG] != cls.name:
                raise UserError(f"{TAG}={values[TAG]!r} was given; this is the task {cls.name}")
            values = {key: value for key, value in values.items() if key != TAG}
        return super().parse(values)

    def identity(self) -> dict[str, Any]:
        """The same as for any configuration, with the hash of the code of a user-defined task."""
        values = super().identity()
        return values if self.source is None else {**values, "sha256": self.source.sha256}

    def __reduce__(self) -> Any:
        """Pickle a user-defined task by its import path, as worker processes have to import its code."""
        if self.source is None:
            return super().__reduce__()
        from unrandom.tasks.user_tasks import restore_task

        return restore_task, (self.source.path, self.source.sha256, self.to_json())

    @property
    @abstractmethod
    def vocabulary(self) -> int:
        """An exclusive upper bound of all numbers."""

    @abstractmethod
    def split(self, seed: int) -> Split:
        """The split under a root seed. Raises UserError if there is too little to hold out."""

    @property
    def test_parts(self) -> tuple[Part, ...]:
        """The parts of the test, the same as those of the split."""
        return ("test",)

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
    def enough(self) -> tuple[Enough, ...]:
        """How many numbers suffice in principle; empty if unknown."""
        return ()

    @property
    def enough_text(self) -> str:
        """A sentence for readers about how many numbers suffice."""
        return ""

    @property
    def embedding_modulus(self) -> int | None:
        """The modulus whose prime powers are tested as residues in the embedding; None: small moduli are."""
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
        return {TAG: self.name, **handler(self)}

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
