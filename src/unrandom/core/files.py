"""Writes files atomically: a crash or a full disk leaves the old file or the new one, never a part of it."""

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unrandom.core.errors import UserError

JsonObject = dict[str, Any]  # a JSON object as Python reads it: string keys, and JSON values of any depth
FULL = (errno.ENOSPC, errno.EDQUOT)  # the disk is full, or the user's quota is used up


def write_atomically(path: Path, content: bytes | str) -> None:
    """Write to a temporary name in the same folder, sync, rename, and sync the folder. Raises UserError where
    ``path`` is a folder, and OSError as the system does (a full disk leaves ``path`` as it was)."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; a file is needed there")
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # the error of a full disk has no file name
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames inside ``folder`` durable (a no-op where folders cannot be synced)."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_json(path: Path, value: Any, *, compact: bool = False) -> None:
    """Write ``value`` as JSON, atomically, indented unless ``compact``. Raises ValueError for NaN and infinity."""
    write_atomically(path, json_text(value, compact=compact))


def json_text(value: Any, *, compact: bool = False) -> str:
    """The value as JSON in ASCII, indented unless ``compact``. Raises ValueError for NaN and infinity."""
    layout: dict[str, Any] = {"separators": (",", ":")} if compact else {"indent": 1}
    return json.dumps(value, allow_nan=False, **layout) + "\n"


def resolved(path: Path) -> Path:
    """The absolute path without links; one that is in a circle of links stays. (`Path.resolve` fails there.)"""
    return Path(os.path.realpath(path))


def make_folder(path: Path) -> Path:
    """Create ``path`` and its parents, and return it. Raises UserError where that is not permitted."""
    try:
        _make(path, path)
    except FileExistsError:
        raise UserError(f"{path} is a file; a folder is needed there") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise UserError(f"cannot write in the folder {path}: permission denied")
    return path


def _make(path: Path, named: Path) -> None:
    """Create ``path`` and its parents. Raises UserError about the folder ``named``, unless the disk is full."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (*FULL, errno.EEXIST):
            raise
        raise UserError(f"cannot create the folder {named}: {error.strerror}") from None


@contextmanager
def replaced_atomically(folder: Path, *, replace: bool = False) -> Iterator[Path]:
    """A temporary folder that becomes ``folder`` at the end of the block, and is deleted if the block fails.

    ``folder`` must not exist, or be empty; with ``replace`` it may be full, and is deleted once the new one has its
    name. `restore` mends what a process that is ended between the two leaves behind.
    """
    folder = resolved(folder)  # "." has no name
    if os.path.lexists(folder) and not folder.is_dir():
        raise UserError(f"{folder} is not a folder")
    parent = make_folder(folder.parent)
    temporary = parent / f".{folder.name}.{os.getpid()}.tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        _make(temporary, folder)
        yield temporary
        if replace and folder.is_dir():
            shutil.rmtree(_set_aside(folder), ignore_errors=True)
            folder.rename(_set_aside(folder))
        elif folder.is_dir():
            folder.rmdir()  # it is empty; some systems do not rename onto a folder
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    sync_folder(parent)
    if replace:
        shutil.rmtree(_set_aside(folder), ignore_errors=True)


def restore(folder: Path) -> None:
    """Give a folder its name back if `replaced_atomically` was about to replace it when its process was ended."""
    if not folder.exists() and _set_aside(folder).is_dir():
        _set_aside(folder).rename(folder)


def _set_aside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.before")
