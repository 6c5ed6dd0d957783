"""Multipliers and increments whose sequences visit every residue: the Hull–Dobell theorem.

The theorem (Hull and Dobell 1962; Knuth, TAOCP vol. 2, 3.2.1.2): x[t+1] = (a x[t] + c) mod m has period m, from every
seed, if and only if gcd(c, m) = 1, every prime factor of m divides a − 1, and 4 divides a − 1 if 4 divides m. So the
full-period multipliers are 1 + k·s for one step s, and the increments are the units modulo m. The paper tests on these.
"""

from collections.abc import Callable, Collection
from math import gcd, prod

import numpy as np
from jaxtyping import Bool, Float, UInt64

from unrandom.core.arithmetic import WORD, PerRow, as_words, divisors, factorize, top_residue, valuation
from unrandom.core.errors import UserError


def has_full_period(a: int, c: int, m: int) -> bool:
    """Whether x -> (a x + c) mod m visits all m residues, for 2 <= m <= 2**64."""
    return gcd(c, m) == 1 and (a - 1) % multiplier_step(m) == 0


def full_period_mask(a: PerRow, c: PerRow, m: PerRow) -> Bool[np.ndarray, " rows"]:
    """`has_full_period`, elementwise with broadcasting; if all are integers, the result has one row."""
    tops, which = np.unique(top_residue(m), return_inverse=True)
    steps = np.array([multiplier_step(int(top) + 1) for top in tops], dtype=np.uint64)[which]
    units = np.gcd(as_words(c, name="c"), steps) == 1  # the step has the primes of m, and fits in uint64 for m = 2**64
    return np.atleast_1d((as_words(a, name="a") % steps == 1) & units)


def multiplier_step(m: int) -> int:
    """The distance s between full-period multipliers: the product of the primes of m, doubled if 4 | m."""
    _check_modulus(m)
    return prod(factorize(m)) * (2 if m % 4 == 0 else 1)


def count_multipliers(m: int) -> int:
    """Number of full-period multipliers: m / s. For square-free m only a = 1."""
    return m // multiplier_step(m)


def count_increments(m: int) -> int:
    """Number of full-period increments: Euler's phi(m)."""
    _check_modulus(m)
    return prod((p - 1) * p ** (e - 1) for p, e in factorize(m).items())


def full_period_multipliers(m: int) -> range:
    """All full-period multipliers, ascending, as a range."""
    return range(1, m, multiplier_step(m))


def multiplier_valuations(a: UInt64[np.ndarray, " rows"], prime: int) -> Float[np.ndarray, " rows"]:
    """v_p(a − 1) of each multiplier, the exponent of p in a − 1; infinite for a = 1."""
    differences = [int(each) - 1 for each in a]
    return np.array([valuation(each, prime) if each else np.inf for each in differences], dtype=float)


def lookback(m: int, a: int) -> int:
    """The period of the differences x[t+1] − x[t] of a full-period sequence: r = m / gcd(m, a − 1).

    Each step multiplies the difference by a, so r is the order of a modulo m. Hence x[t] − x[t−r] is constant, and r is
    the look-back from which x[t] follows (`predictors.lookback`); it is 1 for a = 1. For m ≥ 1, of any size, and
    full-period 1 ≤ a < m (Hull–Dobell); not checked.
    """
    return m // gcd(m, a - 1)


def lookback_counts(m: int) -> dict[int, int]:
    """How many full-period multipliers of m >= 2 have each `lookback` r, by r, ascending: phi(r) for r | m / step."""
    return {r: count_increments(r) if r > 1 else 1 for r in sorted(divisors(count_multipliers(m)))}


