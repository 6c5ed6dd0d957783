"""Finds the bytes that a text shows: of a hexdump, of a literal of Python, or of one long word of hexadecimal."""

import ast
import re
import warnings
from collections.abc import Iterator

from unrandom.auditing.reading.numerals import MAX_CHARACTERS
from unrandom.auditing.reading.texts import Text
from unrandom.auditing.reading.tokens import MAX_NUMBERS

_HEXADECIMAL = re.compile("[0-9a-fA-F]+")
_LITERAL = re.compile(r"""[bB](['"]).*\1""", re.DOTALL)
_PLACE = re.compile(r"([0-9a-fA-F]{4,16})(:?)[ \t]+(?=\S)")


def octets_of(text: Text) -> tuple[bytes, str] | None:
    """The first bytes that a text shows, no more than are used as numbers, and what was read; None if it shows none."""
    word = text.content.strip()
    if len(word) > MAX_CHARACTERS and _HEXADECIMAL.fullmatch(word):
        digits = word[: 2 * MAX_NUMBERS + 2]
        return bytes.fromhex(digits[: len(digits) // 2 * 2]), f"one word of {len(word):,} hexadecimal digits"
    if _LITERAL.fullmatch(word):
        try:
            with warnings.catch_warnings(action="ignore"):  # Python warns of backslashes that escape nothing
                literal = ast.literal_eval(word)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None
        return (literal, "a literal of Python") if isinstance(literal, bytes) else None
    found = b"".join(_dumped(text))
    return (found, "a hexdump") if found else None


def _dumped(text: Text) -> Iterator[bytes]:
    """The bytes of the lines of a hexdump; nothing if one line is none, or does not go on where the last one ends."""
    rows, place = list[bytes](), None
    for line in (line.strip() for _, line in text.written()):
        if rows and _HEXADECIMAL.fullmatch(line):  # the place where it ends
            continue
        start = _PLACE.match(line)
        octets = _shown_as_text(line[start.end() :], colon=bool(start[2])) if start else b""
        if (not start and line) or (start and (not octets or place not in (None, int(start[1], 16)))):
            return
        place = int(start[1], 16) + len(octets) if start else place
        rows.append(octets)
    yield from rows


def _shown_as_text(line: str, *, colon: bool) -> bytes:
    """The bytes of a line after its place, if they are followed by the same bytes as text: after two spaces, as xxd's
    behind a colon, or between bars, as hexdump's.
    """
    digits, _, shown = line.partition("  ") if colon else line.partition("|")
    try:
        octets = bytes.fromhex(digits)
    except ValueError:
        return b""
    fits = 0 < len(shown.strip()) <= len(octets) if colon else len(shown) == len(octets) + 1 and shown[-1] == "|"
    return octets if fits else b""
