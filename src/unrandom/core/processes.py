"""Starts Python so that it imports nothing from the folder in which it was started.

Python puts that folder first on the import path of ``-m`` and ``-c``, and a user's own ``random.py`` or ``numbers.py``
there would be run in place of the standard library's. PYTHONPATH still counts, which ``-I`` would ignore.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

VARIABLE = "PYTHONSAFEPATH"
OURS = "unrandom"  # Python takes any value; this one tells that the user set none


def python(*arguments: str) -> list[str]:
    """The command that starts this Python with these arguments."""
    return [sys.executable, "-P", *arguments]


@contextmanager
def started_safely() -> Iterator[None]:
    """Within the block, Python that libraries start (fork servers, clusters) does not import from that folder either.

    Such a process calls `as_usual` before it runs code of the user.
    """
    os.environ.setdefault(VARIABLE, OURS)
    try:
        yield
    finally:
        as_usual()


@contextmanager
def without_main() -> Iterator[None]:
    """Within the block, processes that multiprocessing starts do not import the main module of the program.

    They need nothing of it, and a script that does not ask for ``__name__ == "__main__"`` would begin again in each.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def as_usual() -> None:
    """Undo what `started_safely` has set, here or in the process that started this one."""
    if os.environ.get(VARIABLE) == OURS:
        del os.environ[VARIABLE]
