"""What is a stream of numbers, and which whole numbers may lie behind the fractions that a program printed?"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, log2
from typing import Any, Literal, TypeAlias

import numpy as np
from jaxtyping import Float64, Shaped, UInt64

Number: TypeAlias = int | float
"""An output: a whole number, or a fraction of 0 … 1."""

MANTISSA = 53
"""Significant bits of a double, which rounds by up to 2**-53 of its value."""

DIVISORS = (2**15, 2**16, 2**24, 2**31, 2**32, 2**48, 2**15 - 1, 2**31 - 1, 2**32 - 1)
"""What programs divide by to make a fraction: powers of two, and the largest outputs (C's RAND_MAX, say)."""


@dataclass(frozen=True)
class Form:
    """How the numbers are written. A fraction has `digits`: significant ones, or places if `fixed`; None if exact."""

    kind: Literal["decimal", "hexadecimal", "fraction"]
    signed_bits: int = 0  # the word of two's complement; 0 for numbers without a sign
    digits: int | None = None
    fixed: bool = False
    single: bool = False  # exact in single precision, of which the shortest digits are written
    hex_digits: int = 0  # to which hexadecimal numbers are padded

    def write(self, number: Number) -> Any:
        """An output as a JSON value in the form of the input."""
        if self.kind == "fraction":
            if self.single:
                return float(str(np.float32(number)))
            if self.digits is None:
                return float(number)
            return float(f"{number:.{self.digits}{'f' if self.fixed else 'g'}}")
        if self.kind == "hexadecimal":
            return f"0x{number:0{self.hex_digits}x}"
        half = 1 << (self.signed_bits - 1) if self.signed_bits else 0
        return number - 2 * half if half and number >= half else number


@dataclass(frozen=True)
class View:
    """Whole numbers 0 <= x < 2**bits behind a stream, and how x is shown in it."""

    numbers: list[int]
    bits: int
    show: Callable[[int], Number]
    divisor: int | None = None  # the fractions are x / divisor


@dataclass(frozen=True)
class Scale:
    """Fractions made as x / divisor, or by the product with its inverse, which may round otherwise."""

    divisor: int
    by_product: bool = False

    def show(self, x: int) -> float:
        return x * (1.0 / self.divisor) if self.by_product else x / self.divisor


@dataclass(frozen=True)
class Stream:
    """Outputs in their order: whole numbers, modulo 2**64 if signed; or fractions, each off by at most its rounding
    error (without that of a double itself).

    `bits` is the width of whole numbers. `bounded` is N where outputs were reduced to 0 … N − 1, `modulus` the one that
    the user gave. `scales` are the ways in which all the fractions can have been made of whole numbers.
    """

    values: Shaped[np.ndarray, " outputs"]
    form: Form
    bits: int
    rounding_error: Float64[np.ndarray, " outputs"] | None = None
    bounded: int | None = None
    modulus: int | None = None
    scales: tuple[Scale, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    @property
    def fractions(self) -> bool:
        return self.form.kind == "fraction"

    @property
    def rounded(self) -> bool:
        """Whether they are fractions with fewer digits than determine a double."""
        return self.rounding_error is not None and bool(self.rounding_error.any())

    def head(self, count: int) -> "Stream":
        """The first `count` outputs."""
        errors = None if self.rounding_error is None else self.rounding_error[:count]
        return replace(self, values=self.values[:count], rounding_error=errors)

    @cached_property
    def views(self) -> list[View]:
        """The whole numbers that the outputs are, or can be of if they are fractions: at most a few ways."""
        if not self.fractions:
            return [View(self.values.tolist(), self.bits, int)]
        views = []
        for scale in self.scales:
            numbers = np.rint(self.values * float(scale.divisor)).astype(np.uint64).tolist()
            views.append(View(numbers, (scale.divisor - 1).bit_length(), scale.show, scale.divisor))
        return views

    def matches(self, start: int, numbers: list[Number]) -> int:
        """How many of these numbers are the outputs from `start` on, until the first that is not."""
        given = self.values[start : start + len(numbers)]
        if self.rounding_error is None:
            if given.tolist() == numbers:
                return len(numbers)
            same = [a == b for a, b in zip(given.tolist(), numbers, strict=True)]
        else:
            off = np.abs(given - np.array(numbers, dtype=np.float64))
            same = (off <= self.rounding_error[start : start + len(numbers)] + given * 2.0**-MANTISSA).tolist()
        return same.index(False) if False in same else len(same)

    def within(self, modulus: int) -> list[tuple[int, int]] | None:
        """For each output the least and the greatest x of 0 … modulus − 1 that are shown so when it is a fraction
        x / modulus, or ⌊N x / modulus⌋. None for whole numbers that were not reduced to a range.
        """
        if self.bounded is not None:
            n = self.bounded
            return [(-(-y * modulus // n), -(-(y + 1) * modulus // n) - 1) for y in self.values.tolist()]
        if self.rounding_error is None:
            return None
        bounds = []
        for value, error in zip(self.values.tolist(), self.rounding_error.tolist(), strict=True):
            middle, reach = Fraction(value), Fraction(error) + Fraction(1, 2**54)
            bounds.append(
                (max(0, ceil((middle - reach) * modulus)), min(modulus - 1, floor((middle + reach) * modulus)))
            )
        return bounds


def scales(
    values: Float64[np.ndarray, " outputs"], rounding_error: Float64[np.ndarray, " outputs"]
) -> tuple[Scale, ...]:
    """The ways in which all these fractions can be x / divisor with just one x each."""
    exact = not rounding_error.any()
    powers = [2**e for e in range(1, MANTISSA + 1) if exact and not (values * 2.0**e % 1.0).any()]
    found = [Scale(power) for power in powers[:1]]
    for divisor in DIVISORS:
        inexact = divisor & (divisor - 1)
        if (exact and not inexact) or 2 * float(rounding_error.max(initial=0.0)) * divisor >= 1:
            continue
        whole = np.rint(values * float(divisor))
        reach = rounding_error if exact else rounding_error + values * 2.0**-MANTISSA
        if (np.abs(whole / divisor - values) <= reach).all():
            found.append(Scale(divisor))
        elif inexact and (np.abs(whole * (1.0 / divisor) - values) <= reach).all():
            found.append(Scale(divisor, by_product=True))
    if exact and not found and not (values * 2.0**64 % 1.0).any():  # 64 bits that were rounded to a double
        found.append(Scale(2**64))
    return tuple(found)


def min_entropy(stream: Stream) -> float:
    """Bits by which one output is hard to guess (an estimate of its min-entropy, taken low): at most log2 of their
    range, and of how rare the commonest output and the commonest step from one to the next are. A stream of few values
    or of even steps has few.
    """
    numbers = stream.values
    if stream.fractions:
        assert stream.rounding_error is not None
        coarsest = max((1 / scale.divisor for scale in stream.scales), default=0.0)
        finest = max(2.0**-MANTISSA, 2 * float(stream.rounding_error.max()), coarsest)
        numbers = np.rint(stream.values / finest).astype(np.uint64)
    if len(numbers) < 2:
        return 0.0
    return min(log2(int(numbers.max() - numbers.min()) + 1), _rarity(numbers), _rarity(np.diff(numbers)))


def _rarity(numbers: UInt64[np.ndarray, " n"]) -> float:
    most = int(np.unique(numbers, return_counts=True)[1].max())
    return log2(len(numbers) / most) if most > 1 else 64.0
