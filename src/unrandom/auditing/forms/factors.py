"""The whole numbers that a program multiplied by a constant that is only nearly the inverse of a round number. R's
generators do, and their fractions are off the multiples of 2**-30 and 1 / (2**32 − 1) by a few rounding errors.
"""

from collections.abc import Callable

import numpy as np

from unrandom.auditing.forms.stream import Stream, View

R_FACTORS = ((9.31322574615479e-10, 30), (2.328306437080797e-10, 32))
"""The factors KT and i2_32m1 in R's RNG.c, and the bits of the words that they multiply."""

ROUNDING = 2.0**-51  # relative rounding error of a product and its printed digits, at most


def views(stream: Stream) -> list[View]:
    """The views of a stream, preceded by views with R's factors that explain all the fractions."""
    if stream.rounding_error is None or not len(stream):
        return stream.views
    found = []
    for factor, bits in R_FACTORS:
        numbers = np.rint(stream.values / factor)
        error = np.abs(numbers * factor - stream.values)
        unique = 2 * float(stream.rounding_error.max()) < factor
        if unique and (error <= stream.rounding_error + stream.values * ROUNDING).all():
            found.append(View(numbers.astype(np.uint64).tolist(), bits, _shown(factor), 1 << bits))
    return [*found, *stream.views]


def _shown(factor: float) -> Callable[[int], float]:
    return lambda x: x * factor
