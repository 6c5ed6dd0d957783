"""Which numbers does a linear congruential generator produce?

x[t+1] = (a x[t] + c) mod m, exactly, for every 2 <= m <= 2**64. Sequences grow by doubling: r steps at once are
again such a generator, x[t+r] = A x[t] + C with A = a**r and C = c·∑ a**i (the paper's equation lcg_r), so numbers
0 … r − 1 give r … 2r − 1 in one pass over an array, and every number is computed once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Any, TypeAlias

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import HALF_WORD, WORD, PerRow, as_residues
from unrandom.core.errors import UserError
from unrandom.generators.full_period import has_full_period
from unrandom.generators.period import period

CHUNK = 512
"""Rows generated together: enough to hide the cost of a call, few enough that they stay in cache."""

BLOCK = 1 << 16
"""Numbers worked on at once: half a megabyte, which a core's own cache holds."""

FIRST = 16
"""Numbers of a row that are made with time as the first axis."""


@dataclass(frozen=True)
class Lcg:
    """One generator x[t+1] = (a x[t] + c) mod m in Python integers: the reference for everything faster.

    2 <= m <= 2**64 and 0 <= a, c < m, else UserError.
    """

    m: int
    a: int
    c: int

    def __post_init__(self) -> None:
        if not 2 <= self.m <= WORD:
            raise UserError(f"a modulus m must be from 2 to 2**64, but {self.m} was given")
        for name, value in (("a", self.a), ("c", self.c)):
            if not 0 <= value < self.m:
                raise UserError(f"{name} must be from 0 to m - 1, but {value} was given for m = {self.m}")

    def __call__(self, x: int) -> int:
        """The number after x."""
        return (self.a * x + self.c) % self.m

    def orbit(self, x0: int, length: int) -> list[int]:
        """x[0] = x0, x[1], …, x[length − 1]."""
        orbit = [x0]
        while len(orbit) < length:
            orbit.append(self(orbit[-1]))
        return orbit[:length]

    def period(self, x0: int) -> int:
        """The length of the cycle that x0 runs into."""
        return period(self.m, self.a, self.c, x0)

    @property
    def has_full_period(self) -> bool:
        """Whether every seed runs through all m residues (Hull–Dobell)."""
        return has_full_period(self.a, self.c, self.m)

    def jump(self, r: int) -> "Lcg":
        """The generator of every r-th number, x[t+r] = a**r x[t] + c·∑ a**i (i < r); r < 0 goes back."""
        if r < 0:
            return self.inverse().jump(-r)
        step, jump = (self.a, self.c), (1, 0)
        while r:  # square and multiply, with the composition of x -> a x + c for a product
            if r & 1:
                jump = (step[0] * jump[0] % self.m, (step[0] * jump[1] + step[1]) % self.m)
            step = (step[0] * step[0] % self.m, (step[0] * step[1] + step[1]) % self.m)
            r >>= 1
        return Lcg(self.m, *jump)

    def inverse(self) -> "Lcg":
        """The generator that runs backwards; UserError unless gcd(a, m) = 1."""
        if gcd(self.a, self.m) != 1:
            raise UserError(f"a step back needs gcd(a, m) = 1, but gcd({self.a}, {self.m}) is not 1")
        back = pow(self.a, -1, self.m)
        return Lcg(self.m, back, -back * self.c % self.m)


def lcg_orbits(
    x0: PerRow,
    *,
    a: PerRow,
    c: PerRow,
    m: PerRow,
    length: int,
    out: UInt64[np.ndarray, "rows length"] | None = None,
) -> UInt64[np.ndarray, "rows length"]:
    """Iterate x[t+1] = (a x[t] + c) mod m, starting at (and including) x0; one sequence a row.

    x0, a, c and m are one integer for all rows or an array with one for each; integers alone make one row.
    2 <= m <= 2**64 and 0 <= x0, a, c < m, else UserError (2**64 fits a Python integer or an object array).
    Exact for all of them: in uint64 if every m <= 2**32, because a x + c <= m (m − 1) < 2**64; by wrap-around
    and a mask if every m is a power of two; otherwise in Python integers, which is much slower. `out` is filled
    and returned if it is given.
    """
    if length < 1:
        raise UserError(f"a sequence needs length >= 1, but {length} was given")
    top, start, multiplier, increment = as_residues(m, x0=x0, a=a, c=c)
    rows = len(top)
    if out is None:
        out = np.empty((rows, length), np.uint64)
    elif out.shape != (rows, length) or out.dtype != np.uint64:
        raise UserError(f"out must be uint64 [{rows}, {length}], but it is {out.dtype} {list(out.shape)}")
    powers_of_two = not (top & (top + np.uint64(1))).any()  # 2**64 wraps to 0, as it should
    fill = _fill_wrapping if powers_of_two else _fill_reducing
    for first in range(0, rows, CHUNK):
        part = slice(first, first + CHUNK)
        fill(out[part], top[part], start[part], multiplier[part], increment[part])
    return out


