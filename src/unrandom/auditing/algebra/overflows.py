"""Recovers the numbers that an additive generator hides, from the places where its sums overflow, by least squares, a
filter that removes the errors that remain, and rounding.

Let y[i] = p y[i − near] + q y[i − far] + b[i], with signs p and q, known integers b and y[i] from 0 to size[i] − 1. An
example: y are the hidden low parts of the numbers of a lagged Fibonacci generator, and b their carries into the part
that is shown. All unknowns are linear in the first `far` ones, with coefficients that grow: two solutions differ by a
sum of powers z**i of the roots of z**far = p z**(far − near) + q. The part of a root outside the unit circle must be
small in the last numbers, and so is much smaller in the middle; the part of a root inside must be small in the first
ones. So every output reveals log2 of the product of the roots outside the circle, some 0.47 bits, of the hidden ones.

The solution nearest to the middle of the ranges is wrong mainly in the few roots next to the unit circle. There both
z**-near and z**-far have absolute value 1, and p z**-near + q z**-far = 1 makes p z**-near and q z**-far conjugate, so
that their product is 1. The differences y[i] − p q y[i − near − far], taken several times, remove these errors; they
are integers, so that rounding makes them exact. A polynomial modulo a prime recovers y from them.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64, Int64, Shaped

from unrandom.auditing.generators.lagged import LaggedFibonacci

BITS_PER_OUTPUT = 0.466
"""Hidden bits of a state that an output reveals: log2 of the product of the roots outside the unit circle, which tends
to log2 1.381 for long lags (Smyth 1981) and is not less for the short ones in use.
"""

SURPLUS = 1.35  # bits revealed per hidden bit that this method needs, as measured
MAX_SIZE = 1 << 60  # ranges of unknowns are at most so large
PRIME = 2**61 - 1  # the modulus of the last step, which exceeds all unknowns
MAX_DIFFERENCES = 40  # differences are taken at most so often
MAX_ROUNDING = 0.4  # rounding to integers is believed if all numbers are so near to them
ITERATIONS = 8000  # limit of the iterations of conjugate gradients, which need one or two thousand for 100,000 numbers


def outputs_needed(far: int, hidden_bits: float) -> int:
    """About how many outputs determine `far` numbers with this many hidden bits each, as measured."""
    return round(far * (SURPLUS * hidden_bits / BITS_PER_OUTPUT + 3))


def hidden_numbers(rule: LaggedFibonacci, excess: Sequence[int], sizes: Sequence[int]) -> list[int] | None:
    """All y[i] from 0 to sizes[i] − 1 with y[i] = ± y[i − near] ± y[i − far] + excess[i − far], for i >= far. The lags
    and signs come from `rule`; its modulus does not matter. Sizes and excess must be below 2**60.

    None if such numbers do not exist, if a size is greater, or if there are too few numbers to determine them.
    """
    if len(sizes) < 4 * rule.far or max(sizes) > MAX_SIZE or max(map(abs, excess)) > MAX_SIZE:
        return None
    middle = np.array([size // 2 for size in sizes])
    b = np.array(excess)
    nearest = np.rint(middle + _least_change(rule, _violation(rule, middle, b))).astype(np.int64)
    rest = _least_change(rule, _violation(rule, nearest, b))  # what rounding and floating point left
    step, sign = rule.near + rule.far, rule.near_sign * rule.far_sign
    for times in range(min(MAX_DIFFERENCES, (len(sizes) - 3 * rule.far) // step) + 1):
        start = (len(rest) - 3 * rule.far) // 2
        window = rest[start : start + 3 * rule.far]
        if np.abs(window - np.rint(window)).max() < MAX_ROUNDING:
            whole = np.rint(window[: rule.far]).astype(np.int64).tolist()
            first = _undo_differences(rule, times, nearest[start:].tolist(), whole, b[start:].tolist())
            found = _continued(rule, start, first, excess, sizes)
            if found is not None:
                return found
        rest = rest[step:] - sign * rest[:-step]
    return None


def residuals(rule: LaggedFibonacci, x: Shaped[np.ndarray, " n"]) -> Shaped[np.ndarray, " m"]:
    """x[i] ∓ x[i − near] ∓ x[i − far] for i >= far, not reduced by a modulus."""
    near, far = rule.near, rule.far
    if len(x) < far:
        return x[:0]
    return x[far:] - rule.near_sign * x[far - near : len(x) - near] - rule.far_sign * x[: len(x) - far]


def _violation(
    rule: LaggedFibonacci, y: Int64[np.ndarray, " n"], excess: Int64[np.ndarray, " m"]
) -> Float64[np.ndarray, " m"]:
    """How much each number is less than the recurrence demands."""
    return (excess - residuals(rule, y)).astype(np.float64)


def _transposed(rule: LaggedFibonacci, x: Float64[np.ndarray, " m"]) -> Float64[np.ndarray, " n"]:
    """The transpose of `residuals`."""
    near, far = rule.near, rule.far
    y = np.zeros(len(x) + far)
    y[far:] += x
    y[far - near : len(y) - near] -= rule.near_sign * x
    y[: len(y) - far] -= rule.far_sign * x
    return y


def _least_change(rule: LaggedFibonacci, violation: Float64[np.ndarray, " m"]) -> Float64[np.ndarray, " n"]:
    """The shortest vector that, added to the numbers, makes them obey the recurrence, by conjugate gradients."""
    from scipy.sparse.linalg import LinearOperator, cg  # imported on use: it is not needed for other audits

    def normal(x: Float64[np.ndarray, " m"]) -> Float64[np.ndarray, " m"]:
        return residuals(rule, _transposed(rule, x))

    square = LinearOperator((len(violation), len(violation)), matvec=normal, dtype=np.float64)
    weights, _ = cg(square, violation, rtol=1e-15, maxiter=ITERATIONS)
    return _transposed(rule, weights)


def _undo_differences(
    rule: LaggedFibonacci, times: int, nearest: list[int], rest: list[int], excess: list[int]
) -> list[int]:
    """The first `far` numbers modulo PRIME, given their differences, which are `rest` more than those of `nearest`.

    Without the numbers that follow from zeros by the recurrence, the sequence is homogeneous: a difference multiplies
    it by the polynomial z**(near + far) ∓ 1 modulo the characteristic one.
    """
    near, far, sign = rule.near, rule.far, rule.near_sign * rule.far_sign
    step = near + far
    particular = [0] * far
    for i in range(times * step):
        particular.append((_sum(rule, particular) + excess[i]) % PRIME)
    known = [x - y for x, y in zip(nearest, particular, strict=False)]
    for _ in range(times):
        known = [x - sign * y for x, y in zip(known[step:], known, strict=False)]
    known = [(x + y) % PRIME for x, y in zip(known, rest, strict=True)]
    for _ in range(far):
        known.append(_sum(rule, known) % PRIME)
    inverse = _inverse(rule, times)
    return [sum(c * x for c, x in zip(inverse, known[i:], strict=False)) % PRIME for i in range(far)]


def _inverse(rule: LaggedFibonacci, times: int) -> list[int]:
    """The inverse of (z**(near + far) ∓ 1)**times modulo the characteristic polynomial and PRIME, lowest first."""
    from flint import fmpz_mod_poly_ctx

    near, far = rule.near, rule.far
    context = fmpz_mod_poly_ctx(PRIME)
    characteristic = [0] * far + [1]
    characteristic[far - near] -= rule.near_sign
    characteristic[0] -= rule.far_sign
    modulus = context(characteristic)
    difference = context([-rule.near_sign * rule.far_sign, *[0] * (near + far - 1), 1])
    return [int(c) for c in difference.pow_mod(times, modulus).inverse_mod(modulus).coeffs()]


def _continued(
    rule: LaggedFibonacci, start: int, first: list[int], excess: Sequence[int], sizes: Sequence[int]
) -> list[int] | None:
    """All numbers, given those from index `start` on; None if one is out of its range."""
    near, far = rule.near, rule.far
    y = [0] * start + first
    if not all(0 <= x < size for x, size in zip(first, sizes[start:], strict=False)):
        return None
    for i in range(start + far, len(sizes)):
        y.append(_sum(rule, y) + excess[i - far])
        if not 0 <= y[i] < sizes[i]:
            return None
    for i in range(start - 1, -1, -1):
        y[i] = rule.far_sign * (y[i + far] - excess[i] - rule.near_sign * y[i + far - near])
        if not 0 <= y[i] < sizes[i]:
            return None
    return y


def _sum(rule: LaggedFibonacci, window: Sequence[int]) -> int:
    return rule.near_sign * window[-rule.near] + rule.far_sign * window[-rule.far]
