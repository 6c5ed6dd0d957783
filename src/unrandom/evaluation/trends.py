"""How does one quantity go with another? A power law and a rank correlation, each with a bootstrap interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.stats import linregress, rankdata
from scipy.stats import t as student

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

    The interval is the wider one, on either side, of two: Student's for the slope, whose units are the moduli, and the
    bootstrap over the seeds of each modulus. None for fewer than three moduli with a value.
    """
    seeds = {m: np.log(np.asarray(values, dtype=float)) for m, values in sorted(elements.items()) if len(values)}
    if len(seeds) < FEWEST_MODULI:
        return None
    logs, groups = np.log(np.array([float(m) for m in seeds])), list(seeds.values())
    line = linregress(logs, [group.mean() for group in groups])
    reach = float(student.ppf(0.975, len(groups) - 2) * line.stderr)
    rng = stream(0, "power law", len(groups))
    means = np.stack([rng.choice(group, size=(RESAMPLES, len(group))).mean(axis=1) for group in groups])
    centred = logs - logs.mean()
    low, high = np.percentile(centred @ means / (centred @ centred), [2.5, 97.5])
    slope = float(line.slope)
    exponent = Trend(slope, min(slope - reach, float(low)), max(slope + reach, float(high)), len(groups))
    return PowerLaw(exponent, float(np.exp(line.intercept)))


def rank_correlation(
    x: Sequence[float] | Float[np.ndarray, " units"], y: Sequence[float] | Float[np.ndarray, " units"]
) -> Trend | None:
    """Spearman's rank correlation (Spearman 1904), from -1 to 1, resampled over the units; ties share a rank.

    None where all of one are equal.
    """
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(set(first.tolist())) < 2 or len(set(second.tolist())) < 2:
        return None
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
