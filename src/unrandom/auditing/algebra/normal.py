"""Recovers the uniform numbers behind normal or exponential ones, by the inverses of the usual transforms.

- By the quantile function: z = Φ⁻¹(u), so u = Φ(z); R's rnorm.
- By Box and Muller (1958): z = cos(2πx) √(−2 ln(1 − y)) and z' = sin(2πx) √(−2 ln(1 − y)); Python's random.gauss.
- By the polar method of Marsaglia and Bray (1964): z = v √(−2 ln s / s) and z' = v' √(−2 ln s / s), where the point
  (v, v') is drawn from the square [−1, 1)² until s = v² + v'² is between 0 and 1; java.util.Random.nextGaussian.

Exponential deviates are x = −ln u or, as u = 0 has no logarithm, −ln(1 − u).

The bounds on errors assume that the deviates are right to a few units in the last place, and hold for |z| below 8.
"""

from math import cos, erfc, exp, log, pi, sin, sqrt
from statistics import NormalDist

import numpy as np
from jaxtyping import Float64

ROUNDING = 2.0**-50  # relative error of a deviate, or of an angle, that a few roundings make


def cdf(z: Float64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
    """Φ(z), the probability of a smaller deviate."""
    return np.array([0.5 * erfc(-one / sqrt(2.0)) for one in z.tolist()])


def quantile(u: float) -> float:
    """Φ⁻¹(u) for 0 < u < 1, by Wichura's algorithm AS 241; infinite at 0 and 1."""
    if not 0.0 < u < 1.0:
        return -np.inf if u <= 0.0 else np.inf
    return NormalDist().inv_cdf(u)


def cdf_error(z: Float64[np.ndarray, " n"], error: Float64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
    """How far Φ(z) may be from the uniform number behind a deviate with this rounding error."""
    density = np.exp(-z * z / 2) / sqrt(2 * pi)
    return density * (error + np.abs(z) * ROUNDING) + 2.0**-51


def box_muller(x: float, y: float) -> tuple[float, float]:
    """Two deviates from uniform numbers x and y < 1."""
    radius = sqrt(-2.0 * log(1.0 - y))
    return cos(2 * pi * x) * radius, sin(2 * pi * x) * radius


def box_muller_inverse(
    z: Float64[np.ndarray, " pairs 2"], error: Float64[np.ndarray, " pairs 2"]
) -> tuple[Float64[np.ndarray, " pairs 2"], Float64[np.ndarray, " pairs 2"]]:
    """The uniform numbers x and y behind pairs of deviates with these rounding errors, and bounds on their errors."""
    radius = np.maximum(np.hypot(z[:, 0], z[:, 1]), 1e-12)
    moved = np.hypot(error[:, 0], error[:, 1]) + radius * ROUNDING
    x = np.arctan2(z[:, 1], z[:, 0]) / (2 * pi) % 1.0
    y = -np.expm1(-radius * radius / 2)
    errors = np.stack([moved / radius / (2 * pi) + 2.0**-51, (1 - y) * radius * moved + 2.0**-51], axis=1)
    return np.stack([x, y], axis=1), errors


def polar(v: float, w: float) -> tuple[float, float] | None:
    """Two deviates from a point of the square [−1, 1)², computed as Java does; None if it is drawn again."""
    s = v * v + w * w
    if s >= 1.0 or s == 0.0:
        return None
    factor = sqrt(-2.0 * log(s) / s)
    return v * factor, w * factor


def polar_inverse(z: float, other: float) -> tuple[float, float]:
    """The point behind two deviates, which are not both 0."""
    square = max(z * z + other * other, 1e-300)  # which is 0 for deviates whose squares no double holds
    factor = sqrt(exp(-square / 2) / square)
    return z * factor, other * factor


def exponential(u: float) -> float:
    """−ln u; infinite at 0."""
    return -log(u) if u > 0.0 else np.inf


def exponential_inverse(
    x: Float64[np.ndarray, " n"], error: Float64[np.ndarray, " n"]
) -> tuple[Float64[np.ndarray, " n"], Float64[np.ndarray, " n"]]:
    """u of x = −ln u with these rounding errors, and bounds on its errors."""
    u = np.exp(-x)
    return u, u * (np.expm1(error) + np.abs(x) * ROUNDING) + 2.0**-51
