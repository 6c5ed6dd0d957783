"""The period of an LCG sequence in closed form, for any parameters m, a, c and x0.

It is the exact period of x[t+1] = (a x[t] + c) mod m from x0; if gcd(a, m) > 1 there may be a tail before the cycle. By
the Chinese remainder theorem it is the least common multiple of the periods modulo the prime powers q = p**E of m.
Since x[t] − x[0] = d·(1 + a + … + a**(t−1)) with d = (a − 1) x0 + c, the period modulo q is the least t for which
p**e = q / gcd(d, q) divides the sum (Knuth, TAOCP vol. 2, 3.2.1.2). That is, with p**v(n) for the power of p in n,

    1                              if p | a: the sequence ends in a fixed point
    2**max(1, e − v(a + 1) + 1)    if p = 2, 4 | a + 1 and e >= 1
    p**e                           if p | a − 1 otherwise, as in Hull–Dobell
    o·p**max(0, e − v(a**o − 1))   else, the order of a modulo p**e, with o = ord(a mod p)
"""

from collections import defaultdict
from math import gcd, lcm
from typing import TypeAlias

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import HALF_WORD, WORD, PerRow, as_residues, factorize, multiplicative_order, power_mod

Words: TypeAlias = UInt64[np.ndarray, " rows"]

ONE = np.uint64(1)


def period(m: int, a: int, c: int, x0: int) -> int:
    """The length of the cycle of x -> (a x + c) mod m that x0 leads to; a tail before it is not counted.

    2 <= m <= 2**64 and 0 <= a, c, x0 < m, else UserError.
    """
    as_residues(m, a=a, c=c, x0=x0)
    return lcm(*(_prime_power_period(p, e, a, (a - 1) * x0 + c) for p, e in factorize(m).items()))


def _prime_power_period(p: int, exponent: int, a: int, difference: int) -> int:
    q = p**exponent // gcd(p**exponent, difference)
    if a % p == 0 or q == 1:
        return 1
    if a % p != 1:
        return multiplicative_order(a, q)
    if p == 2 and a % 4 == 3:
        return max(2, 2 * q // gcd(q, a + 1))
    return q


def periods(m: PerRow, a: PerRow, c: PerRow, x0: PerRow) -> Words:
    """`period`, elementwise with broadcasting; if all are integers, the result has one row.

    Works on whole arrays if every m <= 2**32, and row by row otherwise. A period of 2**64 is returned as
    2**64 − 1, the largest uint64 (no true period has that value).
    """
    top, a, c, x0 = as_residues(m, a=a, c=c, x0=x0)
    if top.size and top.max() >= HALF_WORD:
        found = [period(int(t) + 1, int(u), int(v), int(w)) for t, u, v, w in zip(top, a, c, x0, strict=True)]
        return np.array([min(p, WORD - 1) for p in found], dtype=np.uint64)
    tops, which = np.unique(top, return_inverse=True)
    moduli_with = defaultdict(list)  # prime power -> indices of the moduli with exactly this power of the prime
    for index, t in enumerate(tops):
        for prime_power in factorize(int(t) + 1).items():
            moduli_with[prime_power].append(index)
    result = np.ones(len(top), np.uint64)
    for (p, exponent), moduli in moduli_with.items():
        chosen = np.zeros(len(tops), dtype=bool)
        chosen[moduli] = True
        rows = np.flatnonzero(chosen[which])
        result[rows] = np.lcm(result[rows], _prime_power_periods(p, exponent, a[rows], c[rows], x0[rows]))
    return result


def _prime_power_periods(p: int, exponent: int, a: Words, c: Words, x0: Words) -> Words:
    """The formula of the module docstring for one q = p**exponent <= 2**32 and many (a, c, x0)."""
    powers = np.array([p**i for i in range(exponent + 1)], dtype=np.uint64)
    q = powers[-1]
    a, residue = a % q, a % powers[1]
    difference = ((a + (q - ONE)) % q * (x0 % q) + c % q) % q
    e = exponent - _valuation(difference, powers)
    result = powers[e]
    if p == 2:
        is_3_mod_4 = (a % np.uint64(4) == 3) & (e > 0)
        result[is_3_mod_4] = powers[np.maximum(1, e[is_3_mod_4] - _valuation(a[is_3_mod_4] + ONE, powers) + 1)]
    else:
        unit_not_1 = (residue > 1) & (e > 0)
        orders = _orders(residue[unit_not_1], p)
        lifted = _valuation(power_mod(a[unit_not_1], orders, int(q)) - ONE, powers)  # a**o ≡ 1 mod p, so never negative
        result[unit_not_1] = orders * powers[np.maximum(0, e[unit_not_1] - lifted)]
    result[residue == 0] = 1
    return result


def _valuation(n: Words, powers: UInt64[np.ndarray, " exponents"]) -> np.ndarray:
    """How many of p, p**2, …, p**E divide n: all of them for n = 0."""
    return sum(((n % q == 0).astype(np.int64) for q in powers[1:]), start=np.zeros(len(n), np.int64))


def _orders(a: Words, p: int) -> Words:
    """The multiplicative orders of units modulo a prime p: the product of their prime powers q**j, with q | p − 1."""
    order = np.ones(len(a), np.uint64)
    for q, k in factorize(p - 1).items():
        root = power_mod(a, (p - 1) // q**k, p)  # the order of root is q**j with j <= k
        for _ in range(k):
            order[root != 1] *= np.uint64(q)
            root = power_mod(root, q, p)
    return order
