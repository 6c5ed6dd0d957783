"""What does one draw from a task hold? Sequences, what determined them, and by what their accuracies are told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from jaxtyping import Bool, Integer, Shaped, UInt64

from unrandom.tokenization import Tokenizer

CHUNK = 1024  # rows generated at once: large enough to vectorise, small enough to stay in cache

P = TypeVar("P", bound="Parameters")
Rows = slice | Integer[np.ndarray, " picked"] | Bool[np.ndarray, " rows"]


@dataclass(frozen=True)
class Grouping:
    """Sequences in groups whose accuracies are compared. Row i belongs to the group ``names[group[i]]``."""

    label: str  # what tells the groups apart, such as "period"
    about: str  # what a reader should know of it: a phrase
    group: Integer[np.ndarray, " rows"]
    names: tuple[str, ...]

    @classmethod
    def by_value(cls, label: str, about: str, values: Shaped[np.ndarray, " rows"]) -> "Grouping":
        """A group for each different value, in their order; infinity is written ∞."""
        found, group = np.unique(values, return_inverse=True)
        names = ("∞" if value == np.inf else f"{value:g}" for value in found.tolist())
        return cls(label, about, group.ravel(), tuple(names))

    @classmethod
    def by_doubling(cls, label: str, about: str, values: UInt64[np.ndarray, " rows"]) -> "Grouping":
        """Groups of positive integers in doubling ranges: 1, 2, 3-4, 5-8, …; those without a row are left out."""
        highs, group = np.unique([(int(value) - 1).bit_length() for value in values], return_inverse=True)
        return cls(label, about, group.ravel(), tuple(_doubling_range(high) for high in highs.tolist()))

    def rows(self) -> list[tuple[str, Bool[np.ndarray, " rows"]]]:
        """Each group's name, and which rows are its."""
        return [(name, self.group == index) for index, name in enumerate(self.names)]


def _doubling_range(exponent: int) -> str:
    high = 1 << exponent
    low = high // 2 + 1
    return str(high) if low >= high else f"{low}-{high}"


def in_symbols(values: Mapping[str, int]) -> str:
    """``a = 5, c = 31``, which breaks over lines only between its parts."""
    space = "\N{NO-BREAK SPACE}"
    return ", ".join(f"{name}{space}={space}{value}" for name, value in values.items())


@dataclass(frozen=True)
class Parameters:
    """What determines each of several sequences: the base of a task's own parameters.

    A subclass is a frozen dataclass. Its arrays have a row for each sequence; whatever else it holds is shared by all.
    """

    units: ClassVar[Mapping[str, str]] = {}
    """The labels whose values sequences share, with what such values are called: a bootstrap draws these again, and
    not single sequences, which are independent only where there are none. Two at most."""

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        """The first ``length`` numbers of every sequence."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its numbers(length) are")

    @property
    def labels(self) -> Mapping[str, Any]:
        """What is known of each sequence by name, an array of rows each: at least the arrays of the dataclass."""
        return self._arrays()

    @property
    def basis(self) -> int | None:
        """The modulus whose residue number system numbers are taken apart in; None where they have no digits."""
        return None

    def digit_period(self, prime: int, power: int) -> int | None:
        """Steps after which the digit of weight prime^power repeats, in every sequence; None where nobody knows."""
        return None

    def text(self, row: int) -> str:
        """What determines one sequence, for readers; broken over lines only between the parameters."""
        return in_symbols({name: int(values[row]) for name, values in self._arrays().items()})

    def groupings(self) -> Sequence[Grouping]:
        """By what accuracies on these sequences are worth telling apart."""
        return ()

    def followed(self, context: int) -> Mapping[str, Bool[np.ndarray, " rows"]]:
        """Kinds of training sequences whose accuracy is followed during training, and which rows are of each."""
        return {"": np.ones(len(self), dtype=bool)}

    def __len__(self) -> int:
        return next(len(value) for value in self._arrays().values())

    def __getitem__(self: P, rows: Rows) -> P:
        return replace(self, **{name: value[rows] for name, value in self._arrays().items()})

    def put(self: P, rows: Rows, others: P) -> None:
        """Put the rows of ``others`` in the places ``rows`` of these."""
        for name, value in others._arrays().items():
            self._arrays()[name][rows] = value

    def _arrays(self) -> dict[str, np.ndarray]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


@dataclass(frozen=True)
class Examples(Generic[P]):
    """Sequences with the parameters that made them, and the units that a bootstrap of them resamples."""

    parameters: P
    numbers: UInt64[np.ndarray, "rows length"]
    units: Mapping[str, str]  # labels whose values are resampled; none: the sequences are independent

    @classmethod
    def of(cls, parameters: P, length: int, *, independent: bool = False) -> "Examples[P]":
        """``length`` numbers of every sequence; ``independent`` where parameters were drawn for each by itself."""
        return cls(parameters, parameters.numbers(length), {} if independent else parameters.units)

    def __len__(self) -> int:
        return len(self.parameters)


def sequence_tokens(parameters: Parameters, length: int, tokenizer: Tokenizer) -> Integer[np.ndarray, "rows tokens"]:
    """Tokens of every sequence in the narrowest integers, made in chunks so that only the tokens are ever held."""
    tokens = np.empty((len(parameters), length * tokenizer.width), dtype=tokenizer.dtype)
    for start in range(0, len(parameters), CHUNK):
        chunk = slice(start, start + CHUNK)
        tokens[chunk] = tokenizer.encode(parameters[chunk].numbers(length))
    return tokens