def draw_multiples(
    rng: np.random.Generator, count: UInt64[np.ndarray, " rows"], r: UInt64[np.ndarray, " rows"]
) -> UInt64[np.ndarray, " rows"]:
    """For each row a uniform k whose multiplier 1 + k·step has the `lookback` r, a divisor of the ``count`` of
    full-period multipliers."""
    units = draw_units(rng, np.maximum(r, np.uint64(2)))
    return np.where(r > np.uint64(1), count // r * units, np.uint64(0))


def draw_units(rng: np.random.Generator, m: UInt64[np.ndarray, " rows"]) -> UInt64[np.ndarray, " rows"]:
    """For each m ≥ 2, a uniform number of 1 … m − 1 that is coprime to it."""
    drawn = np.zeros_like(m)
    pending = np.arange(len(m))
    while len(pending):
        drawn[pending] = rng.integers(1, m[pending], dtype=np.uint64)
        pending = pending[np.gcd(drawn[pending], m[pending]) > 1]
    return drawn


def sample_distinct(rng: np.random.Generator, n: int, k: int) -> UInt64[np.ndarray, " k"]:
    """k distinct integers of 0 … n − 1, uniform and in random order, for n <= 2**64, in O(k) memory. Raises
    UserError if k > n."""
    if not 0 <= k <= n <= WORD:
        raise UserError(f"{k} distinct numbers cannot be drawn from {n}; 0 <= k <= n <= 2**64 is needed")
    if k > n // 2:
        return rng.permutation(n)[:k].astype(np.uint64)
    return first_distinct(lambda size: draw_below(rng, n, size), k)


def sample_multipliers(
    rng: np.random.Generator, m: int, k: int, exclude: Collection[int] | np.ndarray = ()
) -> UInt64[np.ndarray, " k"]:
    """k distinct full-period multipliers outside `exclude`, uniform and in random order; 2 <= m <= 2**64. Raises
    UserError if there are fewer than k. Memory O(k + exclude)."""
    step, count = multiplier_step(m), count_multipliers(m)
    excluded = {int(a) // step for a in exclude if int(a) in full_period_multipliers(m)}
    _check_supply(m, "multiplier", count, len(excluded), k)
    # Of k + e distinct draws at most e are excluded; the rest are a uniform sample of the allowed ones.
    drawn = sample_distinct(rng, count, k + len(excluded))
    return _without(drawn, excluded)[:k] * np.uint64(step) + np.uint64(1)


def sample_increments(
    rng: np.random.Generator, m: int, k: int, exclude: Collection[int] | np.ndarray = ()
) -> UInt64[np.ndarray, " k"]:
    """k distinct full-period increments outside `exclude`, uniform and in random order; 2 <= m <= 2**64. Raises
    UserError if there are fewer than k. Memory O(k + exclude)."""
    count, primes = count_increments(m), np.uint64(prod(factorize(m)))
    excluded = {int(c) for c in exclude if 0 < int(c) < m and gcd(int(c), m) == 1}
    _check_supply(m, "increment", count, len(excluded), k)

    def allowed(c: UInt64[np.ndarray, " n"]) -> UInt64[np.ndarray, " units"]:
        return _without(c[np.gcd(c, primes) == 1], excluded)

    if k + len(excluded) > count // 2:  # rejection sampling would be slow
        return rng.permutation(allowed(np.arange(m, dtype=np.uint64)))[:k]
    return first_distinct(lambda size: allowed(draw_below(rng, m, size * m // count)), k)


def draw_below(rng: np.random.Generator, n: int, size: int) -> UInt64[np.ndarray, " size"]:
    """Integers of 0 … n − 1, uniform, for n <= 2**64."""
    return rng.integers(0, n - 1, size=size, dtype=np.uint64, endpoint=True)  # 2**64 exceeds uint64


def first_distinct(draw: Callable[[int], np.ndarray], k: int) -> UInt64[np.ndarray, " k"]:
    """The first k distinct values of repeated calls `draw(size)`: a sample without replacement."""
    distinct = np.empty(0, np.uint64)
    while len(distinct) < k:
        drawn = np.concatenate([distinct, draw(2 * (k - len(distinct)))])
        _, first = np.unique(drawn, return_index=True)
        distinct = drawn[np.sort(first)]
    return distinct[:k]


def _without(values: np.ndarray, excluded: set[int]) -> np.ndarray:
    return values[~np.isin(values, np.array(sorted(excluded), dtype=np.uint64))] if excluded else values


def _check_supply(m: int, kind: str, count: int, excluded: int, k: int) -> None:
    if k < 0:
        raise UserError(f"the number of {kind}s must be at least 0, but {k} was given")
    if count - excluded < k:
        exclusion = f", {excluded} of them excluded" if excluded else ""
        plural = "" if count == 1 else "s"
        raise UserError(f"modulus {m} has {count} full-period {kind}{plural}{exclusion}; {k} were requested")


def _check_modulus(m: int) -> None:
    if not 2 <= m <= WORD:
        raise UserError(f"a modulus m must be from 2 to 2**64, but {m} was given")
