"""How sure is a mean over units that are independent, when what lies within a unit is not?"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from unrandom.core.seeds import stream

RESAMPLES = 2000


def bootstrap_mean(values: Sequence[float] | Float[np.ndarray, " units"]) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean over independent units (Efron 1979); always the same draws."""
    return bootstrap_group_mean([values])


def bootstrap_group_mean(groups: Sequence[Sequence[float] | Float[np.ndarray, " _"]]) -> tuple[float, float]:
    """The same for the mean of the groups' means: units are drawn again within each group."""
    means = np.zeros(RESAMPLES)
    for index, values in enumerate(groups):
        units = np.asarray(values, dtype=float)
        names = ("bootstrap", len(units), index) if index else ("bootstrap", len(units))
        picks = stream(0, *names).integers(len(units), size=(RESAMPLES, len(units)))
        means += units[picks].mean(axis=1) / len(groups)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
