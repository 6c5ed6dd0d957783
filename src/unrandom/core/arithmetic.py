"""Exact arithmetic of whole numbers up to 2**64, and the checks by which a user's numbers become uint64 words."""

from collections.abc import Sequence
from functools import cache, lru_cache
from math import gcd, prod
from typing import TypeAlias

import numpy as np
from jaxtyping import Shaped, UInt64

from unrandom.core.errors import UserError

WORD = 2**64  # one more than the greatest uint64
HALF_WORD = 2**32  # the greatest modulus m for which a x + c <= m (m - 1) fits a uint64

Integers: TypeAlias = int | np.integer | Shaped[np.ndarray, "..."] | Sequence[int]
"""Whole numbers, one or several, in any type that represents them exactly."""

PerRow: TypeAlias = int | np.integer | Shaped[np.ndarray, " #rows"]
"""One whole number for all rows, or one per row; an object array where uint64 is too small."""


def factorize(n: int) -> dict[int, int]:
    """The prime factors of 1 <= n <= 2**64 with their exponents, n = ∏ p**e, primes ascending.

    Trial division up to 2**16, which is complete for n <= 2**32; sympy finishes a larger cofactor.
    """
    if not 1 <= n <= WORD:
        raise UserError(f"only numbers from 1 to 2**64 can be factored, but {n} was given")
    return dict(_prime_powers(int(n)))


@lru_cache(maxsize=1 << 16)
def _prime_powers(n: int) -> tuple[tuple[int, int], ...]:
    found = []
    for p in _small_primes():
        if p * p > n:
            break
        if n % p == 0:
            found.append((p, valuation(n, p)))
            n //= p ** valuation(n, p)
    if n >= HALF_WORD:
        from sympy import factorint  # half a second to import, so only when needed

        found += sorted((int(p), int(e)) for p, e in factorint(n).items())
    elif n > 1:
        found.append((n, 1))
    return tuple(found)


@cache
def _small_primes() -> list[int]:
    """The primes below 2**16, by the sieve of Eratosthenes."""
    is_prime = np.ones(1 << 16, dtype=bool)
    is_prime[:2] = False
    for p in range(2, 1 << 8):
        if is_prime[p]:
            is_prime[p * p :: p] = False
    return np.flatnonzero(is_prime).tolist()


def divisors(n: int) -> list[int]:
    """All divisors of n >= 1, in no particular order."""
    found = [1]
    for p, exponent in factorize(n).items():
        found = [d * p**i for d in found for i in range(exponent + 1)]
    return found


def is_prime(n: int) -> bool:
    """Whether n >= 1 is a prime number; above 2**64, wrong with a chance of nearly 0."""
    if n <= WORD:
        return list(factorize(n).values()) == [1]
    from sympy import isprime

    return bool(isprime(n))


def is_power_of_two(n: int) -> bool:
    """Whether n = 2**k for some k >= 0."""
    return n > 0 and (n & (n - 1)) == 0


def digits_needed(limit: int, base: int) -> int:
    """The number of base-`base` digits for every number from 0 to limit: the least d >= 1 with base**d > limit."""
    if limit < 0 or base < 2:
        raise UserError(f"digits need limit >= 0 and base >= 2, but limit={limit}, base={base} were given")
    digits, reach = 1, base
    while reach <= limit:
        digits, reach = digits + 1, reach * base
    return digits


def largest_power(t: int, p: int) -> int:
    """The largest p^k <= t with k >= 0. Raises ValueError unless t >= 1 and p >= 2."""
    if t < 1 or p < 2:
        raise ValueError(f"t={t}, p={p}: a power of p >= 2 up to t >= 1 is needed")
    power = 1
    while power * p <= t:
        power *= p
    return power


def valuation(n: int, p: int) -> int:
    """v_p(n), the largest k such that p^k divides n. Raises ValueError unless p >= 2 and n is not 0."""
    if n == 0 or p < 2:
        raise ValueError(f"n={n}, p={p}: a number other than 0 and a divisor p >= 2 are needed")
    times = 0
    while n % p == 0:
        n, times = n // p, times + 1
    return times


