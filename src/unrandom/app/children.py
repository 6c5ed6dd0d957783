"""Programs that the app starts end with it, however it ends: each reads a pipe that only the app holds open."""

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
    """Ends the programs that still run, and waits until they have ended."""
    for child in list(_started):
        child.kill()
        child.wait()


@cache
def _lifeline() -> int:
    """The end of the pipe that the programs read; the other end stays open in this process alone."""
    read, _ = os.pipe()
    return read


def _end_with_app() -> None:
    os.read(0, 1)
    os._exit(1)  # run folders stay readable if their process is killed


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the app was started in the background
    Thread(target=_end_with_app, daemon=True).start()
    runpy.run_module("unrandom", run_name="__main__")
