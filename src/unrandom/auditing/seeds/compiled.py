"""Compiles loops over seeds by numba, which is an optional dependency."""

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from unrandom.core.errors import UserError

P = ParamSpec("P")
R = TypeVar("R")

try:
    import numba
except ImportError:
    raise UserError(
        "trying seeds needs numba, which is not installed; install it with: pip install 'unrandom[fast]'"
    ) from None


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function compiled to machine code, which runs outside Python's global lock, and is kept on disk if there is a
    place for it.
    """
    plain = inspect.unwrap(function)  # type checks of tests cannot be compiled
    try:
        return numba.njit(plain, nogil=True, cache=True, error_model="numpy")
    except RuntimeError:
        return numba.njit(plain, nogil=True, error_model="numpy")
