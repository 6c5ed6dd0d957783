"""Did a claim of the paper hold? A sentence, a number with a threshold, and a verdict that follows from them alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from unrandom.evaluation import Trend
from unrandom.evaluation.bootstrap import bootstrap_mean

Verdict = Literal["reproduced", "not reproduced", "not run"]


@dataclass(frozen=True)
class Claim:
    """A falsifiable sentence about one number, which must be at least (or at most) the threshold."""

    key: str
    sentence: str
    figure: str  # the paper's label
    threshold: float
    at_least: bool = True
    at_laptop: str = ""  # why not, or why it was not judged, at laptop scale: as far as the pictures tell

    @property
    def bound(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.threshold:g}"

    def judge(self, values: "Sequence[float] | Trend") -> "Judgement":
        """Judge from one value for each independent unit (a seed, or an (a, c) pair), or from a fit.

        The claim is reproduced when the whole 95 % interval (of the mean, of the fit) is on the right side of the
        threshold. One unit has no interval, and is judged by its value.
        """
        if isinstance(values, Trend):
            return self._judged(values)
        if not values:
            return Judgement(self, "not run")
        return self._judged(Trend(float(np.mean(values)), *bootstrap_mean(values), len(values)))

    def _judged(self, found: Trend) -> "Judgement":
        worst = found.low if self.at_least else found.high
        holds = worst >= self.threshold if self.at_least else worst <= self.threshold
        interval = (found.low, found.high) if found.units > 1 else None
        return Judgement(self, "reproduced" if holds else "not reproduced", found.value, interval, found.units)


@dataclass(frozen=True)
class Judgement:
    """What was measured for a claim, and whether it held."""

    claim: Claim
    verdict: Verdict
    value: float | None = None
    interval: tuple[float, float] | None = None
    units: int = 0

    def tree(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "claim": self.claim.sentence,
            "figure": self.claim.figure,
            "value": None if self.value is None else round(self.value, 4),
            "interval": None if self.interval is None else [round(end, 4) for end in self.interval],
            "threshold": self.claim.bound,
            "units": self.units,
            "verdict": self.verdict,
        }
