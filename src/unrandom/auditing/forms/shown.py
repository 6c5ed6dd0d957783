"""The kinds of numbers that a stream shows: words, numbers from ranges, fractions, or normal deviates."""

from dataclasses import dataclass, replace
from itertools import cycle
from typing import TypeAlias

import numpy as np
from jaxtyping import Float64, Shaped

from unrandom.auditing.forms.scales import Scale


@dataclass(frozen=True)
class Words:
    """Whole numbers of this many bits."""

    bits: int


@dataclass(frozen=True)
class Range:
    """Whole numbers that were reduced to 0 … size − 1, and fit into this many bits."""

    size: int
    bits: int


@dataclass(frozen=True)
class Cycle:
    """Whole numbers that were reduced to ranges 0 … n − 1 in turn, as the draws of a shuffle, in this many bits."""

    ranges: tuple[int, ...]
    bits: int

    def turned(self, places: int) -> "Cycle":
        """The cycle that begins after this many outputs."""
        at = places % len(self.ranges)
        return replace(self, ranges=self.ranges[at:] + self.ranges[:at])


@dataclass(frozen=True)
class Real:
    """Real numbers, each with a bound on its rounding error, that of a double itself excluded. `printed` are the
    doubles that were printed, if the numbers behind them are not known exactly.
    """

    rounding_error: Float64[np.ndarray, " outputs"]
    printed: Float64[np.ndarray, " outputs"] | None = None


@dataclass(frozen=True)
class Fractions(Real):
    """Fractions from 0 to 1. `scales` lists the conversions from integers that could have produced all of them."""

    scales: tuple[Scale, ...] = ()


@dataclass(frozen=True)
class Normals(Real):
    """Normal deviates."""


Shown: TypeAlias = Words | Range | Cycle | Fractions | Normals


def states_behind(values: Shaped[np.ndarray, " outputs"], shown: Shown, modulus: int) -> list[tuple[int, int]] | None:
    """For each value, the smallest and the largest state x in 0 … modulus − 1 that shows it as the fraction
    x / modulus, or as ⌊N x / modulus⌋. None for words.
    """
    match shown:
        case Words():
            return None
        case Range(size):
            return [_part(y, size, modulus) for y in values.tolist()]
        case Cycle(ranges):
            return [_part(y, n, modulus) for y, n in zip(values.tolist(), cycle(ranges), strict=False)]
        case Fractions(errors) | Normals(errors):
            pairs = zip(values.tolist(), errors.tolist(), strict=True)
            return [_around(value, error, modulus) for value, error in pairs]


def _part(y: int, n: int, modulus: int) -> tuple[int, int]:
    return -(-y * modulus // n), -(-(y + 1) * modulus // n) - 1


def _around(value: float, error: float, modulus: int) -> tuple[int, int]:
    (centre, parts), (tolerance, error_parts) = value.as_integer_ratio(), error.as_integer_ratio()
    common = max(parts, error_parts, 2**54)  # all are powers of two
    centre *= common // parts
    tolerance = tolerance * (common // error_parts) + common // 2**54
    low, high = -((tolerance - centre) * modulus // common), (centre + tolerance) * modulus // common
    return max(0, low), min(modulus - 1, high)
