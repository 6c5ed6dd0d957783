"""Where are uploaded files? In a folder of one app, which is removed when the app ends; if it was killed, by the next.

The app holds a lock on its folder, which the kernel releases however the app ends.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "unrandom-app-"


@contextmanager
def upload_folder() -> Iterator[Path]:
    """A new folder that only this user can read; it is removed after the block."""
    remove_abandoned()
    folder, lock = _made()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def remove_abandoned() -> None:
    """Remove this user's folders whose app has ended. Links, and what belongs to others, are left alone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # not ours, not a folder, or held by a running app
            lock = _locked(folder)
            if lock is not None:
                try:
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(lock)


def _made() -> tuple[Path, int | None]:
    """A new folder and the lock on it. Before it is locked, an app that starts may take it for abandoned."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        with suppress(OSError):
            lock = _locked(folder)
            if lock is None or os.path.samestat(os.fstat(lock), folder.lstat()):
                return folder, lock


def _locked(folder: Path) -> int | None:
    """A descriptor that locks this user's folder; None where folders cannot be locked. Raises OSError if it is held."""
    if sys.platform == "win32":
        return None
    import fcntl

    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(lock).st_uid != os.geteuid():
            raise PermissionError(f"{folder} is another user's")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock
