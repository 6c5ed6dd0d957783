"""Ends the processes of a library that outlive a killed program, by a small process that waits for the program's end.

It reads from a pipe that the program holds, so that it learns of that end even if the program is killed. The processes
are known by their folder: they name it in their command, or hold files in it open.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unrandom.core.processes import python

LOOKS, PAUSE_SECONDS = 3, 0.3  # a process that was being started is seen by a later look
MOST_SECONDS = 30.0


@contextmanager
def ended_with_this(folder: Path) -> Iterator[None]:
    """After the block, or if this process ends in it, what runs in the folder is killed, and the folder is removed."""
    watcher = subprocess.Popen(
        python("-m", __name__, str(folder)),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,  # what ends the group of this process leaves it
    )
    try:
        yield
    finally:
        watcher.communicate()


def users_of(folder: Path) -> list[int]:
    """The processes that name the folder in their command or have a file in it open."""
    found, name = [], re.compile(re.escape(os.fsencode(folder)) + rb"(?![\w.-])")
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or is another user's
            if name.search((process / "cmdline").read_bytes()) or any(_held(process, folder)):
                found.append(int(process.name))
    return found


def _held(process: Path, folder: Path) -> Iterator[bool]:
    for descriptor in (process / "fd").iterdir():
        with suppress(OSError):
            yield os.readlink(descriptor).startswith(f"{folder}/")


def _end(folder: Path, spared: set[int]) -> None:
    until, unseen = time.monotonic() + MOST_SECONDS, 0
    while unseen < LOOKS and time.monotonic() < until:
        using = set(users_of(folder)) - spared
        unseen = 0 if using else unseen + 1
        for process in using:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    program = os.getppid()  # which may hold its own files there when the block has ended
    sys.stdin.buffer.read()
    _end(Path(sys.argv[1]), {program, os.getpid()})
