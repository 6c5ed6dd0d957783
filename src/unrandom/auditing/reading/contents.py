"""Reads a file into numbers, by finding out what contains them, in this order: raw words, numpy's .npy, text with a
regular expression, JSON, a table or plain text.

At most 64 MB are read, of a text the first 16 MB are used, and of all numbers the first million (`tokens`). The tokens
of a text are passed over in blocks, so that memory holds the text and the numbers.
"""

import codecs
import io
import re
import tokenize
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from unrandom.auditing.deadline import NO_LIMIT, Deadline
from unrandom.auditing.inputs import content_of, named
from unrandom.auditing.reading.alphabets import stated_alphabet
from unrandom.auditing.reading.assignments import lists_of
from unrandom.auditing.reading.bounds import between
from unrandom.auditing.reading.documents import of_json
from unrandom.auditing.reading.formulas import Formula, behind_formula
from unrandom.auditing.reading.frames import without_frame
from unrandom.auditing.reading.logs import by_rows, matches, of_column
from unrandom.auditing.reading.options import Reading
from unrandom.auditing.reading.parsing import NOTATIONS, Numbers, numbers_in_alphabet, numbers_of, only_first
from unrandom.auditing.reading.pasted import of_pasted
from unrandom.auditing.reading.texts import Text, of_letters, of_text
from unrandom.auditing.reading.tokens import MAX_NUMBERS, NotPlain, Tokens
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.core.errors import UserError, lookup
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
    deadline: Deadline = NO_LIMIT,
    **options: Any,
) -> Numbers:
    """The numbers in the file `source`, or in standard input for ``-``; at most the first MAX_NUMBERS of them, and of a
    text those in its first MAX_TEXT characters, which a note then says. Its `content` is given if it was read already.

    The `options` are the fields of `Reading`. `raw` reads words instead of text. `column` is a column of a table or of
    a log, by its heading or number; a field of JSON objects; or a key of key=value pairs. `regex` finds one number in
    each line, by its group `value`, its group 1 or all of it. `notation` names how numbers are written, such as
    ``hexadecimal`` or ``base64`` (None: inferred); `alphabet` has the characters of tokens in order of value, each of
    which was drawn. `rows` reads all columns of numbers row by row. `low` and `high` are columns that bound fractions
    from 0 to 1. `formula` is how a program computed the numbers from a fraction u, which is then read instead.
    Raises UserError for content that holds no numbers of one kind, for more than 64 MB, and for what is not a file;
    OutOfTime after the deadline.
    """
    chosen = Reading.of(**options)
    raw, formula = chosen.raw, chosen.formula
    if chosen.notation is not None:
        with about("--notation"):
            lookup("notation", chosen.notation, NOTATIONS)
    if raw is not None:
        with about("--raw"):
            lookup("type of raw words", raw, dict.fromkeys(RAW_TYPES))
    if formula is not None:
        Formula(formula)  # a wrong one is refused before anything is read
    path = str(source)
    content = content_of(path, MAX_BYTES, deadline) if content is None else content
    if not content:
        raise UserError(f"{named(path)} holds no numbers")
    binary = raw is not None or content.startswith(NPY)
    if binary and chosen.stated(*(of_text := Reading.names(of_text=True))):
        raise UserError(f"--{', --'.join(of_text)} are for text, not for raw words or .npy")
    if raw is not None:
        numbers = _words(content, raw, path, deadline)
    elif binary:
        numbers = numbers_of_values(_array(content, path), deadline)
    else:
        text, notes = _decoded(content, path)
        del content
        numbers = _of_text(Text(text, deadline), notes, chosen)
    if not numbers:
        raise UserError(f"{named(path)} holds no numbers")
    return numbers if formula is None else behind_formula(numbers, formula, deadline)


def _of_text(text: Text, notes: list[str], chosen: Reading) -> Numbers:
    """The numbers of a text; without the frame of a table, if it is one."""
    table = without_frame(text) if chosen.regex is None and chosen.alphabet is None else None
    if table is not None:
        with suppress(NotPlain):
            notes_of_table = [*notes, "bars and rules of a table left out"]
            return _of_lines(table, notes_of_table, chosen, pasted=False)
    return _of_lines(text, notes, chosen)


def _of_lines(text: Text, notes: list[str], chosen: Reading, *, pasted: bool = True) -> Numbers:
    comments, notation = text.comments(), chosen.notation
    notes = [*notes, f"comment lines left out: {comments}"] if comments and chosen.regex is None else notes
    tokens = _chosen(text, chosen)
    if chosen.alphabet is not None:
        alphabet = stated_alphabet(chosen.alphabet)
        numbers = numbers_in_alphabet(tokens or of_letters(text, alphabet), alphabet, text.deadline)
    elif chosen.low is not None and chosen.high is not None:
        columns = (_of_column(text, name, notation) for name in (chosen.low, chosen.high))
        numbers = between(*(numbers_of(column, notation, text.deadline) for column in columns))
    elif tokens is not None:
        numbers = numbers_of(tokens, notation, text.deadline)
    else:
        return _inferred(text, notes, notation, pasted=pasted)
    numbers.notes = [*notes, *numbers.notes]
    return numbers


