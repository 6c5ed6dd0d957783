"""Finds the fraction that a token such as "m8yzrxne4b" stands for: the double that JavaScript's toString(36) prints so,
after its "0."; or, if a program cut the digits off, the middle of all the fractions that begin with them.
"""

import math
import re
from dataclasses import dataclass
from functools import cached_property

from unrandom.auditing.reading.numerals import NoNumeral

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
RADIXES = (36, 16, 32)  # those that programs pass to toString
GRIDS = (52, 53)  # bits after the point of Math.random(), in V8 until 2025 and since


@dataclass(frozen=True)
class Radix:
    """Fractions from 0 to 1 in base `radix` as ECMAScript's Number.prototype.toString writes them in V8, after
    `leading`; cut off after `cut` digits (0: all are there, of a multiple of 2^-`grid`).
    """

    radix: int
    leading: str = ""
    cut: int = 0
    grid: int = GRIDS[0]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        count = f"{{{self.cut}}}" if self.cut else "+"
        return re.compile(re.escape(self.leading) + f"([{DIGITS[: self.radix]}]{count})")

    def parse(self, token: str) -> float | None:
        """The fraction behind a token: the middle of those that are printed so, None if there are none."""
        found = self.bounds(token)
        return None if found is None else (found[0] + found[1]) / 2

    def bounds(self, token: str) -> tuple[float, float] | None:
        """The smallest and the largest fraction that are printed as this token, None if there are none."""
        match = self._pattern.fullmatch(token)
        if match is None:
            return None
        digits = match[1]
        value = int(digits, self.radix) / self.radix ** len(digits)
        if self.cut:
            return value, value + float(self.radix) ** -self.cut
        whole = round(value * 2**self.grid)
        near = [(whole + step) / 2**self.grid for step in (-2, -1, 0, 1, 2)]
        fitting = [one for one in near if 0 <= one < 1 and self._digits(one) == digits]
        return (fitting[0], fitting[-1]) if fitting else None

    def write(self, number: float) -> str:
        if not 0 <= number < 1:
            raise NoNumeral
        digits = self._digits(float(number))
        return self.leading + (digits[: self.cut] if self.cut else digits)

    def _digits(self, value: float) -> str:
        """Digits after the point, in the arithmetic of doubles, until the rest is less than half of the distance to the
        next double; the last one is rounded up if the rest is nearer to 1 than that.
        """
        rest, distance, digits = value, 0.5 * math.ulp(value), list[int]()
        while rest and rest >= distance:  # nothing but 0 ends it where denormal numbers are flushed to 0
            rest, distance = rest * self.radix, distance * self.radix
            digit = int(rest)
            digits.append(digit)
            rest -= digit
            if (rest > 0.5 or (rest == 0.5 and digit % 2)) and rest + distance > 1:
                while digits and digits[-1] == self.radix - 1:
                    digits.pop()
                if not digits:
                    raise NoNumeral  # it is printed as 1
                digits[-1] += 1
                break
        return "".join(DIGITS[digit] for digit in digits) or "0"
