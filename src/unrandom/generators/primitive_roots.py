"""The multipliers of longest period for a prime m: the primitive roots, with which every seed but one fixed point
has period m − 1 (the paper's test set for prime moduli). The only full-period multiplier is 1."""

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
    """The number of primitive roots of the prime m among 1 … m − 1: φ(m − 1)."""
    return count_increments(m - 1)


def sample_primitive_roots(rng: np.random.Generator, m: int, k: int) -> UInt64[np.ndarray, " k"]:
    """k distinct primitive roots of the prime m, uniform without replacement; UserError if there are fewer."""
    drawn = k
    while True:
        drawn = min(2 * drawn, m - 1)
        values = sample_distinct(rng, m - 1, drawn) + np.uint64(1)
        found = values[primitive_root_mask(values, m)]
        if len(found) >= k:
            return found[:k]
        if drawn == m - 1:
            raise UserError(f"modulus {m} has {len(found)} primitive roots; {k} were requested")