def _chosen(text: Text, chosen: Reading) -> Tokens | None:
    """The tokens that a user chose, or the tokens of JSON; None if neither."""
    if chosen.regex is not None:
        return matches(text, chosen.regex)
    if chosen.column is not None:
        return _of_column(text, chosen.column, chosen.notation)
    if chosen.low is not None:
        return None
    found = of_json(text, None, chosen.notation)
    if found is not None and chosen.rows:
        raise UserError(
            "--rows is for tables; lists in JSON are read so without it, and of objects --column reads a field"
        )
    return by_rows(text, chosen.notation) if chosen.rows else found


def _of_column(text: Text, name: str, notation: str | None) -> Tokens:
    """A column of JSON objects, a list that is assigned to this name, or a column of a table or a log."""
    found = of_json(text, name, notation)
    if found is None and name.isidentifier() and (assigned := lists_of(text).get(name)):
        return of_text(Text(assigned, text.deadline), notation).noting(f"list {name} read")
    return of_column(text, name, notation) if found is None else found


def _inferred(text: Text, notes: list[str], notation: str | None, *, pasted: bool) -> Numbers:
    """The numbers of a text of which nothing is stated; if it may be `pasted`, also those among other text."""
    try:
        numbers = numbers_of(of_text(text, notation).noting(*notes), notation, text.deadline)
        if numbers or not text.content.strip():
            return numbers
        refused = NotPlain("it holds no numbers")
    except NotPlain as error:
        numbers, refused = None, error
    if not pasted:
        raise refused
    try:
        found = of_pasted(text, notation, refused)
    except NotPlain:
        if numbers is not None:
            return numbers
        raise
    found.notes = [*(notes if numbers is None else []), *found.notes]
    return found


def _words(content: bytes, raw: Raw, source: str, deadline: Deadline) -> Numbers:
    notes = list[str]()
    if raw == "utf8":
        content, raw = _bytes_of_text(content, source), "u8"
    elif raw == "u8" and _looks_like_text_of_bytes(content):
        notes.append("these bytes look like others that were written as UTF-8 text; --raw utf8 reads the others")
    kind = np.dtype(f"{'>' if raw.endswith('be') else '<'}{raw[0]}{int(re.sub('[^0-9]', '', raw)) // 8}")
    if len(content) % kind.itemsize:
        raise UserError(
            f"{named(source)} has {len(content)} bytes, not a multiple of the {kind.itemsize} bytes of a {raw} word"
        )
    used = min(len(content) // kind.itemsize, MAX_NUMBERS)
    numbers = numbers_of_values(np.frombuffer(content, dtype=kind, count=used).astype(kind.newbyteorder("=")), deadline)
    if used * kind.itemsize < len(content):
        notes.append(only_first(used))
    numbers.notes += notes
    return numbers


def _bytes_of_text(content: bytes, source: str) -> bytes:
    """The bytes that the characters of UTF-8 text stand for, each by its code point."""
    try:
        return content.decode().encode("latin-1")
    except UnicodeDecodeError:
        raise UserError(f"{named(source)} is not UTF-8; --raw u8 reads its bytes") from None
    except UnicodeEncodeError as error:
        wrong = content.decode()[error.start]
        raise UserError(
            f"{named(source)}: {wrong!r} stands for no byte; --raw u8 reads its bytes as they are"
        ) from None


def _looks_like_text_of_bytes(content: bytes) -> bool:
    """Whether bytes are UTF-8 of code points below 256, of which a quarter or more are 128 or more, as of any bytes."""
    try:
        letters = content.decode().encode("latin-1")
    except ValueError:
        return False
    return 4 * (len(content) - len(letters)) >= len(letters) > 0


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
        raise UserError(f"{named(source)} is not a .npy file of numbers: {said}") from None


def _decoded(content: bytes, source: str) -> tuple[str, list[str]]:
    """Text with line feeds at the ends of lines, of at most MAX_TEXT characters, and notes about it."""
    for magic, name in PACKED.items():
        if content.startswith(magic):
            raise UserError(f"{named(source)} is {name}; unpack it first")
    encoding, notes = "utf-8-sig", list[str]()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding, notes = "utf-16", ["decoded as UTF-16"]
    elif len(content.translate(None, _CONTROL)) < len(content):
        raise _not_text(source, content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if encoding == "utf-16" or len(content.translate(None, bytes(range(128, 256)))) < 0.9 * len(content):
            raise _not_text(source, content) from None
        text, notes = content.decode("latin-1"), ["decoded as Latin-1"]
    if "\0" in text:
        raise _not_text(source, content)
    if len(text) > MAX_TEXT:
        text, notes = text[: _end(text)], [*notes, f"only the first {MAX_TEXT // 2**20} MB of the text were read"]
    return (text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text), notes


def _end(text: str) -> int:
    """Where the last whole line, or else the last word, of the first MAX_TEXT characters ends."""
    lines = max(text.rfind(mark, 0, MAX_TEXT) for mark in "\n\r")
    words = max(text.rfind(mark, 0, MAX_TEXT) for mark in " ,;\t")
    end = lines if lines > 0 else words if words > 0 else MAX_TEXT
    return len(text[:end].rstrip(" ,;\t"))


def _not_text(source: str, content: bytes) -> UserError:
    hint = "; --raw utf8 reads bytes that were written as UTF-8 text" if _looks_like_text_of_bytes(content) else ""
    return UserError(
        f"{named(source)} is not text; raw words are read with --raw, which may be {', '.join(RAW_TYPES)}{hint}"
    )
