"""How is a file written so that a crash, a power cut or a full disk leaves the old one or the new one, never half?"""

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unrandom.core.errors import UserError

JsonObject = dict[str, Any]
"""A JSON object as Python reads it: string keys, and JSON values of any depth."""

FULL = (errno.ENOSPC, errno.EDQUOT)  # no room on the disk, or none of it left to this user


def write_atomically(path: Path, content: bytes | str) -> None:
    """Write to a temporary name in the same folder, sync, rename, and sync the folder.

    Raises UserError where ``path`` is a folder, and OSError as the system does (a full disk leaves ``path`` as it was).
    """
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
            error.filename = str(path)  # a full disk does not say for which file
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


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON, atomically. NaN and infinity are refused: JSON has neither."""
    write_atomically(path, json.dumps(value, indent=1, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Read one JSON file; a file that is missing or broken is a UserError naming it."""
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not JSON: {error}") from None


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Says in one line that a user's file is not there, or cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise UserError(f"{source} does not exist") from None
    except (IsADirectoryError, PermissionError) as error:
        raise UserError(f"{source} cannot be read: {error.strerror}") from None


def named_source(source: str) -> str:
    """What a file that is given to a command is called; ``-`` is standard input."""
    return "standard input" if source == "-" else source


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def make_folder(path: Path) -> Path:
    """Create ``path`` and its parents; where that is not allowed, a UserError says so."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UserError(f"{path} is a file; a folder is needed there") from None
    except OSError as error:
        if error.errno in FULL:
            raise
        raise UserError(f"cannot create the folder {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise UserError(f"cannot write in the folder {path}: permission denied")
    return path
