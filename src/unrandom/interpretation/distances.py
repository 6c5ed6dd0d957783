"""Does a head adapt its look-back to the modulus? The spacing of the keys it weighs most, and what divides it.

The paper's section "Interpretability: Unseen Modulus", step iii, and its appendix (figure attn_stats): the four
strongest keys of a query lie multiples of 4 apart for m = 2048 and multiples of 14 for m = 2352, in one and the same
head; both divide m, so that digits can be copied.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from unrandom.interpretation.attention import strongest_distances

LARGEST_DIVISOR = 32
AS_GOOD = 0.02  # below the largest excess
LEAST_EXCESS = 0.1  # where none is larger, no divisor is preferred


@dataclass(frozen=True)
class KeyDistances:
    """Counts over the strongest keys of the queries from ``start`` on, for each head; index is the distance.

    ``distances`` are those between query and key (the look-back is one more), ``spacings`` those between each of the
    strongest keys and the next earlier one.
    """

    top: int
    start: int
    distances: Int[np.ndarray, "heads tokens"]
    spacings: Int[np.ndarray, "heads tokens"]


@dataclass(frozen=True)
class CommonDivisor:
    """Which r divides the spacings? Excess is (share - 1/r) / (1 - 1/r): 0 for spacings at random, 1 if all are.

    ``preferred`` is the r of the largest excess, and of those within 0.02 of it the largest r, as each divisor of r
    divides as often; 1 if no excess is above 0.1.
    """

    divisors: Int[np.ndarray, " divisors"]
    share: Float[np.ndarray, " divisors"]
    spacings: int  # how many were counted

    @property
    def excess(self) -> Float[np.ndarray, " divisors"]:
        return (self.share - 1 / self.divisors) / (1 - 1 / self.divisors)

    @property
    def preferred(self) -> int:
        best = self.excess.max()
        return int(self.divisors[self.excess >= best - AS_GOOD].max()) if best > LEAST_EXCESS else 1

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "divisors": self.divisors.tolist(),
            "share": np.round(self.share, 6).tolist(),
            "excess": np.round(self.excess, 6).tolist(),
            "preferred": self.preferred,
            "spacings": self.spacings,
        }


@dataclass(frozen=True)
class DivisorAgreement:
    """Whether a head's preferred divisor is one of m for each modulus, and not the same for all."""

    preferred: dict[int, int]  # by modulus
    divides: dict[int, bool]  # that it is more than 1, and divides m
    chance: dict[int, float]  # that an r drawn from 2 … 32 divides m

    @property
    def differs(self) -> bool:
        return len(set(self.preferred.values())) > 1

    @property
    def holds(self) -> bool:
        return all(self.divides.values()) and self.differs

    def to_json(self) -> dict[str, Any]:
        """As JSON values, a row a modulus."""
        rows = [
            {"modulus": m, "preferred": r, "divides": self.divides[m], "chance": round(self.chance[m], 6)}
            for m, r in self.preferred.items()
        ]
        return {"moduli": rows, "differs": self.differs, "holds": self.holds}


def strongest_key_distances(
    pattern: Float[np.ndarray, "batch heads queries queries"], top: int = 4, start: int | None = None
) -> KeyDistances:
    """Distances to, and spacings between, the ``top`` keys that each query weighs most; the nearer key wins a tie.

    Queries from ``start`` on count (None: the last half). Raises ValueError unless each of those sees ``top`` keys,
    at least 2.
    """
    tokens = pattern.shape[-1]
    start = tokens // 2 if start is None else start
    if top < 2 or not top - 1 <= start < tokens:
        raise ValueError(f"top={top}, start={start}: queries {max(top, 2) - 1} to {tokens - 1} see 2 keys or more")
    distances, spacings = (np.zeros((pattern.shape[1], tokens), dtype=np.int64) for _ in range(2))
    for rows in pattern:  # one by one, as sorting takes room
        found = np.sort(strongest_distances(rows, top)[:, start:], axis=-1)
        for head, of_head in enumerate(found):
            distances[head] += np.bincount(of_head.ravel(), minlength=tokens)
            spacings[head] += np.bincount(np.diff(of_head).ravel(), minlength=tokens)
    return KeyDistances(top, start, distances, spacings)


def common_divisor(spacings: Int[np.ndarray, " tokens"], largest: int = LARGEST_DIVISOR) -> CommonDivisor:
    """The share of spacings (given as counts by spacing) that each r = 2 … ``largest`` divides.

    Raises ValueError where nothing was counted, and for ``largest`` < 2.
    """
    total = int(spacings.sum())
    if total == 0 or largest < 2:
        raise ValueError(f"{total} spacings, largest={largest}: at least one spacing and a divisor of 2 are needed")
    divisors = np.arange(2, largest + 1)
    share = np.array([spacings[::r].sum() / total for r in divisors])
    return CommonDivisor(divisors, share, total)


def divisor_agreement(preferred: dict[int, int], largest: int = LARGEST_DIVISOR) -> DivisorAgreement:
    """Whether the preferred divisor of one head, by modulus, adapts to the modulus."""
    chances = {m: sum(m % r == 0 for r in range(2, largest + 1)) / (largest - 1) for m in preferred}
    return DivisorAgreement(dict(preferred), {m: r > 1 and m % r == 0 for m, r in preferred.items()}, chances)
