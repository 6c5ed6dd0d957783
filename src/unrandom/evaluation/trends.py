"""How do the numbers needed grow with the modulus? A power law with an interval for its exponent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from unrandom.evaluation.intervals import FEWEST_UNITS, Estimate, over_units, students_quantile

FEWEST_MODULI = 3  # two points lie on a line, whatever they say

Logs = Float[np.ndarray, " moduli"]


@dataclass(frozen=True)
class PowerLaw:
    """context = factor · m^exponent, by least squares on logarithms."""

    exponent: Estimate
    factor: float

    def at(self, m: float) -> float:
        return self.factor * m**self.exponent.value


def power_law(context: Mapping[int, Sequence[float]]) -> PowerLaw | None:
    """The fit to the mean logarithm of the elements at each modulus, one value a seed, in the order of the seeds.

    The interval holds two of Student's: that of the regression, whose units are the moduli, and, where every modulus
    has the same three seeds or more, that of the slopes of single seeds. None for fewer than three moduli.
    """
    seeds = {m: np.log(np.asarray(values, dtype=float)) for m, values in sorted(context.items()) if len(values)}
    if len(seeds) < FEWEST_MODULI:
        return None
    logs, groups = np.log(np.array([float(m) for m in seeds])), list(seeds.values())
    means = np.array([group.mean() for group in groups])
    slope, intercept, error = _least_squares(logs, means)
    reach = students_quantile(len(logs) - 2) * error
    low, high, kind = slope - reach, slope + reach, f"Student's t of the slope over {len(logs)} moduli"
    if len({len(group) for group in groups}) == 1 and len(groups[0]) >= FEWEST_UNITS:
        each = over_units([_least_squares(logs, values)[0] for values in np.stack(groups, axis=1)])
        assert each.low is not None, "there are several seeds"
        assert each.high is not None, "there are several seeds"
        low, high, kind = min(low, each.low), max(high, each.high), f"{kind} and {each.units} seeds, the wider"
    return PowerLaw(Estimate(slope, low, high, len(logs), kind), float(np.exp(intercept)))


def _least_squares(x: Logs, y: Logs) -> tuple[float, float, float]:
    """The slope, the intercept and the standard error of the slope of a straight line."""
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    left = y - y.mean() - slope * centred
    error = float(np.sqrt(left @ left / (len(x) - 2) / (centred @ centred)))
    return slope, float(y.mean() - slope * x.mean()), error
