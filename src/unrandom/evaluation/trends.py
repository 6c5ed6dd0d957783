"""Fits a power law to the growth of the context needed with the modulus, with an interval for its exponent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from unrandom.evaluation.intervals import FEWEST_UNITS, Estimate, over_units, students_quantile

FEWEST_MODULI = 3  # a line fits any two points

Logs = Float[np.ndarray, " moduli"]


@dataclass(frozen=True)
class PowerLaw:
    """context = factor · m^exponent, by least squares on logarithms."""

    exponent: Estimate
    factor: float

    def at(self, m: float) -> float:
        return self.factor * m**self.exponent.value


def power_law(context: Mapping[int, Sequence[float]]) -> PowerLaw | None:
    """The fit to the mean logarithm of the context needed at each modulus, given one value per seed, ordered by seed.

    The interval covers two Student's t intervals: of the regression, whose units are the moduli, and, if every modulus
    has the same three or more seeds, of the slopes of single seeds. None for fewer than three moduli.
    """
    seeds = {m: np.log(np.asarray(values, dtype=float)) for m, values in sorted(context.items()) if len(values)}
    if len(seeds) < FEWEST_MODULI:
        return None
    logs, groups = np.log(np.array([float(m) for m in seeds])), list(seeds.values())
    means = np.array([group.mean() for group in groups])
    slope, intercept, error = _least_squares(logs, means)
    half_width = students_quantile(len(logs) - 2) * error
    low, high, kind = slope - half_width, slope + half_width, f"Student's t of the slope over {len(logs)} moduli"
    if len({len(group) for group in groups}) == 1 and len(groups[0]) >= FEWEST_UNITS:
        per_seed = over_units([_least_squares(logs, values)[0] for values in np.stack(groups, axis=1)])
        assert per_seed.low is not None, "there are at least three seeds"
        assert per_seed.high is not None, "there are at least three seeds"
        low, high, kind = (
            min(low, per_seed.low),
            max(high, per_seed.high),
            f"{kind} and {per_seed.units} seeds, the wider",
        )
    return PowerLaw(Estimate(slope, low, high, len(logs), kind), float(np.exp(intercept)))


def _least_squares(x: Logs, y: Logs) -> tuple[float, float, float]:
    """Slope, intercept and standard error of the slope of a straight-line fit."""
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    residual = y - y.mean() - slope * centred
    error = float(np.sqrt(residual @ residual / (len(x) - 2) / (centred @ centred)))
    return slope, float(y.mean() - slope * x.mean()), error
