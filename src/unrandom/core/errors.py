"""Which failures are the user's to mend? Those that are a ``UserError``: one clear line, exit status 2."""

import difflib
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


class UserError(ValueError):
    """The input cannot be used. The message is one line: what was given, and what is allowed."""


class Busy(UserError):
    """Another process holds the run folder."""


class NonFiniteLoss(ArithmeticError):
    """The loss became NaN or infinite; training cannot go on."""


class RunsFailed(Exception):
    """Runs that were needed did not come to their end. The message is one line."""


class ChecksFailed(Exception):
    """Something that was checked is not as it should be. The message is one line."""


def lookup(what: str, name: str, known: Mapping[str, T]) -> T:
    """The one called ``name`` among ``known``. A UserError names the near misses where there is none."""
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.4) or list(known)
        raise UserError(f"no {what} is called {name!r}; near misses: {', '.join(near)}")
    return known[name]


def out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out: Python says so by a type, torch by a type of its own or by words."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    said = str(error)
    return isinstance(error, RuntimeError) and ("allocate memory" in said or "out of memory" in said)
