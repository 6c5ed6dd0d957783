"""How is a file read into numbers? By finding out what contains them, in this order: raw words, numpy's .npy, text with
a regular expression, JSON, a table or plain text.

At most 64 MB are read, of a text the first 16 MB are used, and of all numbers the first million (`tokens`). The tokens
of a text are passed over in blocks, so that memory holds the text and the numbers.
"""

import codecs
import io
import re
import tokenize
import warnings
from pathlib import Path

import numpy as np

from unrandom.auditing.reading.documents import of_json
from unrandom.auditing.reading.logs import matches, of_column
from unrandom.auditing.reading.parsing import NOTATIONS, Numbers, numbers_of, only_first
from unrandom.auditing.reading.texts import Text, of_text
from unrandom.auditing.reading.tokens import MAX_NUMBERS
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.core.deadline import NO_LIMIT, Deadline
from unrandom.core.errors import UserError, lookup
from unrandom.core.inputs import content_of, named
from unrandom.core.names import RAW_TYPES, Raw
from unrandom.core.reading import about

MAX_BYTES = 64 * 2**20  # maximum size of the input in bytes; a larger one is refused
MAX_TEXT = 16 * 2**20  # characters of a text that are used; those after the last whole line of them are not

PACKED = {b"PK\x03\x04": "a zip or .npz archive", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
"""First bytes of formats that have to be unpacked first."""

NPY = b"\x93NUMPY"
_BROKEN = (ValueError, TypeError, SyntaxError, tokenize.TokenError, RecursionError, MemoryError, OverflowError)

_CONTROL = bytes([*range(8), 8, *range(14, 27), *range(28, 32), 127])  # no text has these


def read(
    source: str | Path,
    *,
    content: bytes | None = None,
    raw: Raw | None = None,
    column: str | None = None,
    regex: str | None = None,
    notation: str | None = None,
    deadline: Deadline = NO_LIMIT,
) -> Numbers:
    """The numbers in the file `source`, or in standard input for ``-``; at most the first MAX_NUMBERS of them, and of a
    text those in its first MAX_TEXT characters, which a note then says. Its `content` is given if it was read already.

    `raw` reads words instead of text. `column` is a column of a table or of a log, by its heading or number; a field of
    JSON objects; or a key of key=value pairs. `regex` finds one number in each line, by its group `value`, its group 1
    or all of it. `notation` names how numbers are written, such as ``hexadecimal`` or ``base64`` (None: inferred).
    Raises UserError for content that holds no numbers of one kind, for more than 64 MB, and for what is no file;
    OutOfTime after the deadline.
    """
    if notation is not None:
        with about("--notation"):
            lookup("notation", notation, NOTATIONS)
    if raw is not None:
        with about("--raw"):
            lookup("type of raw words", raw, dict.fromkeys(RAW_TYPES))
    path = str(source)
    content = content_of(path, MAX_BYTES, deadline) if content is None else content
    if not content:
        raise UserError(f"{named(path)} holds no numbers")
    binary = raw is not None or content.startswith(NPY)
    if binary and (column, regex, notation) != (None, None, None):
        raise UserError("--column, --regex and --notation are for text, not for raw words or .npy")
    if column is not None and regex is not None:
        raise UserError("--column and --regex exclude each other; choose the numbers with one of them")
    if raw is not None:
        numbers = _words(content, raw, path, deadline)
    elif binary:
        numbers = numbers_of_values(_array(content, path), deadline)
    else:
        text, notes = _decoded(content, path)
        del content
        numbers = _of_text(Text(text, deadline), notes, column, regex, notation)
    if not numbers:
        raise UserError(f"{named(path)} holds no numbers")
    return numbers


def _of_text(text: Text, notes: list[str], column: str | None, regex: str | None, notation: str | None) -> Numbers:
    comments = text.comments()
    notes += [f"comment lines left out: {comments}"] if comments and regex is None else []
    if regex is not None:
        tokens = matches(text, regex)
    elif (found := of_json(text, column, notation)) is not None:
        tokens = found
    elif column is not None:
        tokens = of_column(text, column, notation)
    else:
        tokens = of_text(text, notation)
    return numbers_of(tokens.noting(*notes), notation, text.deadline)


def _words(content: bytes, raw: Raw, source: str, deadline: Deadline) -> Numbers:
    kind = np.dtype(f"{'>' if raw.endswith('be') else '<'}{raw[0]}{int(re.sub('[^0-9]', '', raw)) // 8}")
    if len(content) % kind.itemsize:
        raise UserError(
            f"{named(source)} has {len(content)} bytes, not a multiple of the {kind.itemsize} bytes of a {raw} word"
        )
    used = min(len(content) // kind.itemsize, MAX_NUMBERS)
    numbers = numbers_of_values(np.frombuffer(content, dtype=kind, count=used).astype(kind.newbyteorder("=")), deadline)
    if used * kind.itemsize < len(content):
        numbers.notes.append(only_first(used))
    return numbers


def _array(content: bytes, source: str) -> np.ndarray:
    """The array in a .npy file, without unpickling anything."""
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers that Python 2 wrote
            shape, fortran, kind = header(file)
        if kind.hasobject or len(content) - file.tell() != kind.itemsize * int(np.prod(shape, dtype=object)):
            raise ValueError("it holds Python objects" if kind.hasobject else "it is cut off")
        values = np.frombuffer(content, dtype=kind, offset=file.tell())
        return values.astype(kind.newbyteorder("=")).reshape(shape, order="F" if fortran else "C")
    except _BROKEN as error:
        said = str(error).partition("\n")[0][:100]
        raise UserError(f"{named(source)} is no .npy file of numbers: {said}") from None


def _decoded(content: bytes, source: str) -> tuple[str, list[str]]:
    """Text with line feeds at the ends of lines, of at most MAX_TEXT characters, and notes about it."""
    for magic, name in PACKED.items():
        if content.startswith(magic):
            raise UserError(f"{named(source)} is {name}; unpack it first")
    encoding, notes = "utf-8-sig", list[str]()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding, notes = "utf-16", ["decoded as UTF-16"]
    elif len(content.translate(None, _CONTROL)) < len(content):
        raise _not_text(source)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if encoding == "utf-16" or len(content.translate(None, bytes(range(128, 256)))) < 0.9 * len(content):
            raise _not_text(source) from None
        text, notes = content.decode("latin-1"), ["decoded as Latin-1"]
    if "\0" in text:
        raise _not_text(source)
    if len(text) > MAX_TEXT:
        text, notes = text[: _end(text)], [*notes, f"only the first {MAX_TEXT // 2**20} MB of the text were read"]
    return (text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text), notes


def _end(text: str) -> int:
    """Where the last whole line, or else the last word, of the first MAX_TEXT characters ends."""
    lines = max(text.rfind(mark, 0, MAX_TEXT) for mark in "\n\r")
    words = max(text.rfind(mark, 0, MAX_TEXT) for mark in " ,;\t")
    end = lines if lines > 0 else words if words > 0 else MAX_TEXT
    return len(text[:end].rstrip(" ,;\t"))


def _not_text(source: str) -> UserError:
    return UserError(f"{named(source)} is not text; raw words are read with --raw, which may be {', '.join(RAW_TYPES)}")
