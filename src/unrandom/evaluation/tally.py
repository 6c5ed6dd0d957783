"""Stores an accuracy as counts, which are added over batches and ranks and divided once, at the end."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Integer

Z_95 = 1.959963984540054  # the normal quantile of a two-sided 95 % interval


@dataclass(frozen=True)
class Tally:
    """Correct predictions out of a total: one count, or an array of counts (for example by position)."""

    correct: Integer[np.ndarray, "..."]
    total: Integer[np.ndarray, "..."]

    @classmethod
    def of(cls, correct: Bool[np.ndarray, "..."], axis: int | None = None) -> "Tally":
        """Count along one axis, or over all elements."""
        total = correct.size if axis is None else correct.shape[axis]
        count = np.asarray(correct.sum(axis=axis))
        return cls(count, np.full(count.shape, total))

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(np.asarray(self.correct + other.correct), np.asarray(self.total + other.total))

    @property
    def value(self) -> Float[np.ndarray, "..."]:
        """The accuracy; NaN for a total of 0."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.true_divide(self.correct, self.total))

    def interval(self) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "..."]]:
        """The 95 % Wilson score interval (Wilson 1927): binomial, so the trials must be independent."""
        n, p = np.asarray(self.total, dtype=float), self.value
        with np.errstate(invalid="ignore", divide="ignore"):
            centre = (p + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
            half_width = Z_95 / (1 + Z_95**2 / n) * np.sqrt(p * (1 - p) / n + Z_95**2 / (4 * n**2))
        return np.asarray(np.clip(centre - half_width, 0, 1)), np.asarray(np.clip(centre + half_width, 0, 1))

    def to_json(self) -> dict[str, Any]:
        """As JSON values: value, low, high, correct, total; numbers or lists, None for a total of 0."""
        low, high = self.interval()
        shares = {"value": self.value, "low": low, "high": high}
        return {
            **{
                name: np.where(np.isnan(share), np.array(None), np.round(share, 6)).tolist()
                for name, share in shares.items()
            },
            "correct": self.correct.tolist(),
            "total": self.total.tolist(),
        }
