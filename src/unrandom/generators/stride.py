"""The share of multipliers that a look-back predicts, with the same distance for every modulus.

Let r = m / gcd(m, a − 1). By the theorem of docs/order.md for order 2, prime by prime, x[n] = 2 x[n − s] − x[n − 2 s]
modulo m holds in every full-period sequence of the multiplier if and only if r divides s².
"""

import numpy as np

from unrandom.generators.full_period import lookback_counts


def share_predicted(moduli: tuple[int, ...], stride: int) -> float:
    """The share of the full-period multipliers other than 1 that this stride predicts, mean over the moduli that have
    any.

    0 if none has any.
    """
    shares = []
    for m in moduli:
        counts = {r: count for r, count in lookback_counts(m).items() if r > 1}
        if counts:
            right = sum(count for r, count in counts.items() if stride**2 % r == 0)
            shares.append(right / sum(counts.values()))
    return float(np.mean(shares)) if shares else 0.0


def best_stride(moduli: tuple[int, ...], context: int) -> int:
    """The stride, at most half of the context, that predicts the largest share of multipliers; the least of equals."""
    return max(range(1, max(1, context // 2) + 1), key=lambda stride: (share_predicted(moduli, stride), -stride))
