"""Which numbers did the user hand over? Text as programs print it, or raw words, becomes a stream.

Text is read in parts, so that memory goes to the numbers and not to their digits. All numbers must be written in one
way: whole (with or without sign), hexadecimal after 0x, or fractions from 0 to 1.
"""

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import IO, Literal, TypeAlias

import numpy as np

from unrandom.audit.stream import Form, Stream, scales
from unrandom.core.errors import UserError

LARGEST = 64 * 2**20
"""Bytes of input that are read; more are refused."""

PART = 1 << 20
"""Bytes read at a time."""

DOUBLE = 16
"""Significant digits from which on a fraction is taken for an exact double, as 17 or the shortest that round back."""

SINGLE = 24
"""Significant bits of a single-precision number."""

SAMPLE = 64
"""Lines by which a table is recognised."""

Raw: TypeAlias = Literal["u32", "u64"]
Kind: TypeAlias = Literal["whole", "hexadecimal", "fraction"]

_KINDS = {"whole": "whole number", "hexadecimal": "hexadecimal number", "fraction": "fraction"}
_DECIMAL = re.compile(r"[+-]?\d{1,20}")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,16}")
_FRACTION = re.compile(r"[+-]?(\d*\.\d+|\d+\.|\d+(?=[eE]))([eE][+-]?\d{1,4})?")
_TOO_LONG = re.compile(r"[+-]?\d{21,}|0[xX][0-9a-fA-F]{17,}")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf(inity)?)", re.IGNORECASE)
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
    numbers = _Numbers()
    for line, words in _lines(source, column):
        numbers.add(line, words)
    return numbers.stream(_named(source), bits, modulus, bounded)


@dataclass
class _Numbers:
    """The numbers of a text as they come in, all written in one way."""

    kind: Kind | None = None
    whole: list[int] = field(default_factory=list)
    fractions: list[float] = field(default_factory=list)
    hex_digits: set[int] = field(default_factory=set)
    digits: int = 0  # significant ones, the most of any fraction
    places: int = 0  # after the point, the most of any fraction

    def add(self, line: int, words: list[str]) -> None:
        """Take in words from this line on; UserError, naming the line, for what does not belong."""
        text = "".join(words)
        if self.kind == "whole" and text.isdecimal() and text.isascii() and max(map(len, words)) < 20:
            self.whole += map(int, words)
            return
        for word in words:
            self._add(word, line)

    def _add(self, word: str, line: int) -> None:
        kind = _kind(word, line)
        if self.kind is None:
            self.kind = kind
        if kind == "fraction" and self.kind == "whole" and {"0", "1"} >= {str(number) for number in self.whole[:2]}:
            self._take_for_fractions()
        if kind != self.kind and not (self.kind == "fraction" and word in ("0", "1")):
            raise UserError(
                f"line {line}: {word[:40]} is a {_KINDS[kind]}, but before it are {_KINDS[self.kind]}s; "
                "one stream has one form"
            )
        if self.kind == "fraction":
            self._add_fraction(word, line)
        elif self.kind == "hexadecimal":
            self.whole.append(int(word, 16))
            self.hex_digits.add(len(word) - 2)
        else:
            self.whole.append(int(word))
            if not -(2**63) <= self.whole[-1] < 2**64:
                raise UserError(f"line {line}: {word} does not fit 64 bits")

    def _add_fraction(self, word: str, line: int) -> None:
        value = float(word)
        if not 0 <= value <= 1 or word.startswith("-"):
            raise UserError(f"line {line}: {word[:40]} is not from 0 to 1; scale fractions of another range first")
        self.fractions.append(value)
        if value and self.digits < DOUBLE:
            _, digits, exponent = Decimal(word).as_tuple()
            self.digits = max(self.digits, len(digits))
            self.places = max(self.places, -int(exponent))

    def _take_for_fractions(self) -> None:
        """A program that prints 0 for 0.0 may do so first."""
        if set(self.whole) <= {0, 1}:
            self.fractions, self.whole, self.kind = [float(number) for number in self.whole], [], "fraction"

    def stream(self, name: str, bits: int | None, modulus: int | None, bounded: int | None) -> Stream:
        """All of them; UserError if there are none, or if they do not fit what the user said of them."""
        if self.kind is None:
            raise UserError(f"{name} holds no numbers")
        if self.kind == "fraction":
            if bounded is not None or bits is not None:
                raise UserError("--bits and --bounded are for whole numbers, but these are fractions")
            return self._stream_of_fractions(modulus)
        least, greatest = min(self.whole), max(self.whole)
        signed = 0
        if least < 0:
            signed = 32 if least >= -(2**31) and greatest < 2**31 else 64
            if greatest >= 2**63:
                raise UserError(f"{least} has a sign, and {greatest} does not fit 64 bits with one")
        if self.kind == "hexadecimal":
            form = Form("hexadecimal", hex_digits=max(self.hex_digits) if len(self.hex_digits) == 1 else 0)
        else:
            form = Form("decimal", signed_bits=signed)
        values = np.array([number % 2**signed for number in self.whole] if signed else self.whole, dtype=np.uint64)
        return _whole_stream(values, form, bits, modulus, bounded)

    def _stream_of_fractions(self, modulus: int | None) -> Stream:
        values = np.array(self.fractions)
        form, slack = Form("fraction"), np.zeros(len(values))
        if self.digits < DOUBLE:
            single = values.astype(np.float32)
            if 8 <= self.digits <= 9 and not (single * np.float32(2**SINGLE) % 1).any():
                values, form = single.astype(np.float64), Form("fraction", single=True)
            elif self.places > self.digits:  # small numbers have more places: significant digits are what is fixed
                form = Form("fraction", digits=self.digits)
                sizes = np.floor(np.log10(np.maximum(values, 1e-300))) + 1
                slack = 0.5 * 10.0 ** (sizes - self.digits)
            else:
                form = Form("fraction", digits=self.places, fixed=True)
                slack = np.full(len(values), 0.5 * 10.0**-self.places)
        return Stream(values, form, 0, slack, modulus=modulus, scales=scales(values, slack))


