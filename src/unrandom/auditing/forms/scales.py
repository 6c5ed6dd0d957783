"""Finds the integers that may lie behind fractions, by matching these with x / divisor for common divisors."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

MANTISSA = 53  # significant bits of a double; its relative rounding error is at most 2**-53

DIVISORS = (2**15, 2**16, 2**24, 2**31, 2**32, 2**48, 2**15 - 1, 2**31 - 1, 2**32 - 1)
"""Common divisors by which programs make fractions: powers of two, and largest outputs (such as C's RAND_MAX)."""


@dataclass(frozen=True)
class Scale:
    """Fractions computed as x / divisor, or as x · (1 / divisor), which may round differently."""

    divisor: int
    by_product: bool = False

    def show(self, x: int) -> float:
        x = min(x, 2 * self.divisor)  # a wrong candidate of a large modulus may have more than a double holds
        return x * (1.0 / self.divisor) if self.by_product else x / self.divisor


def scales(
    values: Float64[np.ndarray, " outputs"], rounding_error: Float64[np.ndarray, " outputs"]
) -> tuple[Scale, ...]:
    """The divisors for which every fraction is x / divisor with a unique integer x."""
    exact = not rounding_error.any()
    powers = [2**e for e in range(1, MANTISSA + 1) if exact and not (values * 2.0**e % 1.0).any()]
    found = [Scale(power) for power in powers[:1]]
    for divisor in DIVISORS:
        not_power_of_two = divisor & (divisor - 1)
        if (exact and not not_power_of_two) or 2 * float(rounding_error.max(initial=0.0)) * divisor >= 1:
            continue
        whole = np.rint(values * float(divisor))
        tolerance = rounding_error if exact else rounding_error + values * 2.0**-MANTISSA
        if (np.abs(whole / divisor - values) <= tolerance).all():
            found.append(Scale(divisor))
        elif not_power_of_two and (np.abs(whole * (1.0 / divisor) - values) <= tolerance).all():
            found.append(Scale(divisor, by_product=True))
    if exact and not found and not (values * 2.0**64 % 1.0).any():  # 64-bit integers rounded to a double
        found.append(Scale(2**64))
    return tuple(found)
