"""The kinds of numbers that a stream shows: words, numbers from ranges, fractions, or normal deviates."""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from jaxtyping import Float64

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
