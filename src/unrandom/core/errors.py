"""Which failures can the user correct? Each ``UserError``: one clear line, exit status 2. The others have status 1."""

import difflib
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


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
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.4) or list(known)
        raise UserError(f"no {what} is called {name!r}; near misses: {', '.join(near)}")
    return known[name]


def out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out: Python raises MemoryError, torch its own type or a RuntimeError with a message."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    said = str(error)
    return isinstance(error, RuntimeError) and ("allocate memory" in said or "out of memory" in said)
