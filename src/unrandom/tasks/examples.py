"""Sequences drawn from a task, with parameters, labels, and the groups by which accuracy is reported."""

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
    """A partition of sequences into groups, to compare their accuracies. Row i is in group ``names[group[i]]``."""

    label: str  # the name of the grouping, such as "period"
    about: str  # a phrase that explains it to readers
    group: Integer[np.ndarray, " rows"]
    names: tuple[str, ...]

    @classmethod
    def by_value(cls, label: str, about: str, values: Shaped[np.ndarray, " rows"]) -> "Grouping":
        """One group per value, in ascending order; infinity is written ∞."""
        found, group = np.unique(values, return_inverse=True)
        names = ("∞" if value == np.inf else f"{value:g}" for value in found.tolist())
        return cls(label, about, group.ravel(), tuple(names))

    @classmethod
    def by_doubling(cls, label: str, about: str, values: UInt64[np.ndarray, " rows"]) -> "Grouping":
        """Groups of positive integers in doubling ranges: 1, 2, 3-4, 5-8, …; empty groups are left out."""
        highs, group = np.unique([(int(value) - 1).bit_length() for value in values], return_inverse=True)
        return cls(label, about, group.ravel(), tuple(_doubling_range(high) for high in highs.tolist()))

    def rows(self) -> list[tuple[str, Bool[np.ndarray, " rows"]]]:
        """Each group's name with a mask of its rows."""
        return [(name, self.group == index) for index, name in enumerate(self.names)]


def _doubling_range(exponent: int) -> str:
    high = 1 << exponent
    low = high // 2 + 1
    return str(high) if low >= high else f"{low}-{high}"


def in_symbols(values: Mapping[str, int]) -> str:
    """``a = 5, c = 31``, with no-break spaces within each equation."""
    space = "\N{NO-BREAK SPACE}"
    return ", ".join(f"{name}{space}={space}{value}" for name, value in values.items())


@dataclass(frozen=True)
class Parameters:
    """The parameters of several sequences of one task; the base class of every task's parameters.

    A subclass is a frozen dataclass. Its arrays have one row per sequence; other fields are shared by all sequences.
    """

    units: ClassVar[Mapping[str, str]] = {}
    """At most two labels whose values several sequences share, each with the plural noun for such values. A bootstrap
    resamples these values instead of sequences; without units the sequences are independent."""

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        """The first ``length`` numbers of every sequence."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its numbers(length) are")

    @property
    def labels(self) -> Mapping[str, Any]:
        """Named values of each sequence, as arrays with one row per sequence; by default the dataclass's fields."""
        return self._arrays()

    @property
    def basis(self) -> int | None:
        """The modulus that defines the numbers' digits (residue number system); None if they have no digits."""
        return None

    def digit_period(self, prime: int, power: int) -> int | None:
        """Steps after which the digit of weight prime^power repeats, in every sequence; None if unknown."""
        return None

    def text(self, row: int) -> str:
        """The parameters of one sequence as text."""
        return in_symbols({name: int(values[row]) for name, values in self._arrays().items()})

    def groupings(self) -> Sequence[Grouping]:
        """The groupings by which accuracy on these sequences is reported."""
        return ()

    def followed(self, context: int) -> Mapping[str, Bool[np.ndarray, " rows"]]:
        """Kinds of training sequences whose accuracy is monitored during training, each with a mask of its rows."""
        return {"": np.ones(len(self), dtype=bool)}

    def __len__(self) -> int:
        return next(len(value) for value in self._arrays().values())

    def __getitem__(self: P, rows: Rows) -> P:
        return replace(self, **{name: value[rows] for name, value in self._arrays().items()})

    def put(self: P, rows: Rows, others: P) -> None:
        """Replace the rows ``rows`` by the rows of ``others``, in place."""
        for name, value in others._arrays().items():
            self._arrays()[name][rows] = value

    def _arrays(self) -> dict[str, np.ndarray]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


@dataclass(frozen=True)
class Examples(Generic[P]):
    """Sequences with their parameters and the units that a bootstrap resamples."""

    parameters: P
    numbers: UInt64[np.ndarray, "rows length"]
    units: Mapping[str, str]  # labels whose values are resampled; empty: the sequences are independent

    @classmethod
    def of(cls, parameters: P, length: int, *, independent: bool = False) -> "Examples[P]":
        """``length`` numbers of every sequence; ``independent`` if the parameters of each were drawn separately."""
        return cls(parameters, parameters.numbers(length), {} if independent else parameters.units)

    def __len__(self) -> int:
        return len(self.parameters)


def sequence_tokens(parameters: Parameters, length: int, tokenizer: Tokenizer) -> Integer[np.ndarray, "rows tokens"]:
    """Tokens of every sequence in the narrowest integers, made in chunks to save memory."""
    tokens = np.empty((len(parameters), length * tokenizer.width), dtype=tokenizer.dtype)
    for start in range(0, len(parameters), CHUNK):
        chunk = slice(start, start + CHUNK)
        tokens[chunk] = tokenizer.encode(parameters[chunk].numbers(length))
    return tokens
