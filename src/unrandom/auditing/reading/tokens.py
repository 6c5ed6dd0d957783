"""What a file holds before its numbers are parsed: rows of tokens.

Rows can be passed over again, so that memory holds the text and the numbers, but not the tokens.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from unrandom.auditing.deadline import Deadline
from unrandom.core.errors import UserError

MAX_NUMBERS = 1_000_000  # numbers of an input that are used, at most: the first ones
PIECE = 1 << 14  # tokens that are parsed before the time is looked at


class Row(NamedTuple):
    """Tokens of one line; or of several lines from `line` on, one on each, if `per_line`."""

    line: int
    tokens: list[str]
    per_line: bool = False

    def place(self, i: int) -> int:
        """The line of token i."""
        return self.line + i if self.per_line else self.line


@dataclass(frozen=True)
class Tokens:
    """Rows of tokens, which `rows` iterates over as often as wanted; `unit` is what their lines are called, `notes` has
    a sentence for each thing that was inferred.
    """

    rows: Callable[[], Iterable[Row]]
    notes: tuple[str, ...] = ()
    unit: str = "line"

    @classmethod
    def items(cls, tokens: list[str]) -> "Tokens":
        """The tokens of a list."""
        return cls(lambda: [Row(1, tokens, per_line=True)], unit="item")

    def __iter__(self) -> Iterator[str]:
        for row in self.rows():
            yield from row.tokens

    def places(self) -> Iterator[tuple[Row, int, str]]:
        """Each token, after its row and its index in it."""
        for row in self.rows():
            for i, token in enumerate(row.tokens):
                yield row, i, token

    def timed(self, deadline: Deadline) -> "Tokens":
        """The same tokens; OutOfTime is raised at a row after the deadline."""

        def rows() -> Iterator[Row]:
            for row in self.rows():
                deadline.check()
                yield row

        return replace(self, rows=rows)

    def pieces(self) -> "Tokens":
        """The same tokens in rows of at most PIECE of them, where it does not matter which tokens make a line."""

        def rows() -> Iterator[Row]:
            for row in self.rows():
                if len(row.tokens) <= PIECE:
                    yield row
                    continue
                for i in range(0, len(row.tokens), PIECE):
                    yield Row(row.place(i), row.tokens[i : i + PIECE], row.per_line)

        return replace(self, rows=rows)

    def first(self) -> "Tokens":
        """The first MAX_NUMBERS of these tokens, in whole rows unless the first one has more."""

        def rows() -> Iterator[Row]:
            left = MAX_NUMBERS
            for row in self.rows():
                if len(row.tokens) > left:
                    if left and (row.per_line or left == MAX_NUMBERS):
                        yield row._replace(tokens=row.tokens[:left])
                    return
                yield row
                left -= len(row.tokens)

        return replace(self, rows=rows)

    def noting(self, *notes: str) -> "Tokens":
        """The same tokens with more notes."""
        return replace(self, notes=(*self.notes, *notes))


class Misfit(Exception):
    """Token `i` of a row, after `fitted` tokens that fit a notation, is not what was `expected`."""

    def __init__(self, row: Row, i: int, fitted: int, expected: str) -> None:
        super().__init__(expected)
        self.line, self.token, self.fitted, self.expected = row.place(i), row.tokens[i], fitted, expected


class NotPlain(UserError):
    """A text is not a plain list or table of numbers: perhaps it has some other layout."""


def shown(text: str) -> str:
    """A token or a name in a message: quoted, at most 40 characters, on one line."""
    return repr(text if len(text) <= 40 else text[:39] + "…")