def _kind(word: str, line: int) -> Kind:
    if word.isascii():
        if _DECIMAL.fullmatch(word):
            return "whole"
        if _HEXADECIMAL.fullmatch(word):
            return "hexadecimal"
        if _FRACTION.fullmatch(word):
            return "fraction"
    if _NOT_FINITE.fullmatch(word):
        raise UserError(f"line {line}: {word} is no number that a generator gives")
    if _TOO_LONG.fullmatch(word):
        raise UserError(f"line {line}: {word[:40]} does not fit 64 bits")
    hint = "; hexadecimal numbers begin with 0x" if re.fullmatch(r"[0-9a-fA-F]{2,16}", word) else ""
    raise UserError(f"line {line}: {word[:40]!r} is not a number{hint}")


def _whole_stream(values: np.ndarray, form: Form, bits: int | None, modulus: int | None, bounded: int | None) -> Stream:
    greatest = int(values.max())
    width = max(1, greatest.bit_length(), form.signed_bits)
    for name, limit in (("--modulus", modulus), ("--bounded", bounded), ("--bits", None if bits is None else 2**bits)):
        if limit is not None and greatest >= limit:
            raise UserError(f"{greatest} is out of range: {name} allows 0 to {limit - 1}")
    return Stream(values, form, bits or width, modulus=modulus, bounded=bounded)


def _words(source: str, raw: Raw, bits: int | None, modulus: int | None, bounded: int | None) -> Stream:
    with _open(source) as file:
        content = file.read(LARGEST + 1)
    _check_size(len(content), source)
    size = 4 if raw == "u32" else 8
    if not content:
        raise UserError(f"{_named(source)} holds no numbers")
    if len(content) % size:
        raise UserError(f"{_named(source)} has {len(content)} bytes, which is no whole number of {raw} words")
    values = np.frombuffer(content, dtype=f"<u{size}").astype(np.uint64)
    stream = _whole_stream(values, Form("decimal"), bits, modulus, bounded)
    return stream if bits or bounded else Stream(values, stream.form, 8 * size, modulus=modulus)


def _lines(source: str, column: str | None) -> Iterator[tuple[int, list[str]]]:
    """Line numbers with the words of that line and maybe some after it; of a table only those of one column."""
    blocks = _text(source)
    first = next(blocks, (1, ""))
    sample = [text for text in first[1].splitlines()[:SAMPLE] if text.strip()]
    if column is not None or _is_table(sample):
        yield from _column(_numbered(chain([first], blocks)), sample, column)
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


def _is_table(sample: list[str]) -> bool:
    """Whether the lines have columns: a separator inside most of them, and more than one line, or a heading."""
    separated = [text for text in sample if re.search(r"[,;\t]\s*\S", text.strip().strip("[]"))]
    return len(sample) > 1 and len(separated) > len(sample) // 2


def _column(lines: Iterator[tuple[int, str]], sample: list[str], column: str | None) -> Iterator[tuple[int, list[str]]]:
    separator = next((mark for mark in ("\t", ";", ",") if any(mark in text for text in sample)), ",")
    rows = [_cells(text, separator) for text in sample]
    width = max(map(len, rows))
    has_heading = any(cell and not _numeric(cell) for cell in rows[0]) and len(rows) > 1
    heading = rows[0] if has_heading else []
    names = [heading[i] if i < len(heading) and heading[i] else str(i + 1) for i in range(width)]
    body = rows[1:] if has_heading else rows
    numeric = [i for i in range(width) if all(len(row) > i and _numeric(row[i]) for row in body)]
    if column is None:
        if len(numeric) != 1:
            if not numeric:
                raise UserError("no column holds only numbers")
            held = ", ".join(names[i] for i in numeric)
            raise UserError(f"the columns {held} hold numbers; choose one with --column")
        chosen = numeric[0]
    elif column in names:
        chosen = names.index(column)
    elif column.isdigit() and 1 <= int(column) <= width:
        chosen = int(column) - 1
    else:
        raise UserError(f"no column is called {column!r}; there are {', '.join(names)}")
    skip = has_heading
    for line, text in lines:
        if not text.strip():
            continue
        if skip:
            skip = False
            continue
        cells = _cells(text, separator)
        if len(cells) <= chosen or not cells[chosen]:
            raise UserError(f"line {line} has nothing in column {names[chosen]}")
        yield line, [cells[chosen]]


def _cells(text: str, separator: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([text], delimiter=separator), [])]


def _numeric(cell: str) -> bool:
    return any(form.fullmatch(cell) for form in (_DECIMAL, _HEXADECIMAL, _FRACTION, _NOT_FINITE))


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
    return UserError(f"{_named(source)} is not text; raw words are read with --raw u32 or --raw u64")


def _open(source: str) -> AbstractContextManager[IO[bytes]]:
    if source == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(source).open("rb")
    except FileNotFoundError:
        raise UserError(f"{source} does not exist") from None
    except (IsADirectoryError, PermissionError) as error:
        raise UserError(f"{source} cannot be read: {error.strerror}") from None


def _check_size(size: int, source: str) -> None:
    if size > LARGEST:
        raise UserError(f"{_named(source)} has more than {LARGEST // 2**20} MB, the most that is read")


def _named(source: str) -> str:
    return "standard input" if source == "-" else source
