"""Reads files that anyone may have written: regular ones, up to a size, strictly parsed, against a schema.

Whatever does not fit is a UserError of one line that names the file. Nothing is executed, and nothing waits: a pipe or
a device is refused before it is read.
"""

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

from unrandom.core.config import Config
from unrandom.core.errors import UserError
from unrandom.core.files import FULL

MAX_JSON = 2**24  # maximum size of a JSON file, bytes
MAX_LINES = 2**27  # maximum size of a file of JSON lines, bytes
MAX_DEPTH = 100  # maximum depth of lists and objects within each other in JSON
MAX_DIGITS = 40  # maximum digits of a whole number in JSON
OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Flags of opening a file that may be anything: nothing waits."""


@contextmanager
def reading(source: str | Path) -> Iterator[None]:
    """Within the block, errors of opening or reading the file ``source`` become a one-line UserError."""
    try:
        yield
    except FileNotFoundError:
        raise UserError(f"{source} does not exist") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, UserError) or (isinstance(error, OSError) and error.errno in FULL):
            raise
        raise UserError(f"{source} cannot be read: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def opened(path: Path, most: int | None = None) -> Iterator[tuple[BufferedReader, int]]:
    """A regular file, open for reading, and its size. Raises UserError for anything else, or for more than ``most``
    bytes."""
    with reading(path):
        descriptor = os.open(path, OPEN)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UserError(f"{path} is {kind_of(status.st_mode)}, not a regular file")
            if most is not None and status.st_size > most:
                raise UserError(f"{path} has {status.st_size:,} bytes; at most {most:,} are read")
            yield file, status.st_size


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file. Raises UserError, without reading it, if it has more than ``most`` bytes."""
    with opened(path, most) as (file, size):
        return file.read(size)


def sha256(path: Path, most: int | None = None) -> str:
    """The SHA-256 of a regular file's bytes, in hex. Raises UserError if it has more than ``most`` bytes."""
    with opened(path, most) as (file, _size):
        return hashlib.file_digest(file, "sha256").hexdigest()


def parse_json(content: bytes, source: str) -> Any:
    """JSON values. Raises UserError, naming ``source``, for what is not JSON; NaN and infinity are not.

    Nor are numbers outside the range of a double, whole numbers of more than MAX_DIGITS digits, values more than
    MAX_DEPTH deep, and text that is not Unicode (half of a surrogate pair).
    """
    try:
        value = json.loads(content.decode(), parse_int=_whole, parse_float=_finite, parse_constant=_no_constant)
        _check_values(value)
    except RecursionError:
        raise UserError(f"{source} is not JSON that can be read: it has more than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise UserError(f"{source} is not JSON that can be read: {error}") from None
    return value


def read_json(path: Path, schema: type[Config] | None = None, *, most: int = MAX_JSON) -> Any:
    """The values of one JSON file of at most ``most`` bytes, which fit the ``schema`` if there is one. Raises
    UserError, naming the file, if it is missing, not regular, not JSON, or has other values."""
    value = parse_json(read_bytes(path, most), str(path))
    if schema is not None:
        check_schema(schema, value, str(path))
    return value


def read_json_lines(path: Path, schema: type[Config], *, growing: bool = False) -> list[Any]:
    """The values of each line of a file of at most MAX_LINES bytes, all of the ``schema``.

    A file that is ``growing`` may end within a line, which is left out. Raises what `read_json` raises.
    """
    lines = read_bytes(path, MAX_LINES).split(b"\n")
    if growing:
        lines.pop()
    values = []
    for number, line in enumerate(lines, start=1):
        if line:
            where = f"{path}: line {number}"
            values.append(parse_json(line, where))
            check_schema(schema, values[-1], where)
    return values


@contextmanager
def about(source: str | Path) -> Iterator[None]:
    """Within the block, messages of UserErrors begin with ``source`` unless they name it, as a word of its own."""
    try:
        yield
    except UserError as error:
        named = re.search(rf"(^|[ (]){re.escape(str(source))}($|[ ,;:)/])", str(error))
        raise error if named else UserError(f"{source}: {error}") from None


def check_schema(schema: type[Config], value: Any, source: str) -> None:
    """Raise UserError, naming ``source``, unless the JSON value fits the schema."""
    with about(source):
        schema.parse(value)


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a whole number has {len(text):,} digits; at most {MAX_DIGITS} are read")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:MAX_DIGITS]} is larger than any double")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _check_values(value: Any) -> None:
    """Raise RecursionError for values that are too deep, and UnicodeEncodeError for text that is not Unicode."""
    level = [value]
    for _depth in range(MAX_DEPTH):
        for each in level:
            if isinstance(each, str):
                each.encode()
        inner = [each for each in level if isinstance(each, list | dict) and each]
        if not inner:
            return
        level = [part for each in inner for part in (each if isinstance(each, list) else (*each, *each.values()))]
    raise RecursionError


def kind_of(mode: int) -> str:
    """The kind of file that a mode describes, for messages."""
    kinds = {stat.S_ISDIR: "a folder", stat.S_ISFIFO: "a pipe", stat.S_ISSOCK: "a socket"}
    return next((name for is_kind, name in kinds.items() if is_kind(mode)), "a device")
