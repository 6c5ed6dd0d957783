"""What is a task? Configuration of what is learned from, with what it answers: tokens, held-out data, draws, baselines.

A task is a frozen configuration like any other. Under a seed it gives a `Split`, which says what is kept for testing,
draws sequences for training and for the test, and checks that the two share nothing that was held out. Everything that
learns, evaluates or reports asks the task and knows no generator.
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
TAG = "regime"  # the key of a task's name in its tree; published run ids hold it
WORDS = 8  # bytes of a parameter


@dataclass(frozen=True)
class Baseline:
    """A predictor that can be set beside a model of a task."""

    about: str  # a phrase for readers
    make: Callable[[], Predictor]
    by_order: Callable[[int], Predictor] | None = None  # with an order, as in ``lookback:3``
    in_reports: bool = True  # unless it takes long, or says what another one says


@dataclass(frozen=True)
class Enough:
    """After ``seen`` numbers a perfect predictor is right in a share ``accuracy`` of the test sequences."""

    seen: int
    accuracy: float
    text: str  # beside a line in a figure


@dataclass(frozen=True)
class Source:
    """Where the code of a user's task is."""

    path: str  # as it can be named again: an absolute file, or a module, and the class
    sha256: str  # of the file

    def to_json(self) -> dict[str, str]:
        """As JSON values."""
        return {"path": self.path, "sha256": self.sha256}


class Task(Config, ABC):
    """What is learned from. A sequence holds context + 1 numbers: the last is predicted from the others."""

    name: ClassVar[str] = ""  # in configurations and commands; the class's own name unless it has another one
    kind: ClassVar[str] = ""  # what a run of it is a run of, for readers; its name unless it says more
    part_name: ClassVar[tuple[str, str]] = ("part", "parts")  # what parts of the test are called: one, and several
    source: ClassVar[Source | None] = None  # None: a task of this package

    context: Annotated[int, Field(ge=2, le=2**16)] = 256  # numbers
    mode: Literal["fixed", "streaming"] = "fixed"  # n_sequences drawn once and repeated, or fresh ones each step
    n_sequences: Count | None = 100_000  # fixed only
    base: Annotated[int, Field(ge=2, le=2**31)] | None = None  # none: one token a number
    digits: Annotated[int, Field(ge=1, le=64)] | None = None  # tokens a number; none: what the largest number needs

    added_later: ClassVar[frozenset[str]] = frozenset({"digits"})

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if "name" not in cls.__dict__:
            cls.name = cls.__name__
        if "kind" not in cls.__dict__:
            cls.kind = f"the task {cls.name}"

    @classmethod
    def parse(cls: type[T], tree: Any) -> T:
        """As for any configuration; the tree may hold the task's name, which must then be this one's."""
        if isinstance(tree, dict) and TAG in tree:
            if tree[TAG] != cls.name:
                raise UserError(f"{TAG}={tree[TAG]!r} was given; this is the task {cls.name}")
            tree = {key: value for key, value in tree.items() if key != TAG}
        return super().parse(tree)

    def identity(self) -> dict[str, Any]:
        """As for any configuration; what a user's task computes is decided by its code, too."""
        tree = super().identity()
        return tree if self.source is None else {**tree, "sha256": self.source.sha256}

    def __reduce__(self) -> Any:
        """Workers are other processes: there the code of a user's task has to be imported first."""
        if self.source is None:
            return super().__reduce__()
        from unrandom.tasks.user_tasks import restore_task

        return restore_task, (self.source.path, self.source.sha256, self.to_json())

    @property
    @abstractmethod
    def vocabulary(self) -> int:
        """Every number of every sequence is below it."""

    @abstractmethod
    def split(self, seed: int) -> Split:
        """What is held out under a root seed. Raises UserError where too little exists."""

    @property
    def test_parts(self) -> tuple[Part, ...]:
        """The parts of the test, as the split will have them."""
        return ("test",)

    def baselines(self) -> Mapping[str, Baseline]:
        """The predictors that the test sequences leave a chance, by name."""
        return {}

    @property
    def rule(self) -> str:
        """The generator: how a number follows from those before it, for readers."""
        return self.name

    @property
    def scope(self) -> str:
        """Which numbers the model names: what follows "the next number" in a sentence."""
        return f"of {self.name}"

    @property
    def unseen(self) -> str:
        """What of a test sequence training never saw, for readers."""
        return "parameters"

    @property
    def enough(self) -> tuple[Enough, ...]:
        """How many numbers are enough in principle; none where nobody knows."""
        return ()

    @property
    def enough_text(self) -> str:
        """A sentence about it, for readers."""
        return ""

    @property
    def embedding_modulus(self) -> int | None:
        """The modulus whose prime powers the embedding of tokens is looked through for; None for none."""
        return self.base or self.vocabulary

    @property
    def training_set_rows(self) -> int:
        """Sequences of a fixed training set, at most; 0 for fresh ones."""
        return 0 if self.mode == "streaming" else self.n_sequences or 0

    @property
    def parameter_bytes(self) -> int:
        """Bytes that the parameters of a training sequence take."""
        return 4 * WORDS

    @property
    def tokenizer(self) -> Tokenizer:
        if self.base is None:
            return Tokenizer(self.vocabulary)
        return Tokenizer(self.base, self.digits or digits_needed(self.vocabulary - 1, self.base))

    @property
    def context_tokens(self) -> int:
        """Tokens that the model reads: all of the sequence but the last one."""
        return (self.context + 1) * self.tokenizer.width - 1

    def part_text(self, part: Part) -> str:
        """A part in words, such as "modulus 64"."""
        return f"{self.part_name[0]} {part}" if isinstance(part, int) else part

    def part_symbol(self, part: Part) -> str:
        """A part in a legend, such as "m = 64"."""
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
                "one token a number is allowed up to 2^20"
            )
        if self.digits is not None:
            if self.base is None:
                raise ValueError(f"data.digits={self.digits} needs data.base")
            if self.digits < (needed := digits_needed(vocabulary - 1, self.base)):
                raise ValueError(f"data.digits={self.digits} is less than the {needed} that a number can have")
        return self