def multiplicative_order(a: int, n: int) -> int:
    """The least t >= 1 with a**t ≡ 1 (mod n), for 1 <= n <= 2**64 and gcd(a, n) = 1 (else UserError)."""
    if n < 1 or gcd(a, n) != 1:
        raise UserError(f"only a unit modulo n >= 1 has an order, but gcd({a}, {n}) = {gcd(a, n)}")
    factors = factorize(n)
    order = prod((p - 1) * p ** (e - 1) for p, e in factors.items())  # Euler: a**phi(n) = 1
    candidates = set(factors).union(*(factorize(p - 1) for p in factors))
    for q in candidates:
        while order % q == 0 and pow(a, order // q, n) == 1 % n:
            order //= q
    return order


def power_mod(
    a: UInt64[np.ndarray, "*#shape"] | int,
    exponent: UInt64[np.ndarray, "*#shape"] | int,
    m: UInt64[np.ndarray, "*#shape"] | int,
) -> UInt64[np.ndarray, "*shape"]:
    """a**exponent mod m, elementwise with broadcasting; exact for 1 <= m <= 2**32 (else UserError)."""
    base, left, m = (as_words(v, name=n) for v, n in ((a, "a"), (exponent, "exponent"), (m, "m")))
    if m.size and not 1 <= int(m.min()) <= int(m.max()) <= HALF_WORD:
        raise UserError(f"power_mod is exact for m from 1 to 2**32, but m = {_out_of_range(m)} was given")
    one = np.uint64(1)
    base, result = base % m, np.broadcast_to(one % m, np.broadcast_shapes(base.shape, left.shape, m.shape))
    while left.any():
        result = np.where(left & one, result * base % m, result)
        base, left = base * base % m, left >> one
    return np.array(result)


def as_words(value: Integers, *, name: str) -> UInt64[np.ndarray, "..."]:
    """`value` as uint64. Raises UserError, naming `name`, unless it holds whole numbers from 0 to 2**64 − 1."""
    array = _whole(value, name)
    if array.size and not 0 <= array.min() <= array.max() < WORD:
        raise UserError(f"{name} must be from 0 to 2**64 - 1, but {_out_of_range(array)} was given")
    return array.astype(np.uint64, copy=False)


def top_residue(m: Integers) -> UInt64[np.ndarray, "..."]:
    """The largest residue, m − 1, as uint64, for every modulus 2 <= m <= 2**64 (else UserError)."""
    array = _whole(m, "m")
    if array.size and not 2 <= array.min() <= array.max() <= WORD:
        raise UserError(f"a modulus m must be from 2 to 2**64, but {_out_of_range(array)} was given")
    return np.array(array - 1, dtype=np.uint64)


def as_residues(m: Integers, **values: Integers) -> tuple[UInt64[np.ndarray, " rows"], ...]:
    """m − 1 and every value as uint64 [rows], integers broadcast along arrays; integers alone make one row.

    UserError unless 2 <= m <= 2**64, every value is in 0 … m − 1, and all arrays are one axis of one length.
    """
    lengths = {np.size(v) for v in (m, *values.values()) if np.ndim(v)} - {1}
    if len(lengths) > 1 or any(np.ndim(v) > 1 for v in (m, *values.values())):
        shapes = ", ".join(f"{name} {list(np.shape(v))}" for name, v in {"m": m, **values}.items())
        raise UserError(f"parameters must be integers or arrays of one length, but have shapes {shapes}")
    rows = lengths.pop() if lengths else 1
    top = top_residue(m)
    residues = {name: as_words(v, name=name) for name, v in values.items()}
    for name, value in residues.items():
        if np.any(value > top):
            given, limit = (v[value > top][0] for v in np.broadcast_arrays(value, top))
            raise UserError(f"{name} must be from 0 to m - 1, but {given} was given for m = {int(limit) + 1}")
    return tuple(np.broadcast_to(v.reshape(-1), rows) for v in (top, *residues.values()))


def _whole(value: Integers, name: str) -> np.ndarray:
    array = value if isinstance(value, np.ndarray) else np.array(value, dtype=object)
    entries_are_whole = array.dtype.kind == "O" and all(isinstance(v, int | np.integer) for v in array.flat)
    if array.dtype.kind in "ui" or entries_are_whole:
        return array
    given = array.flat[0] if array.size else array.dtype
    raise UserError(f"{name} must be whole numbers, but {given!r} was given")


def _out_of_range(array: np.ndarray) -> int:
    """The entry to name in an error message: the least if it is below 2, else the greatest."""
    return int(array.min()) if array.min() < 2 else int(array.max())
