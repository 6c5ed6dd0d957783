"""The notations of numbers: each numeral parses one token, and writes a number as the input would have.

Decimal notation (`Whole`, `Decimals`) in several styles; digits of an alphabet (`Positional`: hexadecimal, UUIDs, base
32, 36, 62, 64); and bytes in base 64 (`Base64Bytes`). Words are in `orders`.
"""

import base64
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

Number: TypeAlias = int | float

DOUBLE = 16  # a decimal with this many significant digits is taken for an exact double (17, or as few as round back)
MAX_CHARACTERS = 1000  # longest token that is read as a number


class NoNumeral(ValueError):
    """A number that a notation cannot express."""


@runtime_checkable
class Numeral(Protocol):
    """How the numbers of a stream are written."""

    def parse(self, token: str) -> Number | None:
        """The number that a token stands for; None if the token is not written in this notation."""

    def write(self, number: Any) -> Any:
        """A number as a JSON value, in the notation of the input. NoNumeral if it has none."""


@dataclass(frozen=True)
class Style:
    """Marks of decimal notation: between groups of three digits, before the decimals, and after each number."""

    group: str = ""
    point: str = "."
    suffix: str = ""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        group, point, suffix = re.escape(self.group), re.escape(self.point), re.escape(self.suffix)
        whole = rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d{{1,3}})" if group else r"\d+"
        form = rf"[+-]?(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d{{1,4}})?{suffix}"
        return re.compile(form, re.ASCII)

    def plain(self, token: str) -> str | None:
        """The token with a decimal point and without the other marks; None if it is not a number in this style."""
        if not self._pattern.fullmatch(token):
            return None
        text = token.removesuffix(self.suffix)
        return (text.replace(self.group, "") if self.group else text).replace(self.point, ".")

    def dress(self, plain: str) -> str:
        """A number written plainly, such as -1234.5, with the marks of this style."""
        whole, point, decimals = plain.partition(".")
        if self.group:
            sign = "-" if whole.startswith("-") else ""
            whole = sign + f"{abs(int(whole)):,}".replace(",", self.group)
        return whole + (self.point if point else "") + decimals + self.suffix


PLAIN = Style()

SUFFIXES = ("n", "L", "LL", "l", "ll", "U", "u", "UL", "ul", "ULL", "ull", "f", "F")
"""Marks of the type of a number in programs: JavaScript's BigInt, C, Java and others."""

STYLES = {
    "decimal": PLAIN,
    "apostrophes between groups of digits": Style(group="'"),
    "underscores between groups of digits": Style(group="_"),
    "commas between groups of digits": Style(group=","),
    "spaces between groups of digits": Style(group=" "),
    "decimal commas": Style(point=","),
    "decimal commas, points between groups of digits": Style(group=".", point=","),
    "percent signs left out": Style(suffix="%"),
    "decimal commas, percent signs left out": Style(point=",", suffix="%"),
    **{f"the suffix {suffix} left out": Style(suffix=suffix) for suffix in SUFFIXES},
}
"""Styles of decimal notation that are tried, by what is noted about them."""

_WHOLE = re.compile(r"([+-]?\d+)(?:\.0*)?", re.ASCII)
_ROUND = re.compile(r"([+-]?\d)[eE]\+?(0?\d|1\d|2[012])", re.ASCII)  # R prints 100000 as 1e+05


@dataclass(frozen=True)
class Whole:
    """Whole numbers in decimal notation, zero-padded to `width` characters if it is set, or followed by ``.0``."""

    style: Style = PLAIN
    width: int = 0
    pointed: bool = False

    def parse(self, token: str) -> int | None:
        plain = self.style.plain(token)
        if plain is None:
            return None
        if match := _WHOLE.fullmatch(plain):
            return int(match[1])
        if match := _ROUND.fullmatch(plain):
            return int(match[1]) * 10 ** int(match[2])
        return None

    def write(self, number: int) -> Any:
        if self.width:
            return f"{number:0{self.width}d}"
        if self.style != PLAIN:
            return self.style.dress(str(number))
        return float(number) if self.pointed and abs(number) < 2**53 else int(number)


@dataclass(frozen=True)
class Decimals:
    """Numbers with decimals, of `digits` significant digits and `places` decimal places at most."""

    style: Style = PLAIN
    digits: int = DOUBLE
    places: int = 0

    def parse(self, token: str) -> float | None:
        plain = self.style.plain(token)
        return None if plain is None else float(plain)

    def write(self, number: float) -> Any:
        value = float(number)
        if self.digits < DOUBLE:
            if 8 <= self.digits <= 9 and float(np.float32(value)) == value:
                value = float(str(np.float32(value)))  # single precision in the shortest digits that round back
            elif self.places > self.digits:
                value = float(f"{value:.{self.digits}g}")
            else:
                value = float(f"{value:.{self.places}f}")
        if self.style == PLAIN:
            return value
        places = self.places if self.digits < DOUBLE else -_exponent(repr(value))
        return self.style.dress(f"{value:.{max(places, 0)}f}")


def _exponent(plain: str) -> int:
    mantissa, _, exponent = plain.lower().partition("e")
    return int(exponent or 0) - len(mantissa.partition(".")[2])


