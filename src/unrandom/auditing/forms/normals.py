"""Which uniform numbers may lie behind normally distributed ones? The streams that numbers with the mean, the variance
and the kurtosis of standard normal deviates may be.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float64

from unrandom.auditing.forms.layers import Affine, BoxMuller, Quantile
from unrandom.auditing.forms.ranges import round_near
from unrandom.auditing.forms.stream import Form, Stream
from unrandom.predictors.normal import ROUNDING, box_muller_inverse, cdf, cdf_error

Values = Float64[np.ndarray, " n"]

FEWEST = 12  # numbers from which on their distribution can be seen
ENOUGH = 200  # numbers from which on mean and deviation are guessed, and some number must be 2 deviations off
ROUND_WITHIN = 3.0  # standard errors within which a mean and a standard deviation are rounded

METHODS = ((True, False), (False, True), (False, False))
"""Of Box and Muller: whether the angle is drawn first, and whether the logarithm is that of the number drawn. Python's
is the first one, that of textbooks the second.
"""

DEVIATIONS = 6.0  # standard errors by which moments may differ from those of the normal distribution


def look_normal(values: Values) -> bool:
    """Whether mean, variance and kurtosis are those of standard normal deviates, up to chance."""
    n = len(values)
    if n < FEWEST or values.min() >= 0 or values.max() <= 0 or np.abs(values).max() > 8:
        return False
    if n >= ENOUGH and np.abs(values).max() < 2:
        return False
    spread = DEVIATIONS / float(n) ** 0.5
    variance, kurtosis = float(np.mean(values**2)), float(np.mean(values**4))
    return (
        abs(float(values.mean())) < spread
        and abs(variance - 1) < spread * 2**0.5
        and (n < 700 or bool(abs(kurtosis / variance**2 - 3) < spread * 24**0.5))
    )


def means_and_deviations(values: Values) -> list[tuple[float, float]]:
    """Means and standard deviations that normal numbers may have: 0 and 1; or round ones, from ENOUGH numbers on, the
    roundest first.
    """
    if look_normal(values):
        return [(0.0, 1.0)]
    if len(values) < ENOUGH:
        return []
    deviation = float(values.std())
    error = ROUND_WITHIN * deviation / float(len(values)) ** 0.5
    means = round_near(float(values.mean()), error)
    pairs = [(mean, scale) for scale in round_near(deviation, error / 2**0.5) for mean in means[:1]]
    return [(mean, scale) for mean, scale in pairs if scale > 0 and look_normal((values - mean) / scale)]


def normal_streams(
    values: Values, rounding_error: Values, form: Form, mean: float = 0.0, deviation: float = 1.0
) -> Iterator[Stream]:
    """The deviates themselves; and the uniform numbers behind them, by the quantile function and by Box and Muller."""
    if (mean, deviation) != (0.0, 1.0):
        form = form.within(Affine(mean, deviation))
        rounding_error = (rounding_error + 2 * np.spacing(np.maximum(np.abs(values), abs(mean)))) / deviation
        values = (values - mean) / deviation
    yield Stream(values, form, 0, rounding_error + np.abs(values) * ROUNDING, normal=True)
    yield Stream(cdf(values), form.within(Quantile()), 0, cdf_error(values, rounding_error))
    pairs = len(values) // 2 * 2
    shape = (pairs // 2, 2)
    uniform, errors = box_muller_inverse(values[:pairs].reshape(shape), rounding_error[:pairs].reshape(shape))
    for angle_first, plain in METHODS:
        numbers = np.stack([uniform[:, 0], 1 - uniform[:, 1] if plain else uniform[:, 1]], axis=1)
        order = slice(None, None, 1 if angle_first else -1)
        inner = form.within(BoxMuller(angle_first, plain))
        yield Stream(numbers[:, order].ravel(), inner, 0, errors[:, order].ravel(), likely=angle_first or plain)
