"""Reads the bytes of a user's numbers from a regular file, standard input or a pipe of the shell; not from a device,
and not for longer than time allows.
"""

import os
import select
import stat
import sys
from io import UnsupportedOperation

from unrandom.auditing.deadline import NO_LIMIT, Deadline, OutOfTime
from unrandom.core.errors import UserError
from unrandom.core.reading import OPEN, kind_of, reading

PIECE = 1 << 20  # bytes that are read at a time
DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Where the names of open files begin, as a shell's <(…) makes them."""

MAX_NAME = 200  # characters of a file's name that a message shows; of a longer one the first


def named(source: str) -> str:
    """The name of an input in messages; ``-`` is standard input."""
    if source == "-":
        return "standard input"
    return source if source and source.isprintable() and len(source) <= MAX_NAME else f"{source!r:.{MAX_NAME}}"


def content_of(source: str, most: int, deadline: Deadline = NO_LIMIT) -> bytes:
    """The content of a file, or of standard input for ``-``.

    UserError for what cannot be read or has more than `most` bytes, and for a device, a folder, a socket or a pipe,
    unless it is an open file by the names of DESCRIPTORS. OutOfTime if the end does not come before the deadline.
    """
    with reading(named(source)):
        if source == "-":
            content = _standard_input(most, deadline)
        else:
            descriptor = os.open(source, OPEN)
            with open(descriptor, "rb", buffering=0):
                kind = os.fstat(descriptor).st_mode
                if not stat.S_ISREG(kind) and not (source.startswith(DESCRIPTORS) and not stat.S_ISDIR(kind)):
                    raise UserError(f"{named(source)} is {kind_of(kind)}, not a regular file; give pipes as -")
                content = _read(descriptor, most, deadline)
    if len(content) > most:
        raise UserError(f"{named(source)} is larger than {most // 2**20} MB, the maximum")
    return content


def _standard_input(most: int, deadline: Deadline) -> bytes:
    if sys.stdin is None:
        raise UserError("standard input is closed")
    if not hasattr(sys.stdin, "buffer"):  # it was replaced by text in memory
        return sys.stdin.read(most + 1).encode()
    try:
        descriptor = sys.stdin.buffer.fileno()
    except UnsupportedOperation:  # it was replaced by bytes in memory
        return sys.stdin.buffer.read(most + 1)
    return _read(descriptor, most, deadline)


def _read(descriptor: int, most: int, deadline: Deadline) -> bytes:
    """What a descriptor gives to its end, or a little more than `most` bytes."""
    waits = not stat.S_ISREG(os.fstat(descriptor).st_mode) and hasattr(select, "poll")
    pieces, size = list[bytes](), 0
    while size <= most:
        if waits:
            _wait(descriptor, deadline)
        deadline.check()
        try:
            piece = os.read(descriptor, PIECE)
        except BlockingIOError:
            continue
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _wait(descriptor: int, deadline: Deadline) -> None:
    """Wait until there is something to read, or the end. OutOfTime after the deadline."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while not poll.poll(1000 * max(0.0, min(deadline.left, 3600.0))):
        if deadline.left <= 0:
            raise OutOfTime
