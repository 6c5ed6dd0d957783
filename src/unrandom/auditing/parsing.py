"""What kind of number does a word write, and which numbers does a text hold? All must be written in one way.

Whole (with or without sign), hexadecimal after 0x, or fractions from 0 to 1.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from unrandom.core.errors import UserError

DOUBLE = 16
"""Significant digits from which on a fraction is taken for an exact double, as 17 or the shortest that round back."""

Kind: TypeAlias = Literal["whole", "hexadecimal", "fraction"]

_KINDS = {"whole": "whole number", "hexadecimal": "hexadecimal number", "fraction": "fraction"}
_DECIMAL = re.compile(r"[+-]?\d{1,20}")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,16}")
_FRACTION = re.compile(r"[+-]?(\d*\.\d+|\d+\.|\d+(?=[eE]))([eE][+-]?\d{1,4})?")
_TOO_LONG = re.compile(r"[+-]?\d{21,}|0[xX][0-9a-fA-F]{17,}")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf(inity)?)", re.IGNORECASE)


def is_numeric(word: str) -> bool:
    """Whether it is written as a number, be it one that is refused later."""
    return any(form.fullmatch(word) for form in (_DECIMAL, _HEXADECIMAL, _FRACTION, _NOT_FINITE))


@dataclass
class Numbers:
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
        if kind == "fraction" and self.kind == "whole" and set(self.whole) <= {0, 1}:
            # a program that prints 0 for 0.0 may do so first
            self.fractions, self.whole, self.kind = [float(number) for number in self.whole], [], "fraction"
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