def precision(plain: str) -> tuple[int, int]:
    """Significant digits and decimal places of a number in plain decimal notation."""
    mantissa = plain.lower().partition("e")[0].lstrip("+-").replace(".", "")
    return len(mantissa.lstrip("0")), -_exponent(plain)


_ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

ALPHABETS = {
    "binary": "01",
    "octal": "01234567",
    "hexadecimal": "0123456789abcdef",
    "base32": _BASE64[:26] + "234567",
    "base36": _ALPHANUMERIC[:36].lower(),
    "base62": _ALPHANUMERIC,
    "base64": _BASE64 + "+/",
    "base64url": _BASE64 + "-_",
}
"""Alphabets of digits by notation; bases 16, 32 and 64 as in RFC 4648."""

UUID = (8, 4, 4, 4, 12)  # hexadecimal digits in the groups of a UUID (RFC 9562, section 4)


@dataclass(frozen=True)
class Positional:
    """Digits of an alphabet, the most significant first, in `groups` of digits joined by `mark`, between `prefix` and
    `suffix`.

    Padded to `width` digits if it is set. Either case is parsed if the alphabet has one case only.
    """

    name: str
    alphabet: str
    prefix: str = ""
    width: int = 0
    groups: tuple[int, ...] = ()
    mark: str = ""
    suffix: str = ""

    @cached_property
    def one_case(self) -> bool:
        """Whether letters may be written in either case."""
        return self.alphabet.isascii() and self.alphabet in (self.alphabet.lower(), self.alphabet.upper())

    @property
    def digits(self) -> int:
        """How many digits every number has; 0 if they differ."""
        return self.width or sum(self.groups)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        digit = f"[{re.escape(self.alphabet)}]"
        digits = re.escape(self.mark).join(f"{digit}{{{size}}}" for size in self.groups) or f"{digit}+"
        form = re.escape(self.prefix) + digits + re.escape(self.suffix)
        return re.compile(form, re.IGNORECASE | re.ASCII if self.one_case else 0)

    @cached_property
    def _standard(self) -> dict[int, str]:
        """Digits as Python's `int` reads them, for bases up to 36."""
        return {ord(letter.lower()): _ALPHANUMERIC[i] for i, letter in enumerate(self.alphabet[:36])}

    @cached_property
    def _values(self) -> dict[str, int]:
        return {letter: value for value, letter in enumerate(self.alphabet)}

    def fits(self, token: str) -> bool:
        """Whether the token has this form."""
        return self._pattern.fullmatch(token) is not None

    def parse(self, token: str) -> int | None:
        if not self.fits(token):
            return None
        text = token[len(self.prefix) : len(token) - len(self.suffix)]
        if self.mark:
            text = text.replace(self.mark, "")
        base, number = len(self.alphabet), 0
        if self.one_case and base <= 36:
            return int(text.lower().translate(self._standard), base)
        values = self._values
        for letter in text:
            number = number * base + values[letter]
        return number

    def write(self, number: int) -> str:
        if number < 0:
            raise NoNumeral
        digits, left = "", int(number)
        while left or not digits:
            left, digit = divmod(left, len(self.alphabet))
            digits = self.alphabet[digit] + digits
        digits = digits.rjust(self.digits, self.alphabet[0])
        if self.groups:
            ends = np.cumsum(self.groups).tolist()
            digits = self.mark.join(digits[end - size : end] for size, end in zip(self.groups, ends, strict=True))
        return self.prefix + digits + self.suffix


@dataclass(frozen=True)
class Masked:
    """Decimal digits among marks that all numbers have, such as (000) 000-0000; a 0 stands for a digit."""

    mask: str

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.mask).replace("0", "([0-9])"))

    def parse(self, token: str) -> int | None:
        match = self._pattern.fullmatch(token)
        return None if match is None else int("".join(match.groups()))

    def write(self, number: int) -> str:
        places = self.mask.count("0")
        if not 0 <= number < 10**places:
            raise NoNumeral
        digits = iter(f"{number:0{places}d}")
        return "".join(next(digits) if letter == "0" else letter for letter in self.mask)


@dataclass(frozen=True)
class Base64Bytes:
    """Bytes in base 64 with padding, as a big-endian number of `width` bytes (0: as few as hold the number)."""

    alphabet: str = ALPHABETS["base64"]
    width: int = 0

    def fits(self, token: str) -> bool:
        """Whether the token has this form."""
        return len(token) % 4 == 0 and re.fullmatch(f"[{re.escape(self.alphabet)}]+={{0,2}}", token) is not None

    def parse(self, token: str) -> int | None:
        if not self.fits(token):
            return None
        return int.from_bytes(base64.b64decode(token, self.alphabet[-2:].encode()), "big")

    def write(self, number: int) -> str:
        if number < 0 or (self.width and number >= 1 << 8 * self.width):
            raise NoNumeral
        content = int(number).to_bytes(self.width or max(1, (int(number).bit_length() + 7) // 8), "big")
        return base64.b64encode(content, self.alphabet[-2:].encode()).decode()
