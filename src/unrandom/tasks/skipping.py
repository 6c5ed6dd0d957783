"""Draws skipping sequences: x = q y + K modulo m, where y has full period modulo m / q, and K is the same throughout.

Keep every r-th number of a full-period sequence, r = q: its low digits stand still, and the upper ones move sooner (the
paper's r-step iteration, equation lcg_r). A skipping sequence has these digits, with any multiplier for y. It is an LCG
modulo m with the increment c = q c_y + K (1 − a), where a is y's multiplier modulo m / q and arbitrary beyond it.

No test (a, c) of full period is among them: if a is 1 modulo every prime p of m, then p divides c for each p of q.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

import numpy as np
from jaxtyping import Integer, UInt64
from pydantic import Field

from unrandom.core.arithmetic import as_words, divisors, factorize
from unrandom.generators.full_period import count_multipliers, draw_multiples, draw_units, multiplier_step
from unrandom.generators.lcg import lcg_orbits
from unrandom.tasks.pools import Pools

Words = UInt64[np.ndarray, " rows"]
SkippingShare = Annotated[float, Field(ge=0, le=1)]  # how many of the rows, or of those of full period, skip
ONE = np.uint64(1)


def skips_of(m: int, largest: int | None = None) -> list[int]:
    """The skips of a modulus: its divisors q with 1 < q < m, up to the ``largest``.

    A uniform exponent for each prime of m, drawn again where q is 1 or m, makes q a uniform one of these. A square-free
    modulus has none, as none of its primes has a digit above another.

    >>> skips_of(16), skips_of(45), skips_of(30), skips_of(16, largest=4)
    ([2, 4, 8], [5, 3, 15, 9], [], [2, 4])
    """
    if max(factorize(m).values()) == 1:
        return []
    return [q for q in divisors(m) if 1 < q < m and (largest is None or q <= largest)]


def check_skips(m: int, largest: int | None = None) -> None:
    """Raise ValueError if no sequence modulo m can skip."""
    if not skips_of(m):
        raise ValueError(f"modulus {m} is square-free, so that no sequence can skip")
    if not skips_of(m, largest):
        raise ValueError(f"largest_skip={largest} is below all prime divisors of the modulus {m}")


class Skips:
    """The skips of some moduli, each with one or more, and draws of sequences that skip by them."""

    def __init__(self, moduli: Sequence[int], *, balanced: bool = False, largest: int | None = None) -> None:
        """``balanced`` draws of y first its look-back, uniformly from all but 1 where there are others, then a."""
        of_each = [skips_of(m, largest) for m in moduli]
        ends = np.cumsum([len(skips) for skips in of_each])
        self._places = Pools([np.arange(end - len(skips), end) for skips, end in zip(of_each, ends, strict=True)])
        periods = [m // q for m, skips in zip(moduli, of_each, strict=True) for q in skips]
        self._skip = np.array([q for skips in of_each for q in skips], dtype=np.uint64)
        self._period = np.array(periods, dtype=np.uint64)
        self._step = np.array([multiplier_step(period) for period in periods], dtype=np.uint64)
        self._count = np.array([count_multipliers(period) for period in periods], dtype=np.uint64)
        self._lookbacks = Pools([_lookbacks(int(count)) for count in self._count]) if balanced else None

    def draw(
        self,
        rng: np.random.Generator,
        m: int | Words,
        which: Integer[np.ndarray, " rows"],
        a: Words | None = None,
    ) -> tuple[Words, Words, Words]:
        """a, c and x0 of sequences that skip by a uniform skip of modulus ``which[row]``, which is ``m``. Given
        multipliers have full period modulo m."""
        place = self._places.pick(which, rng)
        q, period = self._skip[place], self._period[place]
        if a is None:
            a = ONE + self._step[place] * self._multiple(rng, place) + period * _below(rng, q)
        c_y, y0, k = draw_units(rng, period), _below(rng, period), _below(rng, q)
        return a, _increment(m, a, q * c_y, k), q * y0 + k

    def _multiple(self, rng: np.random.Generator, place: Integer[np.ndarray, " rows"]) -> Words:
        """The k of each multiplier 1 + step k of y."""
        if self._lookbacks is None:
            return _below(rng, self._count[place])
        return draw_multiples(rng, self._count[place], self._lookbacks.pick(place, rng))


def let_skip(rng: np.random.Generator, share: float, m: int, a: Words, c: Words, x0: Words) -> tuple[Words, Words]:
    """The increments and starts of states of full period modulo m, each replaced, with probability ``share``, by that
    of a sequence of the same multiplier that skips."""
    rows = np.flatnonzero(rng.random(len(a)) < share)
    c, x0 = c.copy(), x0.copy()
    _, c[rows], x0[rows] = _skips_of_one(m).draw(rng, m, np.zeros_like(rows), a[rows])
    return c, x0


@lru_cache
def _skips_of_one(m: int) -> Skips:
    return Skips((m,))


def _below(rng: np.random.Generator, limits: Words) -> Words:
    return rng.integers(0, limits, dtype=np.uint64)


def _lookbacks(count: int) -> Words:
    """The look-backs of a modulus with so many multipliers: all but 1, where there are others."""
    return np.array(divisors(count)[1:] or [1], dtype=np.uint64)


def _increment(m: int | Words, a: Words, moved: Words, k: Words) -> Words:
    """``moved`` + k (1 − a) modulo m, without overflow for m ≤ 2^64; all are residues."""
    top = as_words(m - 1, name="m - 1")
    still = lcg_orbits(k, a=a, c=0, m=m, length=2)[:, 1]
    left = np.where(k >= still, k - still, top - (still - k) + ONE)
    return np.where(moved <= top - left, moved + left, moved - (top - left) - ONE)
