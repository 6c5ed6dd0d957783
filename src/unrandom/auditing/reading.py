"""Which numbers did the user hand over? Text as programs print it, or raw words, becomes a stream.

Text is read in parts, so that memory goes to the numbers and not to their digits.
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

LARGEST = 64 * 2**20
"""Bytes of input that are read; more are refused."""

PART = 1 << 20
"""Bytes read at a time."""

SAMPLE = 64
"""Lines by which a table is recognised."""

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
    """The stream in a file, or in standard input for ``-``.

    Numbers in any order of lines, spaces and commas; or a table with a numeric column, or the `column` named (by its
    heading, or counted from 1). `raw`: little-endian words instead of text. `bits` is the width of whole numbers if it
    is not to be read off them, `modulus` that of the generator if it is known, `bounded` is N where outputs were
    reduced to 0 … N − 1. Raises UserError for what is none of this, more than 64 MB, or out of range.
    """
    if raw is not None:
        if column is not None:
            raise UserError("--column is for text, not for --raw words")
        return _words(source, raw, bits, modulus, bounded)
    numbers = Numbers()
    for line, words in _lines(source, column):
        numbers.add(line, words)
    return stream_of(numbers, named_source(source), bits, modulus, bounded)


def _words(source: str, raw: Raw, bits: int | None, modulus: int | None, bounded: int | None) -> Stream:
    with _open(source) as file:
        content = file.read(LARGEST + 1)
    _check_size(len(content), source)
    size = 4 if raw == "u32" else 8
    if not content:
        raise UserError(f"{named_source(source)} holds no numbers")
    if len(content) % size:
        raise UserError(f"{named_source(source)} has {len(content)} bytes, which is no whole number of {raw} words")
    values = np.frombuffer(content, dtype=f"<u{size}").astype(np.uint64)
    stream = stream_of_words(values, Form("decimal"), bits, modulus, bounded)
    return stream if bits or bounded else Stream(values, stream.form, 8 * size, modulus=modulus)


def _lines(source: str, column: str | None) -> Iterator[tuple[int, list[str]]]:
    """Line numbers with the words of that line and maybe some after it; of a table only those of one column."""
    blocks = _text(source)
    first = next(blocks, (1, ""))
    sample = [text for text in first[1].splitlines()[:SAMPLE] if text.strip()]
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
    """Whole lines of about PART bytes together, with the number of the first. UserError for bytes that are no text,
    and for more than 64 MB.
    """
    with _open(source) as file:
        size, line, rest = 0, 1, b""
        while part := file.read(PART):
            size += len(part)
            _check_size(size, source)
            if b"\0" in part:
                raise _binary(source)
            whole, newline, tail = part.rpartition(b"\n")
            if newline:
                block = _decoded(rest + whole, source)
                yield line, block
                line, rest = line + block.count("\n") + 1, tail
            else:
                rest += part
        if rest:
            yield line, _decoded(rest, source)


def _decoded(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _binary(source) from None


def _binary(source: str) -> UserError:
    return UserError(f"{named_source(source)} is not text; raw words are read with --raw u32 or --raw u64")


def _open(source: str) -> AbstractContextManager[IO[bytes]]:
    if source == "-":
        return nullcontext(sys.stdin.buffer)
    with reading(source):
        return Path(source).open("rb")


def _check_size(size: int, source: str) -> None:
    if size > LARGEST:
        raise UserError(f"{named_source(source)} has more than {LARGEST // 2**20} MB, the most that is read")
