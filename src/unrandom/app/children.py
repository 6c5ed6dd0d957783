"""How do the programs end that the app starts? With the app, however it ends: by the end of a pipe that it holds.

Their standard input is the pipe. Nothing is written to it, so that reading it ends when the app ends, even if killed.
"""

import os
import runpy
import signal
import subprocess
from functools import cache
from threading import Thread
from typing import Any
from weakref import WeakSet

from unrandom.core.processes import python

_started: WeakSet[subprocess.Popen[bytes]] = WeakSet()


def start(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start `unrandom` with these arguments, and with more ``options`` of Popen, in a process that ends with this one.

    Ctrl-C in the terminal of this process does not reach it, so that the app can end it in order.
    """
    child = subprocess.Popen(python("-m", __name__, *arguments), stdin=_lifeline(), start_new_session=True, **options)
    _started.add(child)
    return child


def end_all() -> None:
    """End those that still run, and wait for that."""
    for child in list(_started):
        child.kill()
        child.wait()


@cache
def _lifeline() -> int:
    """What the processes read from. No process inherits the other end of the pipe, which stays open in this one."""
    read, _ = os.pipe()
    return read


def _end_with_app() -> None:
    os.read(0, 1)
    os._exit(1)  # run folders stay readable if their process is killed


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the app was started in the background
    Thread(target=_end_with_app, daemon=True).start()
    runpy.run_module("unrandom", run_name="__main__")
