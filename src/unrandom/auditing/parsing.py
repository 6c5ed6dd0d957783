"""Which numbers does a text contain? By parsing each token as an integer, a hexadecimal number or a fraction.

All numbers of a text must be of one kind: integers (with or without sign), hexadecimal with prefix 0x, or fractions
from 0 to 1.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias

from unrandom.core.errors import UserError

DOUBLE = 16
"""A fraction with at least this many significant digits is taken for an exact double (17, or as few as round back)."""

Kind: TypeAlias = Literal["whole", "hexadecimal", "fraction"]

_KINDS = {"whole": "whole number", "hexadecimal": "hexadecimal number", "fraction": "fraction"}
_DECIMAL = re.compile(r"[+-]?\d{1,20}")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,16}")
_FRACTION = re.compile(r"[+-]?(\d*\.\d+|\d+\.|\d+(?=[eE]))([eE][+-]?\d{1,4})?")
_TOO_LONG = re.compile(r"[+-]?\d{21,}|0[xX][0-9a-fA-F]{17,}")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf(inity)?)", re.IGNORECASE)


def is_numeric(token: str) -> bool:
    """Whether the token has the form of a number, even one that is refused later (such as nan)."""
    return any(form.fullmatch(token) for form in (_DECIMAL, _HEXADECIMAL, _FRACTION, _NOT_FINITE))


@dataclass
class Numbers:
    """The numbers of a text parsed so far, all of one kind."""

    kind: Kind | None = None
    whole: list[int] = field(default_factory=list)
    fractions: list[float] = field(default_factory=list)
    hex_digits: set[int] = field(default_factory=set)
    digits: int = 0  # largest number of significant digits of any fraction
    places: int = 0  # largest number of decimal places of any fraction

    def add(self, line: int, tokens: list[str]) -> None:
        """Parse and append the tokens of a line; UserError with the line number for a token that does not fit."""
        text = "".join(tokens)
        if self.kind == "whole" and text.isdecimal() and text.isascii() and max(map(len, tokens)) < 20:
            self.whole += map(int, tokens)
            return
        for token in tokens:
            self._add(token, line)

    def _add(self, token: str, line: int) -> None:
        kind = _kind(token, line)
        if self.kind is None:
            self.kind = kind
        if kind == "fraction" and self.kind == "whole" and set(self.whole) <= {0, 1}:
            # programs that print 0 for 0.0 may begin with such zeros
            self.fractions, self.whole, self.kind = [float(number) for number in self.whole], [], "fraction"
        if kind != self.kind and not (self.kind == "fraction" and token in ("0", "1")):
            raise UserError(
                f"line {line}: {token[:40]} is a {_KINDS[kind]}, but the numbers before it are {_KINDS[self.kind]}s; "
                "all numbers of a stream must have one form"
            )
        if self.kind == "fraction":
            self._add_fraction(token, line)
        elif self.kind == "hexadecimal":
            self.whole.append(int(token, 16))
            self.hex_digits.add(len(token) - 2)
        else:
            self.whole.append(int(token))
            if not -(2**63) <= self.whole[-1] < 2**64:
                raise UserError(f"line {line}: {token} does not fit 64 bits")

    def _add_fraction(self, token: str, line: int) -> None:
        value = float(token)
        if not 0 <= value <= 1 or token.startswith("-"):
            raise UserError(f"line {line}: {token[:40]} is not from 0 to 1; scale fractions of another range first")
        self.fractions.append(value)
        if value and self.digits < DOUBLE:
            _, digits, exponent = Decimal(token).as_tuple()
            self.digits = max(self.digits, len(digits))
            self.places = max(self.places, -int(exponent))


def _kind(token: str, line: int) -> Kind:
    if token.isascii():
        if _DECIMAL.fullmatch(token):
            return "whole"
        if _HEXADECIMAL.fullmatch(token):
            return "hexadecimal"
        if _FRACTION.fullmatch(token):
            return "fraction"
    if _NOT_FINITE.fullmatch(token):
        raise UserError(f"line {line}: {token} is not a finite number")
    if _TOO_LONG.fullmatch(token):
        raise UserError(f"line {line}: {token[:40]} does not fit 64 bits")
    hint = "; hexadecimal numbers begin with 0x" if re.fullmatch(r"[0-9a-fA-F]{2,16}", token) else ""
    raise UserError(f"line {line}: {token[:40]!r} is not a number{hint}")
