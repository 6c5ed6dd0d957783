"""Which uniform numbers may lie behind normally distributed ones? The streams that numbers with the mean, the variance
and the kurtosis of standard normal deviates may be.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float64

from unrandom.auditing.layers import BoxMuller, Quantile
from unrandom.auditing.stream import Form, Stream
from unrandom.predictors.normal import ROUNDING, box_muller_inverse, cdf, cdf_error

FEWEST = 12
"""Numbers from which on their distribution can be seen."""

DEVIATIONS = 6.0
"""Standard errors by which moments may differ from those of the normal distribution."""


def look_normal(values: Float64[np.ndarray, " n"]) -> bool:
    """Whether mean, variance and kurtosis are those of standard normal deviates, up to chance."""
    n = len(values)
    if n < FEWEST or values.min() >= 0 or values.max() <= 0 or np.abs(values).max() > 8:
        return False
    spread = DEVIATIONS / float(n) ** 0.5
    variance, kurtosis = float(np.mean(values**2)), float(np.mean(values**4))
    return (
        abs(float(values.mean())) < spread
        and abs(variance - 1) < spread * 2**0.5
        and (n < 700 or bool(abs(kurtosis / variance**2 - 3) < spread * 24**0.5))
    )


def normal_streams(
    values: Float64[np.ndarray, " n"], rounding_error: Float64[np.ndarray, " n"], form: Form
) -> Iterator[Stream]:
    """The deviates themselves; and the uniform numbers behind them, by the quantile function and by Box and Muller."""
    yield Stream(values, form, 0, rounding_error + np.abs(values) * ROUNDING, normal=True)
    yield Stream(cdf(values), form.within(Quantile()), 0, cdf_error(values, rounding_error))
    pairs = len(values) // 2 * 2
    shape = (pairs // 2, 2)
    uniform, errors = box_muller_inverse(values[:pairs].reshape(shape), rounding_error[:pairs].reshape(shape))
    yield Stream(uniform.ravel(), form.within(BoxMuller()), 0, errors.ravel())
