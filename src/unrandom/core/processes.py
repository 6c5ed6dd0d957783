"""How does this package start Python? So that a program does not import from the folder in which it was started.

Python puts that folder first on the import path of ``-m`` and ``-c``, and a user's own ``random.py`` or ``numbers.py``
there would be run in place of the standard library's. PYTHONPATH still counts, which ``-I`` would ignore.
"""

import os
import sys


def python(*arguments: str) -> list[str]:
    """The command that starts this Python with these arguments."""
    return [sys.executable, "-P", *arguments]


def start_safely() -> None:
    """From now on, programs that libraries start for this one (fork servers, workers of clusters) do the same."""
    os.environ["PYTHONSAFEPATH"] = "1"
