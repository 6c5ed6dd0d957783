"""Keeps other processes away from a folder by a lock of the kernel, which ends with the process.

Some file systems have no such locks, and some grant one to everybody. The lock is therefore asked for a second time: it
must be refused, or it keeps no one away. (Locks that are kept on each of several machines apart look right from each.)
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unrandom.core.errors import Busy, UserError

HELD = (errno.EWOULDBLOCK, errno.EACCES)  # what a system says of a lock that another process has

if sys.platform == "win32":
    from filelock import FileLock, Timeout

    @contextmanager
    def locked(path: Path) -> Iterator[None]:
        """Within the block, this process has locked the file. Raises Busy if another one has."""
        try:
            with FileLock(path, blocking=False):
                yield
        except Timeout:
            raise Busy(f"another process is working on {path.parent}") from None

else:
    import fcntl

    @contextmanager
    def locked(path: Path) -> Iterator[None]:
        """Within the block, this process has locked the file, which is made if it is missing, and stays. Raises
        Busy, a UserError, when another process has locked it, and UserError where locks keep no one away."""
        file = _opened(path)
        try:
            if not _taken(file, path):
                raise Busy(f"another process is working on {path.parent}")
            second = _opened(path)
            try:
                if _taken(second, path):
                    raise _no_locks(path, "it grants the same lock twice")
            finally:
                os.close(second)
            try:
                yield
            finally:  # closing is not enough if a child of this process still has the file
                fcntl.flock(file, fcntl.LOCK_UN)
        finally:
            os.close(file)

    def _opened(path: Path) -> int:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)

    def _taken(file: int, path: Path) -> bool:
        """Takes the lock of the file; False if it is taken already."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in HELD:
                return False
            raise _no_locks(path, error.strerror or str(error)) from None
        return True

    def _no_locks(path: Path, why: str) -> UserError:
        return UserError(
            f"{path.parent} is on a file system whose locks cannot be trusted ({why}), so that two processes could "
            "work on it at once; choose a folder on another one"
        )
