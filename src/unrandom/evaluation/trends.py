"""How does one quantity go with another? A power law and a rank correlation, each with a bootstrap interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.stats import rankdata

from unrandom.core.seeds import stream
from unrandom.evaluation.bootstrap import RESAMPLES

FEWEST_MODULI = 3  # two points lie on a line, whatever they say


@dataclass(frozen=True)
class Trend:
    """An estimate with its 95 % bootstrap interval, and how many units it rests on."""

    value: float
    low: float
    high: float
    units: int


@dataclass(frozen=True)
class PowerLaw:
    """elements = factor · m^exponent, by least squares on logarithms."""

    exponent: Trend
    factor: float

    def at(self, m: float) -> float:
        return self.factor * m**self.exponent.value


def power_law(elements: Mapping[int, Sequence[float]]) -> PowerLaw | None:
    """The fit to the mean logarithm of the elements at each modulus, one value a seed.

    The interval is from resampling moduli, and seeds within each. None for fewer than three moduli with a value.
    """
    seeds = {m: np.log(np.asarray(values, dtype=float)) for m, values in sorted(elements.items()) if len(values)}
    if len(seeds) < FEWEST_MODULI:
        return None
    logs, groups = np.log(np.array([float(m) for m in seeds])), list(seeds.values())
    slope, level = np.polyfit(logs, [group.mean() for group in groups], 1)
    rng = stream(0, "power law", len(groups))
    slopes: list[float] = []
    while len(slopes) < RESAMPLES:
        picked = rng.integers(len(groups), size=len(groups))
        if len(set(picked.tolist())) < FEWEST_MODULI:
            continue
        means = [rng.choice(groups[i], size=len(groups[i])).mean() for i in picked]
        slopes.append(float(np.polyfit(logs[picked], means, 1)[0]))
    low, high = np.percentile(slopes, [2.5, 97.5])
    return PowerLaw(Trend(float(slope), float(low), float(high), len(groups)), float(np.exp(level)))


def rank_correlation(
    x: Sequence[float] | Float[np.ndarray, " units"], y: Sequence[float] | Float[np.ndarray, " units"]
) -> Trend:
    """Spearman's rank correlation (Spearman 1904), from -1 to 1, resampled over the units; ties share a rank."""
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    picks = stream(0, "rank correlation", len(first)).integers(len(first), size=(RESAMPLES, len(first)))
    low, high = np.nanpercentile(_of_ranks(first[picks], second[picks]), [2.5, 97.5])
    return Trend(float(_of_ranks(first[None], second[None])[0]), float(low), float(high), len(first))


def _of_ranks(x: Float[np.ndarray, "rows units"], y: Float[np.ndarray, "rows units"]) -> Float[np.ndarray, " rows"]:
    ranks = [rankdata(values, axis=1) for values in (x, y)]
    centred = [rank - rank.mean(axis=1, keepdims=True) for rank in ranks]
    with np.errstate(invalid="ignore"):
        return np.asarray(
            (centred[0] * centred[1]).sum(axis=1)
            / np.sqrt((centred[0] ** 2).sum(axis=1) * (centred[1] ** 2).sum(axis=1))
        )
