"""The digits of a number modulo m: its residues modulo the prime powers of m, each written in base p.

This is the residue number system of the paper (equation period_m_composite): for m = ∏ p**e a number of 0 … m − 1
corresponds to its residues modulo the prime powers, x mod p**e = α_0 + α_1 p + … + α_(e−1) p**(e−1). Along a
full-period sequence digit α_w has period p**(w+1), and along every r-th element p**(w+1) / gcd(r, p**(w+1)): digits
are counted from w = 0 here, from 1 in the paper's text. Factorisations of m into other coprime powers are allowed, too.
"""

from collections.abc import Mapping
from itertools import combinations
from math import gcd, prod
from typing import NamedTuple

import numpy as np
from jaxtyping import Shaped, UInt64

from unrandom.core.arithmetic import HALF_WORD, WORD, Integers, as_words, factorize, top_residue
from unrandom.core.errors import UserError

Factorization = Mapping[int, int]
"""Exponents by base: pairwise coprime bases, usually the primes of m, whose powers multiply to m."""


class Digit(NamedTuple):
    """The coefficient of prime**power, power >= 0, in x modulo a power of prime."""

    prime: int
    power: int

    def __str__(self) -> str:
        return f"{self.prime}^{self.power}"


def digits_of(m: int, factorization: Factorization | None = None) -> list[Digit]:
    """The digits modulo 2 <= m <= 2**64 sorted by prime, then power.

    UserError if the bases of `factorization` are not pairwise coprime or their product is not m.
    """
    top_residue(m)
    if factorization is None:
        factorization = factorize(m)
    bases = sorted(factorization)
    if min(bases, default=0) < 2 or min(factorization.values()) < 1:
        raise UserError(f"a factorisation needs bases >= 2 and exponents >= 1, but is {dict(factorization)}")
    if prod(p**e for p, e in factorization.items()) != m:
        raise UserError(f"the factorisation {dict(factorization)} does not multiply to {m}")
    if any(gcd(p, q) > 1 for p, q in combinations(bases, 2)):
        raise UserError(f"the bases of a factorisation must be pairwise coprime, but are {bases}")
    return [Digit(p, w) for p in bases for w in range(factorization[p])]


def digit_period(digit: Digit) -> int:
    """The period of a digit along a full-period sequence, p**(w+1)."""
    return digit.prime ** (digit.power + 1)


def to_digits(x: Integers, m: int, factorization: Factorization | None = None) -> UInt64[np.ndarray, "*shape digits"]:
    """The digits of numbers 0 <= x < m (else UserError), in the order of `digits_of`, on a new last axis.

    Digit α_w of base p is ⌊x / p**w⌋ mod p, so uint64 is exact for every 2 <= m <= 2**64.
    """
    digits = digits_of(m, factorization)
    numbers = as_words(x, name="x")
    if numbers.size and numbers.max() > top_residue(m):
        raise UserError(f"x must be from 0 to m - 1, but {numbers.max()} was given for m = {m}")
    columns = []
    for p, w in digits:
        quotients = numbers // np.uint64(p**w)
        columns.append(quotients % np.uint64(p) if p < WORD else quotients)
    return np.stack(columns, axis=-1)


def from_digits(
    digits: Shaped[np.ndarray, "*shape digits"], m: int, factorization: Factorization | None = None
) -> UInt64[np.ndarray, "*shape"]:
    """The numbers with these digits: the exact inverse of `to_digits`.

    UserError unless the last axis has one digit 0 … p − 1 for each of `digits_of`.
    """
    places = digits_of(m, factorization)
    values = as_words(digits, name="digits")
    if values.shape[-1:] != (len(places),):
        raise UserError(f"a number modulo {m} has {len(places)} digits, but the shape is {list(values.shape)}")
    too_big = [place for i, place in enumerate(places) if np.any(values[..., i] > np.uint64(place.prime - 1))]
    if too_big:
        raise UserError(f"the digit {too_big[0]} must be from 0 to {too_big[0].prime - 1}")
    one_base = len({p for p, _ in places}) == 1
    dtype, exact = (np.uint64, np.uint64) if one_base or m <= HALF_WORD else (object, int)
    total = np.zeros(values.shape[:-1], dtype)
    moduli = {p: p ** (w + 1) for p, w in places}  # the highest digit of a base comes last
    for i, (p, w) in enumerate(places):
        others = m // moduli[p]
        # p**w times (1 modulo this base's part of m, 0 modulo the others)
        weight = p**w * others * pow(others, -1, moduli[p]) % m
        total = total + values[..., i].astype(dtype) * exact(weight)
        if not one_base:  # A sum over a single base is below m already.
            total = total % exact(m)
    return np.asarray(total, dtype=np.uint64)
