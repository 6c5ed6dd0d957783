"""Which multipliers give a prime modulus its longest sequences? Those of multiplicative order m − 1.

A prime m has the one full-period multiplier 1. With a primitive root as multiplier every seed but one fixed point has
period m − 1, so such test sequences are as long as can be, and equally long (the paper's test set for prime moduli).
"""

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.core.arithmetic import factorize, is_prime, power_mod
from unrandom.core.errors import UserError
from unrandom.generators.full_period import count_increments, sample_distinct


def primitive_root_mask(a: UInt64[np.ndarray, " values"], m: int) -> Bool[np.ndarray, " values"]:
    """Whether each a has order m − 1 modulo the prime m <= 2**32: a^((m−1)/q) ≠ 1 for every prime q of m − 1."""
    if m > 2**32 or not is_prime(m):
        raise UserError(f"primitive-root multipliers need a prime modulus up to 2^32; {m} was given")
    roots = a % np.uint64(m) != 0
    for prime in factorize(m - 1):
        roots &= power_mod(a, (m - 1) // prime, m) != 1
    return roots


def count_primitive_roots(m: int) -> int:
    """How many multipliers from 1 to m − 1 are primitive roots of the prime m: those of order m − 1 are φ(m − 1)."""
    return count_increments(m - 1)


def sample_primitive_roots(rng: np.random.Generator, m: int, k: int) -> UInt64[np.ndarray, " k"]:
    """k distinct primitive roots of the prime m, uniform without replacement; UserError when there are fewer."""
    tried = k
    while True:
        tried = min(2 * tried, m - 1)
        values = sample_distinct(rng, m - 1, tried) + np.uint64(1)
        found = values[primitive_root_mask(values, m)]
        if len(found) >= k:
            return found[:k]
        if tried == m - 1:
            raise UserError(f"modulus {m} has {len(found)} primitive roots; {k} were asked for")
