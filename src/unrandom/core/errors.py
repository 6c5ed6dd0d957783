"""Failures that a user can correct: each ``UserError`` is one clear line, with exit status 2 (any other failure: 1)."""

import difflib
import re
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import TypeVar

T = TypeVar("T")
NAMES_SHOWN = 5  # names in a message about an unknown one
LONGEST_NAME = 100  # characters of a name that are compared with others
LONGEST_LINE = 2000  # characters of a message
# Control characters, ends of lines, changes of the direction of text, and halves of surrogate pairs.
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class UserError(ValueError):
    """The input cannot be used. The message is one line: what was given, and what is allowed.

    >>> import unrandom
    >>> try:
    ...     unrandom.load("no-such-run")
    ... except unrandom.UserError as error:
    ...     print(str(error).partition(",")[0])
    no-such-run is not a run folder
    """


class Busy(UserError):
    """Another process has locked the run folder."""


class NonFiniteLoss(ArithmeticError):
    """The loss, a metric or a weight became NaN or infinite; training cannot continue."""


class RunsFailed(Exception):
    """Runs that are needed were not finished. The message is one line."""


class ChecksFailed(Exception):
    """A check of a device failed. The message is one line."""


def lookup(what: str, name: str, known: Mapping[str, T]) -> T:
    """The value of ``name`` in ``known``. Raises UserError with near misses if it is missing; ``what`` is its kind."""
    if name not in known:
        raise UserError(f"no {what} is called {name!r:.80}{near_misses(name, known)}")
    return known[name]


def near_misses(name: str, known: Iterable[str], *, otherwise: bool = True) -> str:
    """The end of a message about an unknown name: at most five known ones that resemble it, ``otherwise`` the first."""
    names = list(dict.fromkeys(known))
    if near := difflib.get_close_matches(name[:LONGEST_NAME], names, n=NAMES_SHOWN, cutoff=0.4):
        return f"; near misses: {', '.join(near)}"
    if not otherwise:
        return ""
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return f"; there are {', '.join(names[:NAMES_SHOWN])}{more}" if names else ""


def one_line(message: str) -> str:
    """The message as one line of at most LONGEST_LINE characters, without any that a terminal would obey."""
    line = printable(" ".join(message.split()))
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..."


def printable(text: str) -> str:
    """The text with escapes for what a terminal would obey (line feeds and tabs stay) and for what is not a character.

    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out: Python raises MemoryError, torch its own type or a RuntimeError with a message."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    said = str(error)
    return isinstance(error, RuntimeError) and ("allocate memory" in said or "out of memory" in said)


def check_counts(**counts: int) -> None:
    """Raises UserError for a count that is not a positive whole number; the names are the parameters'."""
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise UserError(f"{name} must be a whole number of 1 or more, but {count!r} was given")
