"""Uploaded files are in a folder that the app locks, and removes when it ends; if it was killed, the next app does."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unrandom.core.errors import UserError

PREFIX = "unrandom-app-"
TRIES = 100


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
            if (lock := _locked(folder)) is not None:
                try:
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(lock)


def _made() -> tuple[Path, int | None]:
    """A new folder and its lock; None without locks, or if an app that starts now removed it before it was locked."""
    for _try in range(TRIES):
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        try:
            lock = _locked(folder)
        except (FileNotFoundError, BlockingIOError):
            continue
        except OSError:
            return folder, None
        if lock is None or folder.exists():
            return folder, lock
        os.close(lock)
    raise UserError(f"no folder for uploads stays in {tempfile.gettempdir()}: another program removes them")


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
