"""How do the programs end that the app starts? With the app, however it ends: by the end of a pipe that it holds.

Their standard input is the pipe. Nothing is written to it, so that reading it ends when the app ends, even if killed.
"""

import os
import runpy
import signal
import subprocess
import sys
from functools import cache
from threading import Thread
from typing import Any


def start(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start `unrandom` with these arguments, and with more ``options`` of Popen, in a process that ends with this one.

    Ctrl-C in the terminal of this process does not reach it, so that the app can end it in order.
    """
    command = [sys.executable, "-m", __name__, *arguments]
    return subprocess.Popen(command, stdin=_lifeline(), start_new_session=True, **options)


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
