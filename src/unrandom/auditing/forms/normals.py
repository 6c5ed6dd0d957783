"""The uniform numbers that may lie behind normal or exponential ones: behind numbers with the moments of such deviates,
and behind a few numbers, whose distribution cannot be seen, with their sign and size.
"""

from collections.abc import Iterator
from math import log

import numpy as np
from jaxtyping import Float64

from unrandom.auditing.algebra.normal import ROUNDING, box_muller_inverse, cdf, cdf_error, exponential_inverse
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.layers import Affine, BoxMuller, Exponential, Quantile
from unrandom.auditing.forms.ranges import round_near
from unrandom.auditing.forms.shown import Fractions, Normals
from unrandom.auditing.forms.stream import Stream

Values = Float64[np.ndarray, " n"]

FEWEST = 12  # numbers from which on their distribution can be seen
ENOUGH = 200  # numbers from which on mean and deviation are guessed, and some number must be 2 deviations off
ROUND_WITHIN = 3.0  # standard errors within which a mean and a standard deviation are rounded

METHODS = ((True, False), (False, True), (False, False))
"""Of Box and Muller: whether the angle is drawn first, and whether the logarithm is that of the number drawn. Python's
is the first one, that of textbooks the second.
"""

FARTHEST = 8.0  # deviations to which normal numbers go
LARGEST_EXPONENTIAL = 45.0  # greater exponential deviates do not occur with doubles

DEVIATIONS = 6.0  # standard errors by which moments may differ from the normal distribution's


def look_normal(values: Values) -> bool:
    """Whether mean, variance and kurtosis fit standard normal deviates, up to chance."""
    n = len(values)
    if n < FEWEST or values.min() >= 0 or values.max() <= 0 or np.abs(values).max() > FARTHEST:
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


def maybe_normal(values: Values) -> bool:
    """Whether numbers are too few to be told from standard normal deviates, and none is too large."""
    return len(values) < FEWEST and bool(np.abs(values).max() <= FARTHEST)


def look_exponential(values: Values) -> bool:
    """Whether mean and variance fit exponential deviates of mean 1, up to chance.

    Numbers that are too few to tell fit if the greatest is above 1.
    """
    n, greatest = len(values), float(values.max())
    if values.min() < 0 or greatest <= 1 or greatest > LARGEST_EXPONENTIAL:
        return False
    spread = DEVIATIONS / float(n) ** 0.5
    return n < FEWEST or (
        abs(float(values.mean()) - 1) < spread
        and abs(float(np.mean(values**2)) - 2) < spread * 20**0.5
        and greatest > log(n) - 3  # which uniform numbers are not, if they are many
    )


def exponential_means(values: Values) -> list[float]:
    """Means that exponential numbers may have: 1, or round ones, from ENOUGH numbers on."""
    if look_exponential(values):
        return [1.0]
    if len(values) < ENOUGH or values.min() < 0:
        return []
    mean = float(values.mean())
    means = round_near(mean, ROUND_WITHIN * mean / float(len(values)) ** 0.5)
    return [one for one in means if one > 0 and look_exponential(values / one)]


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
    values, rounding_error, form = _standard(values, rounding_error, form, mean, deviation)
    yield Stream(values, form, Normals(rounding_error + np.abs(values) * ROUNDING))
    yield Stream(cdf(values), form.within(Quantile()), Fractions(cdf_error(values, rounding_error)))
    pairs = len(values) // 2 * 2
    shape = (pairs // 2, 2)
    uniform, errors = box_muller_inverse(values[:pairs].reshape(shape), rounding_error[:pairs].reshape(shape))
    for angle_first, plain in METHODS:
        numbers = np.stack([uniform[:, 0], 1 - uniform[:, 1] if plain else uniform[:, 1]], axis=1)
        order = slice(None, None, 1 if angle_first else -1)
        inner = form.within(BoxMuller(angle_first, plain))
        yield Stream(numbers[:, order].ravel(), inner, Fractions(errors[:, order].ravel()), likely=angle_first or plain)


def exponential_streams(
    values: Values, rounding_error: Values, form: Form, start: float = 0.0, mean: float = 1.0
) -> Iterator[Stream]:
    """The uniform numbers behind exponential deviates, or their complements."""
    values, rounding_error, form = _standard(values, rounding_error, form, start, mean)
    numbers, errors = exponential_inverse(values, rounding_error)
    for complement in (True, False):
        inner = form.within(Exponential(complement))
        yield Stream(1 - numbers if complement else numbers, inner, Fractions(errors), likely=len(values) >= FEWEST)


def _standard(
    values: Values, rounding_error: Values, form: Form, start: float, scale: float
) -> tuple[Values, Values, Form]:
    """Deviates x of numbers start + scale · x, with bounds on their errors, and their form."""
    if (start, scale) == (0.0, 1.0):
        return values, rounding_error, form
    moved = rounding_error + 2 * np.spacing(np.maximum(np.abs(values), abs(start)))
    return (values - start) / scale, moved / scale, form.within(Affine(start, scale))
