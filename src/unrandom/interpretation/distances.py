"""Measures how far apart the strongest keys of a head are, by the common divisor of the spacings between them.

The paper's section "Interpretability: Unseen Modulus", step iii, and its appendix (figure attn_stats): the four
strongest keys of a query lie multiples of 4 apart for m = 2048 and multiples of 14 for m = 2352, in one and the same
head; both divide m, so that digits can be copied.

For each candidate divisor r = 2 … 32:

- the *share* is the fraction of spacings that r divides, 0 to 1; 1/r is expected if spacings are random;
- the *excess* is (share - 1/r) / (1 - 1/r): 1 if r divides all spacings, 0 for random ones, negative below chance;
- the *preferred* divisor is the largest r whose excess is within 0.02 of the maximum, or 1 if no excess is above 0.1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from unrandom.interpretation.attention import strongest_distances

LARGEST_DIVISOR = 32
EXCESS_TOLERANCE = 0.02  # an excess this close to the maximum counts as equal to it
MIN_EXCESS = 0.1  # no divisor is preferred unless one has a larger excess


@dataclass(frozen=True)
class KeyDistances:
    """Histograms over the ``top`` strongest keys of each query from ``start`` on; index is the distance or spacing.

    ``distances`` counts distances between query and key (the look-back is one more). ``spacings`` counts distances
    between each of the strongest keys and the next earlier one.
    """

    top: int
    start: int
    distances: Int[np.ndarray, "heads tokens"]
    spacings: Int[np.ndarray, "heads tokens"]


@dataclass(frozen=True)
class CommonDivisor:
    """How often each r divides the spacings. The module docstring defines share, excess and preferred divisor."""

    divisors: Int[np.ndarray, " divisors"]
    share: Float[np.ndarray, " divisors"]
    spacings: int  # number of spacings

    @property
    def excess(self) -> Float[np.ndarray, " divisors"]:
        """(share - 1/r) / (1 - 1/r): 0 for random spacings, 1 if r divides all."""
        return (self.share - 1 / self.divisors) / (1 - 1 / self.divisors)

    @property
    def preferred(self) -> int:
        """The largest r whose excess is about the maximum, because a divisor of r divides at least as often; else 1."""
        best = self.excess.max()
        return int(self.divisors[self.excess >= best - EXCESS_TOLERANCE].max()) if best > MIN_EXCESS else 1

    def to_json(self) -> dict[str, Any]:
        return {
            "divisors": self.divisors.tolist(),
            "share": np.round(self.share, 6).tolist(),
            "excess": np.round(self.excess, 6).tolist(),
            "preferred": self.preferred,
            "spacings": self.spacings,
        }


def strongest_key_distances(
    pattern: Float[np.ndarray, "batch heads queries queries"], top: int = 4, start: int | None = None
) -> KeyDistances:
    """Distances to, and spacings between, the ``top`` strongest keys of each query; the nearer key wins a tie.

    Queries from ``start`` on are counted (None: the second half). Raises ValueError unless top >= 2 and each counted
    query sees at least ``top`` keys.
    """
    tokens = pattern.shape[-1]
    start = tokens // 2 if start is None else start
    if top < 2 or not top - 1 <= start < tokens:
        raise ValueError(f"top={top}, start={start}: top must be at least 2, and start from top - 1 to {tokens - 1}")
    distances, spacings = (np.zeros((pattern.shape[1], tokens), dtype=np.int64) for _ in range(2))
    for rows in pattern:  # one sequence at a time to save memory
        found = np.sort(strongest_distances(rows, top)[:, start:], axis=-1)
        for head, head_distances in enumerate(found):
            distances[head] += np.bincount(head_distances.ravel(), minlength=tokens)
            spacings[head] += np.bincount(np.diff(head_distances).ravel(), minlength=tokens)
    return KeyDistances(top, start, distances, spacings)


def common_divisor(spacings: Int[np.ndarray, " tokens"], largest: int = LARGEST_DIVISOR) -> CommonDivisor:
    """The share of spacings that each r = 2 … ``largest`` divides; ``spacings`` is a histogram, indexed by spacing.
    Raises ValueError for an empty histogram, and for ``largest`` < 2."""
    total = int(spacings.sum())
    if total == 0 or largest < 2:
        raise ValueError(f"{total} spacings, largest={largest}: at least one spacing and largest >= 2 are required")
    divisors = np.arange(2, largest + 1)
    share = np.array([spacings[::r].sum() / total for r in divisors])
    return CommonDivisor(divisors, share, total)
