"""Proposes training rows of one kind: uniform (m, a, c, x0), some of which are rejected later as held out.

Moduli go up to 2^64, so values are drawn by rejection instead of listed, unless few are left.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from jaxtyping import Bool, Integer, UInt64

from unrandom.core.arithmetic import divisors
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.full_period import (
    count_increments,
    count_multipliers,
    draw_below,
    draw_multiples,
    first_distinct,
    multiplier_step,
)
from unrandom.tasks.lcg.config import LCGTask
from unrandom.tasks.lcg.held_out import Withheld
from unrandom.tasks.lcg.parameters import LCGParameters
from unrandom.tasks.lcg.supply import less_held_out
from unrandom.tasks.pools import Pools

Values = UInt64[np.ndarray, "..."]
# coprime: arbitrary with a coprime to m; counting: full period and a = 1; beyond counting: full period and a > 1;
# balanced: full period and a > 1, drawn so that every look-back r = m / gcd(m, a - 1) is equally frequent
# skipping: y of x = q y + K has full period modulo m / q; balanced skipping: and its look-backs are equally frequent
RowKind = Literal[
    "arbitrary", "coprime", "full-period", "counting", "beyond counting", "balanced", "skipping", "balanced skipping"
]
INSTEAD: dict[RowKind, str] = {  # advice for error messages: the setting without rows of a kind
    "arbitrary": "set data.full_period_share=1",
    "coprime": "set data.coprime_share=0",
    "full-period": "set data.full_period_share=0",
    "counting": "set data.counting_share=0",
    "beyond counting": "set data.counting_share=1",
    "balanced": "set data.balanced_share=0",
    "skipping": "set data.skipping_share=0",
    "balanced skipping": "set data.balanced_share=0",
}


class Proposals:
    """Proposals of one `RowKind`. Arbitrary and coprime rows have 0 < a < m and 0 <= c < m; all others, full period.

    A multiplier is 1 + step * k with first <= k <= last: step is 1 for arbitrary ones, the Hull–Dobell step for
    full-period ones (where k = 0 only counts). With ``n_a`` or ``n_c``, each modulus has a pool of that many values,
    drawn once under the seed.
    """

    def __init__(self, task: LCGTask, seed: int, moduli: tuple[int, ...], withheld: Withheld, kind: RowKind) -> None:
        self.task, self.seed, self.train_moduli, self.withheld = task, seed, moduli, withheld
        self.kind, self.full = kind, kind not in ("arbitrary", "coprime")
        self.first_k = np.uint64(kind in ("beyond counting", "balanced"))
        # If pairs (a, c) are held out, training may have every single a and every single c.
        nothing = np.empty(0, dtype=np.uint64)
        self.held_a: Values = withheld.a if withheld.by_values else nothing
        self.held_c: Values = withheld.c if withheld.by_values else nothing
        self.one_modulus = task.one_modulus
        places = self._usable()
        usable = [m for m, _ in places]
        self.lookbacks = np.array([r for _, r in places], dtype=np.uint64)  # 0: any look-back
        self.lookback_pools = None
        if kind == "balanced":
            self.lookback_pools = Pools([np.flatnonzero(self.lookbacks == r) for r in np.unique(self.lookbacks)])
        self.last = np.array([m - 1 for m in usable], dtype=np.uint64)  # m itself may be 2^64
        self.step = np.array([multiplier_step(m) if self.full else 1 for m in usable], dtype=np.uint64)
        self.last_k = np.array([self._end(m) - 1 for m in usable], dtype=np.uint64)
        n_a, n_c = task.n_a, task.n_c
        each = range(len(usable))
        self.a_pools = None if n_a is None else Pools([self._a_pool(i, n_a) for i in each])
        self.c_pools = None if n_c is None else Pools([self._c_pool(i, n_c) for i in each])
        if not withheld.by_values and self.a_pools is not None and self.c_pools is not None:
            self._leave_out_withheld_pools()

    @property
    def _is_topped_up(self) -> bool:
        return self.kind == "full-period" and self.one_modulus is None

    def _leave_out_withheld_pools(self) -> None:
        """Remove moduli whose pools contain only held-out pairs."""
        which, a, c = self._all_pairs()
        left = np.unique(which[~self.withheld.rows(a, c)])
        if not len(left):
            raise UserError(
                f"no (a, c) of data.n_a x data.n_c is left to train on: {less_held_out(self.task)}, or raise data.n_a"
            )
        self.last, self.step, self.last_k = self.last[left], self.step[left], self.last_k[left]
        self.a_pools, self.c_pools = (Pools([pools.parts[i] for i in left]) for pools in self._both_pools())

    def _usable(self) -> list[tuple[int, int]]:
        """The (modulus, look-back) pairs of this kind with some (a, c) left for training.

        The look-back is 0 (any), except for balanced rows, which list every look-back of a modulus. Most
        moduli have 1 as their only full-period multiplier. Full-period pools of unseen-modulus tasks are therefore
        filled up with arbitrary multipliers, as in the paper's scaling runs, so that every modulus has some.
        """
        if self.one_modulus is not None and not self.full:
            return [(m, 0) for m in self.train_moduli]
        topped_up = self._is_topped_up and self.task.n_a is not None
        moduli = [m for m in self.train_moduli if self._end(m) > self.first_k]
        places = [(m, r) for m in moduli for r in self._lookbacks_of(m)]
        usable = [(m, r) for m, r in places if self._some_left(m, r, topped_up=topped_up)]
        if not usable:
            raise UserError(
                f"no multiplier and increment for {self.kind} rows is left to train on: {less_held_out(self.task)}, or "
                f"{INSTEAD[self.kind]}"
            )
        return usable

    def _lookbacks_of(self, m: int) -> list[int]:
        """The look-backs of m that are drawn separately."""
        return [r for r in divisors(self._end(m)) if r > 1] if self.kind == "balanced" else [0]

    def _some_left(self, m: int, r: int, *, topped_up: bool) -> bool:
        """Whether some (a, c) of m with look-back r is left for training."""
        increments = self._increments_left(m, self.withheld.c) > 0
        if self.withheld.by_values:
            return increments and (topped_up or self._multipliers_left(m, r, self.withheld.a) > 0)
        if increments or topped_up or self._multipliers_left(m, r, self.withheld.tested_a) > 0:
            return True  # a pair is held out only if both of its values are tested
        step, prime_to = (multiplier_step(m), m) if self.full else (1, 1)
        k = np.arange(self.first_k, self._end(m), dtype=np.uint64)
        a = np.uint64(1) + np.uint64(step) * k[self._has_lookback(k, m, r)]
        c = np.flatnonzero(np.gcd(np.arange(m), prime_to) == 1).astype(np.uint64)
        return not self.withheld.rows(np.repeat(a, len(c)), np.tile(c, len(a))).all()

    def _end(self, m: int) -> int:
        """One more than the largest k of this kind."""
        if self.kind == "counting":
            return 1
        return count_multipliers(m) if self.full else m - 1

    def _has_lookback(self, k: Values, m: int, r: int) -> Bool[np.ndarray, " ks"]:
        """Whether the multipliers 1 + step k of m have look-back r; all true for r = 0.

        With a = 1 + step k and q = m / step, m / gcd(m, a − 1) is q / gcd(q, k).
        """
        q = np.uint64(self._end(m))
        return np.gcd(k, q) == q // np.uint64(r) if r else np.ones(len(k), dtype=bool)

    def _multipliers_left(self, m: int, r: int, held: Values) -> int:
        """The number of multipliers of m with look-back r that are not in ``held``."""
        if self.kind == "coprime":
            return self._prime_left(m, held)
        step = np.uint64(multiplier_step(m) if self.full else 1)
        k, rest = np.divmod(held - np.uint64(1), step)
        of_kind = (rest == 0) & (k >= self.first_k) & (k < self._end(m)) & self._has_lookback(k, m, r)
        return (count_increments(r) if r else self._end(m) - int(self.first_k)) - int(of_kind.sum())

    def _increments_left(self, m: int, held: Values) -> int:
        """The number of increments of m that are not in ``held``; 1 for m > 2^32, which always has some."""
        if m > 2**32:
            return 1
        if self.full:
            return self._prime_left(m, held)
        return m - int((held <= np.uint64(m - 1)).sum())

    def _prime_left(self, m: int, held: Values) -> int:
        """The number of residues coprime to m that are not in ``held``."""
        held = held[held <= np.uint64(m - 1)]
        return count_increments(m) - int((np.gcd(held, _divisor_of(m)) == 1).sum())

    def choose(self, rng: np.random.Generator, rows: int) -> Integer[np.ndarray, " rows"]:
        """The index of a modulus for each row, uniform; for balanced rows, uniform over look-backs."""
        if self.lookback_pools is None:
            return rng.integers(len(self.last), size=rows)
        return self.lookback_pools.pick(rng.integers(len(self.lookback_pools.parts), size=rows), rng)

    def propose(
        self, rng: np.random.Generator, rows: int, which: Integer[np.ndarray, " rows"] | None = None
    ) -> LCGParameters:
        """Proposed rows, which may still be held out or unsuitable; ``which`` gives the index of each row's modulus."""
        if which is None:
            which = self.choose(rng, rows)
        last = self.last[which]
        if self.a_pools is None:
            a = np.uint64(1) + self.step[which] * self._multiple(rng, which)
        else:
            a = self.a_pools.pick(which, rng)
        if self.c_pools is None:
            c = rng.integers(0, last, dtype=np.uint64, endpoint=True)
        else:
            c = self.c_pools.pick(which, rng)
        x0 = rng.integers(0, last, dtype=np.uint64, endpoint=True)
        return LCGParameters(self.one_modulus or last + np.uint64(1), a, c, x0)

    def _multiple(self, rng: np.random.Generator, which: Integer[np.ndarray, " rows"]) -> Values:
        """The k of each row's multiplier."""
        if self.lookback_pools is None:
            return rng.integers(self.first_k, self.last_k[which], dtype=np.uint64, endpoint=True)
        return draw_multiples(rng, self.last_k[which] + np.uint64(1), self.lookbacks[which])

    def allowed(self, parameters: LCGParameters) -> Bool[np.ndarray, " rows"]:
        """A mask of the proposed rows that training may use."""
        held = self.withheld.rows(parameters.a, parameters.c)
        m = _divisor_of(parameters.m) if isinstance(parameters.m, int) else parameters.m
        if self.kind == "coprime":
            return ~held & (np.gcd(parameters.a, m) == 1)
        if not self.full or self.c_pools is not None:
            return ~held
        return ~held & (np.gcd(parameters.c, m) == 1)

    def _both_pools(self) -> tuple["Pools", "Pools"]:
        assert self.a_pools is not None, "the configuration asks for both pools"
        assert self.c_pools is not None, "the configuration asks for both pools"
        return self.a_pools, self.c_pools

    def _all_pairs(self) -> tuple[Integer[np.ndarray, " pairs"], Values, Values]:
        """Every pair (a, c) of both pools, with the index of its modulus."""
        parts = list(zip(*(pools.parts for pools in self._both_pools()), strict=True))
        which = np.repeat(np.arange(len(parts)), [len(a) * len(c) for a, c in parts])
        a = np.concatenate([np.repeat(a, len(c)) for a, c in parts])
        c = np.concatenate([np.tile(c, len(a)) for a, c in parts])
        return which, a, c

    def product(self, rng: np.random.Generator) -> LCGParameters:
        """Every pair of the pools that is not withheld, once, with uniform x0."""
        which, a, c = self._all_pairs()
        last = self.last[which]
        x0 = rng.integers(0, last, dtype=np.uint64, endpoint=True)
        every = LCGParameters(self.one_modulus or last + np.uint64(1), a, c, x0)
        return every[~self.withheld.rows(a, c)]

    def _a_pool(self, i: int, size: int) -> Values:
        m = int(self.last[i]) + 1
        rng = stream(self.seed, "multipliers", m, int(self.full))
        pool = self._multipliers(rng, m, int(self.step[i]), int(self.last_k[i]) + 1, size)
        if self._is_topped_up and len(pool) < size:
            more = self._multipliers(rng, m, 1, m - 1, size)
            pool = np.concatenate([pool, more[~np.isin(more, pool)]])[:size]
        return self._not_empty(pool, "multiplier", m)

    def _multipliers(self, rng: np.random.Generator, m: int, step: int, count: int, size: int) -> Values:
        """Up to ``size`` distinct multipliers 1 + step k, k < count, of this kind that are not held out."""

        def allowed(k: Values) -> Values:
            a = np.uint64(1) + np.uint64(step) * k[k >= self.first_k]
            return _without(a if self.kind != "coprime" else a[np.gcd(a, _divisor_of(m)) == 1], self.held_a)

        of_kind = count_increments(m) if self.kind == "coprime" else count - int(self.first_k)
        return _sample(rng, count, size, of_kind - len(self.held_a), allowed)

    def _c_pool(self, i: int, size: int) -> Values:
        m = int(self.last[i]) + 1
        prime_to = np.uint64(multiplier_step(m) if self.full else 1)  # the step has all primes of m

        def allowed(c: Values) -> Values:
            return _without(c[np.gcd(c, prime_to) == 1], self.held_c)

        left = (count_increments(m) if self.full else m) - len(self.held_c)
        pool = _sample(stream(self.seed, "increments", m, int(self.full)), m, size, left, allowed)
        return self._not_empty(pool, "increment", m)

    def _not_empty(self, pool: Values, what: str, m: int) -> Values:
        if not len(pool):
            raise UserError(f"no {what} of modulus {m} is left to train on: {less_held_out(self.task)}")
        return pool


def _sample(rng: np.random.Generator, n: int, size: int, left: int, allowed: Callable[[Values], Values]) -> Values:
    """Up to ``size`` distinct values that ``allowed`` maps 0 … n − 1 to; at least ``left`` of them exist."""
    if left < 2 * size:  # too few for rejection sampling
        return allowed(rng.permutation(n).astype(np.uint64))[:size]
    return first_distinct(lambda count: allowed(draw_below(rng, n, count)), size)


def _without(values: Values, held: UInt64[np.ndarray, " held"]) -> UInt64[np.ndarray, " left"]:
    """The values that are not in ``held``, which is sorted."""
    if not len(held):
        return values
    places = np.searchsorted(held, values)
    return values[held[np.minimum(places, len(held) - 1)] != values]


def _divisor_of(m: int) -> np.uint64:
    """m as uint64 for gcds; 2^64 is replaced by 2^63, which has the same gcd with every smaller number."""
    return np.uint64(min(m, 2**63))
