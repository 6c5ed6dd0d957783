"""How is a file of numbers read into a stream? By parsing text as programs print it, a table's column, or raw binary
words.

Text is read in chunks, so that memory holds the numbers and not the text.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import IO, Literal, TypeAlias

import numpy as np

from unrandom.auditing.forms import stream_of, stream_of_words
from unrandom.auditing.parsing import Numbers
from unrandom.auditing.stream import Form, Stream
from unrandom.auditing.tables import column_of, is_table
from unrandom.core.errors import UserError
from unrandom.core.files import named_source, reading

MAX_BYTES = 64 * 2**20
"""Maximum size of the input in bytes; a larger one is refused."""

CHUNK_BYTES = 1 << 20
"""Bytes read at a time."""

SAMPLE_LINES = 64
"""Number of lines inspected to recognise a table."""

Raw: TypeAlias = Literal["u32", "u64"]

_ONLY_DIGITS = re.compile(r"[\d\s]+", re.ASCII)
_SEPARATORS = str.maketrans(",;[]", "    ")


def read(
    source: str,
    *,
    raw: Raw | None = None,
    bits: int | None = None,
    modulus: int | None = None,
    bounded: int | None = None,
    column: str | None = None,
) -> Stream:
    """The stream in the file `source`, or in standard input for ``-``.

    The text holds numbers separated by line breaks, spaces or commas; or a table, from which `column` (its heading, or
    its number from 1) or the only numeric column is read. `raw`: little-endian words instead of text. `bits` is the
    width of integers (None: inferred), `modulus` that of the generator if known, `bounded` is N if outputs were reduced
    to 0 … N − 1. Raises UserError for other content, for more than 64 MB, and for numbers out of range.
    """
    if raw is not None:
        if column is not None:
            raise UserError("--column is for text, not for --raw words")
        return _read_raw(source, raw, bits, modulus, bounded)
    numbers = Numbers()
    for line, tokens in _lines(source, column):
        numbers.add(line, tokens)
    return stream_of(numbers, named_source(source), bits, modulus, bounded)


def _read_raw(source: str, raw: Raw, bits: int | None, modulus: int | None, bounded: int | None) -> Stream:
    with _open(source) as file:
        content = file.read(MAX_BYTES + 1)
    _check_size(len(content), source)
    size = 4 if raw == "u32" else 8
    if not content:
        raise UserError(f"{named_source(source)} holds no numbers")
    if len(content) % size:
        raise UserError(
            f"{named_source(source)} has {len(content)} bytes, not a multiple of the {size} bytes of a {raw} word"
        )
    values = np.frombuffer(content, dtype=f"<u{size}").astype(np.uint64)
    stream = stream_of_words(values, Form("decimal"), bits, modulus, bounded)
    return stream if bits or bounded else Stream(values, stream.form, 8 * size, modulus=modulus)


def _lines(source: str, column: str | None) -> Iterator[tuple[int, list[str]]]:
    """Tokens of one or more lines, with the number of the first line; for a table, the cells of one column."""
    blocks = _text(source)
    first = next(blocks, (1, ""))
    sample = [text for text in first[1].splitlines()[:SAMPLE_LINES] if text.strip()]
    if sample and (column is not None or is_table(sample)):
        yield from column_of(_numbered(chain([first], blocks)), sample, column)
        return
    for line, block in chain([first], blocks):
        if _ONLY_DIGITS.fullmatch(block):
            yield line, block.split()
        else:
            for i, text in _numbered([(line, block)]):
                yield i, text.translate(_SEPARATORS).split()


def _numbered(blocks: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for line, block in blocks:
        yield from enumerate(block.split("\n"), start=line)


def _text(source: str) -> Iterator[tuple[int, str]]:
    """Blocks of complete lines of about CHUNK_BYTES bytes, each with the number of its first line. UserError for bytes
    that are not text, and for more than 64 MB.
    """
    with _open(source) as file:
        size, line, incomplete = 0, 1, b""
        while chunk := file.read(CHUNK_BYTES):
            size += len(chunk)
            _check_size(size, source)
            if b"\0" in chunk:
                raise _not_text(source)
            whole, newline, tail = chunk.rpartition(b"\n")
            if newline:
                block = _decoded(incomplete + whole, source)
                yield line, block
                line, incomplete = line + block.count("\n") + 1, tail
            else:
                incomplete += chunk
        if incomplete:
            yield line, _decoded(incomplete, source)


def _decoded(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _not_text(source) from None


def _not_text(source: str) -> UserError:
    return UserError(f"{named_source(source)} is not text; raw words are read with --raw u32 or --raw u64")


def _open(source: str) -> AbstractContextManager[IO[bytes]]:
    if source == "-":
        return nullcontext(sys.stdin.buffer)
    with reading(source):
        return Path(source).open("rb")


def _check_size(size: int, source: str) -> None:
    if size > MAX_BYTES:
        raise UserError(f"{named_source(source)} is larger than {MAX_BYTES // 2**20} MB, the maximum")
