"""How does this package start Python? So that a program does not import from the folder in which it was started.

Python puts that folder first on the import path of ``-m`` and ``-c``, and a user's own ``random.py`` or ``numbers.py``
there would be run in place of the standard library's. PYTHONPATH still counts, which ``-I`` would ignore.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

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


def as_usual() -> None:
    """Undo what `started_safely` has set, here or in the process that started this one."""
    if os.environ.get(VARIABLE) == OURS:
        del os.environ[VARIABLE]