Reduce: TypeAlias = Callable[[np.ndarray, np.ndarray], object]
"""Replaces values by their residues in place; the second array, of the same shape, is room to work in."""


def _fill_wrapping(out: np.ndarray, top: np.ndarray, x0: np.ndarray, a: np.ndarray, c: np.ndarray) -> None:
    """Powers of two: double in machine words that wrap around, the narrower the faster, and mask once at the end.

    The first few numbers grow with time as the first axis, because rows that short would cost a call each.
    """
    rows, length = out.shape
    word: Any = np.uint32 if top.max() < HALF_WORD else np.uint64
    x0, a, c, mask = (values.astype(word) for values in (x0, a, c, top))
    first = np.empty((min(FIRST, length), rows), word)
    first[0], r = x0, 1
    while r < len(first):
        size = min(r, len(first) - r)
        np.multiply(first[:size], a, out=first[r : r + size])
        np.add(first[r : r + size], c, out=first[r : r + size])
        a, c, r = a * a, a * c + c, 2 * r
    x = np.empty((rows, length), word)
    x[:, :r] = first.T
    a, c = a[:, None], c[:, None]
    while r < length:
        size = min(r, length - r)
        np.multiply(x[:, :size], a, out=x[:, r : r + size])
        np.add(x[:, r : r + size], c, out=x[:, r : r + size])
        a, c, r = a * a, a * c + c, 2 * r
    if not (mask == np.iinfo(word).max).all():
        np.bitwise_and(x, mask[:, None], out=x)
    out[...] = x


def _reduction(top: np.ndarray) -> Reduce:
    """The fastest way to reduce modulo top + 1, which is one number for each row or the same for all."""
    if top.max() >= HALF_WORD:
        integers = top.astype(object) + 1
        return lambda values, _: np.remainder(values, integers, out=values)
    m = top + np.uint64(1)
    if (top != top[0]).any():
        return lambda values, _: np.remainder(values, m, out=values)

    def divide(values: np.ndarray, quotients: np.ndarray) -> None:
        np.floor_divide(values, m[0], out=quotients)  # numpy is fast here, not in remainder
        np.multiply(quotients, m[0], out=quotients)
        np.subtract(values, quotients, out=values)

    return divide


def _fill_reducing(out: np.ndarray, top: np.ndarray, x0: np.ndarray, a: np.ndarray, c: np.ndarray) -> None:
    """Other moduli: grow a block by doubling, then move the whole block on by its own length until the rows are full.

    Time comes first inside a block, so that a, c and m, one for each row, run along contiguous memory.
    """
    rows, length = out.shape
    reduce, word = _reduction(top), object if top.max() >= HALF_WORD else np.uint64
    times = 1 << (min(length, max(32, BLOCK // rows)).bit_length() - 1)
    padded = rows + 8 * (rows % 64 == 0)  # columns a power of two apart would evict each other from the cache
    x, scratch = (np.empty((times, padded), word)[:, :rows] for _ in range(2))
    a, c = a.astype(word), c.astype(word)

    def step(now: np.ndarray, then: np.ndarray) -> None:
        np.multiply(now, a, out=then)
        np.add(then, c, out=then)
        reduce(then, scratch[: len(then)])

    x[0], r = x0, 1
    while r < len(x):
        step(x[:r], x[r : 2 * r])
        a, c, r = a * a, a * c + c, 2 * r
        reduce(a, scratch[0])
        reduce(c, scratch[0])
    for first in range(0, length, r):
        size = min(r, length - first)
        if first:
            step(x[:size], x[:size])
        out[:, first : first + size] = x[:size].T
