"""How sure is a mean over units that are independent, when what lies within a unit is not?"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from unrandom.core.seeds import stream

RESAMPLES = 2000


def bootstrap_mean(values: Sequence[float] | Float[np.ndarray, " units"]) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean over independent units (Efron 1979); always the same draws."""
    units = np.asarray(values, dtype=float)
    picks = stream(0, "bootstrap", len(units)).integers(len(units), size=(RESAMPLES, len(units)))
    low, high = np.percentile(units[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
