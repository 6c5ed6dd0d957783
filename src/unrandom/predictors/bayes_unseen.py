"""What is the best guess of all if the modulus, too, is to be found? The exact posterior predictive over (m, a, c).

The prior: m uniform over some moduli, x[0] uniform, and (a, c) uniform over the full-period pairs of m, over all
0 < a < m, 0 <= c < m, or a mixture. As in ``bayes``, d[0] = x[1] − x[0] may be drawn in the place of c: uniform over
the phi(m) units, or over all m residues. What was seen then has, for each m greater than all of it, the probability

- after one number, 1 / m;
- after two, a further 1 / phi(m) if d[0] is a unit, or a further 1 / m;
- after three, a further r / m if a ≡ d[1] / d[0] ≡ 1 (mod r), or a further n / (m − 1) if n multipliers fulfil
  a d[0] ≡ d[1] (mod m): g = gcd(d[0], m) of them if any, but for a = 0;
- after more, the same if m has predicted each of them, or 0: all a that are left predict the same.

So from three numbers on the next one is a vote of few moduli. After one and two, it is spread over all numbers, and the
probability of each is a sum over the moduli beyond it: of those prime to x[1] − x[0], by Möbius inversion over the
common divisors; and of those for which it lies on the line x[2] ≡ x[1] + d[0] (mod r), or in x[1] + g Z.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int64, UInt64

from unrandom.core.errors import UserError
from unrandom.predictors.bayes import prior_text
from unrandom.predictors.protocol import Predictions

LARGEST = 2**20
"""The greatest modulus: tables have an entry for each number, and those for two numbers seen some more."""

AT_ONCE = 2**20  # pairs of a sequence and a modulus in one array

EQUAL = 1e-10  # probabilities that differ by less, relatively, are the same sum in another order

Ints = Int64[np.ndarray, "..."]
Mass = Float[np.ndarray, " numbers"]


class BayesUnseen:
    """The most probable next number (the smallest of equals) for an m unknown among ``moduli``, and its chances.

    ``full_period_share`` of the prior, from 0 to 1, is full-period pairs (a, c); the rest is arbitrary ones. With
    ``arbitrary_for_primes`` a prime m has arbitrary pairs alone, as its one full-period multiplier is 1. Abstains after
    numbers that the prior excludes, to which the probability 0 is given.
    """

    name = "bayes"

    def __init__(
        self, moduli: Sequence[int], *, full_period_share: float = 1.0, arbitrary_for_primes: bool = False
    ) -> None:
        """Different moduli from 2 to 2**20, each as probable as another, else UserError."""
        if not len(moduli) or not 2 <= min(moduli) <= max(moduli) <= LARGEST or len(set(moduli)) < len(moduli):
            given = f"{len(moduli)} from {min(moduli)} to {max(moduli)}" if len(moduli) else "none"
            raise UserError(f"the exact posterior needs different moduli from 2 to 2^20, but {given} were given")
        primes = " (all pairs for prime m)" if arbitrary_for_primes else ""
        self.assumes = f"that m is one of {len(moduli)} moduli, and {prior_text(full_period_share)}{primes}"
        self.m = np.array(sorted(moduli))
        self.limit = int(self.m[-1])
        phi, self.moebius, step = _sieve(self.limit)
        self.step = step[self.m]
        m, share = self.m.astype(float), np.full(len(self.m), full_period_share)
        if arbitrary_for_primes:
            share[phi[self.m] == self.m - 1] = 0
        self.full_two = share / m / phi[self.m]  # after two numbers
        self.full_three = self.full_two * self.step / m
        self.arbitrary_two = (1 - share) / m**2
        self.arbitrary_three = self.arbitrary_two / (m - 1)  # for each multiplier

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Any numbers will do."""
        x = np.minimum(sequences, np.uint64(self.limit)).astype(np.int64)  # no modulus is beyond the limit
        shape = sequences[:, 1:].shape
        numbers, probability = np.zeros(shape, dtype=np.uint64), np.zeros(shape)
        abstained = np.ones(shape, dtype=bool)
        for t, predict in enumerate((self._after_one, self._after_two)[: shape[1]]):
            for row, (*seen, truth) in enumerate(x[:, : t + 2].tolist()):
                mass = predict(*seen)
                if (total := mass.sum()) > 0:
                    numbers[row, t] = np.flatnonzero(mass >= mass.max() * (1 - EQUAL))[0]
                    probability[row, t] = mass[truth] / total if truth < self.limit else 0
                    abstained[row, t] = False
        rows = max(1, AT_ONCE // len(self.m))
        for start in range(0, len(x) if shape[1] > 2 else 0, rows):
            part = slice(start, start + rows)
            numbers[part, 2:], abstained[part, 2:], probability[part, 2:] = self._after_more(x[part])
        return Predictions(numbers, abstained, probability)

    def _after_one(self, x0: int) -> Mass:
        """For each x[1], the sum over all m of the probability of x[0] and x[1]."""
        mass = np.zeros(self.limit)
        if x0 >= self.limit:
            return mass
        if (self.full_two > 0).any():
            divisors, sizes, starts, sums = self._divisor_sums
            i = np.arange(len(sums)) - np.repeat(starts, sizes)
            x1 = np.repeat(x0 % divisors, sizes) + np.repeat(divisors, sizes) * i  # from x[0] by a multiple of e
            i = np.maximum(i, np.repeat(x0 // divisors, sizes))  # both must be below m
            mass += np.bincount(x1, sums[np.repeat(starts, sizes) + i])[: self.limit]
            mass[x0] = 0
        return mass + self._arbitrary_beyond[np.maximum(np.arange(self.limit), x0)]

    @cached_property
    def _arbitrary_beyond(self) -> Mass:
        return self._tail(self.arbitrary_two)

    @cached_property
    def _divisor_sums(self) -> tuple[Ints, Ints, Ints, Float[np.ndarray, " sums"]]:
        """For each square-free divisor e: mu(e) ∑ 1 / (m phi(m)) over the multiples m > e i of e, i = 0 … limit / e.

        As the divisors, how many such sums each has, where they start, and all of them.
        """
        weight = np.zeros(self.limit + 1)
        weight[self.m] = self.full_two
        divisors = np.flatnonzero(self.moebius)
        sizes = self.limit // divisors + 1
        sums = [self.moebius[e] * _beyond(weight[::e]) for e in divisors.tolist()]
        return divisors, sizes, np.cumsum(sizes) - sizes, np.concatenate(sums)

    def _after_two(self, x0: int, x1: int) -> Mass:
        """For each x[2], the sum over all m of the probability of x[0], x[1] and x[2]."""
        mass = np.zeros(self.limit)
        d, possible = abs(x1 - x0), self.m > max(x0, x1)
        g = np.gcd(d, self.m)
        full = np.flatnonzero(possible & (g == 1) & (self.full_two > 0))
        counts = self.m[full] // self.step[full]
        step = np.repeat(self.step[full], counts)
        k = np.arange(len(step)) - np.repeat(np.cumsum(counts) - counts, counts)
        x2 = (2 * x1 - x0) % step + step * k
        mass += np.bincount(x2, np.repeat(self.full_three[full], counts), minlength=self.limit)
        if not (self.arbitrary_two > 0).any():
            return mass
        if not d:
            mass[x1 : x1 + 1] += self.arbitrary_two[possible].sum()
            return mass
        at_x1 = mass[x1 : x1 + 1] + (self.arbitrary_three * (g - 1))[possible].sum()
        for divisor in np.unique(g[possible]).tolist():
            tail = self._tail(np.where(possible & (g == divisor), self.arbitrary_three * divisor, 0.0))
            mass[x1 % divisor :: divisor] += tail[x1 % divisor :: divisor]
        mass[x1 : x1 + 1] = at_x1
        return mass

    def _after_more(
        self, x: Int64[np.ndarray, "rows length"]
    ) -> tuple[UInt64[np.ndarray, "rows later"], Bool[np.ndarray, "rows later"], Float[np.ndarray, "rows later"]]:
        """The guesses for numbers 3, 4, …, which of them are abstentions, and the probability of what came."""
        rows, shape = len(x), x[:, 3:].shape
        numbers, abstained, chance = np.zeros(shape, np.uint64), np.ones(shape, dtype=bool), np.zeros(shape)
        row, m, a, weight = self._explanations(*x[:, :3].T)
        for t in range(2, x.shape[1] - 1):
            last, before, truth = x[row, t], x[row, t - 1], x[row, t + 1]
            vote = (last + a * ((last - before) % m)) % m
            total = np.bincount(row, weight, minlength=rows)
            came_true = vote == truth
            chance[:, t - 2] = np.bincount(row, weight * came_true, minlength=rows) / np.where(total > 0, total, 1)
            owners, best = _winners(row, vote, weight)
            numbers[owners, t - 2], abstained[owners, t - 2] = best, False
            row, m, a, weight = row[came_true], m[came_true], a[came_true], weight[came_true]
        return numbers, abstained, chance

    def _explanations(self, x0: Ints, x1: Ints, x2: Ints) -> tuple[Ints, Ints, Ints, Float[np.ndarray, " found"]]:
        """Every modulus that explains three numbers: of which row, m, a multiplier, and their probability."""
        d, e = (x1 - x0)[:, None], (x2 - x1)[:, None]
        candidate = self.m > np.max([x0, x1, x2], axis=0)[:, None]
        if not (self.arbitrary_two > 0).any():
            candidate &= (e - d) % self.step == 0
        row, which = np.nonzero(candidate)
        m, d, e = self.m[which], d[row, 0], e[row, 0]
        g = np.gcd(d, m)
        full = (g == 1) & ((e - d) % self.step[which] == 0)
        weight = self.full_three[which] * full + self.arbitrary_three[which] * (g - (e % m == 0))
        found = (e % g == 0) & (weight > 0)
        row, m, d, e, g = row[found], m[found], d[found], e[found], g[found]
        return row, m, e // g * _inverse(d // g, m // g) % (m // g), weight[found]

    def _tail(self, weight: Float[np.ndarray, " moduli"]) -> Mass:
        """For each number, the weight of the moduli beyond it."""
        return _beyond(np.bincount(self.m, weight, minlength=self.limit + 1))[: self.limit]


def _beyond(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """For each place, the sum of what comes after it."""
    return np.append(np.cumsum(values[:0:-1])[::-1], 0.0)


def _winners(row: Ints, vote: Ints, weight: Float[np.ndarray, " votes"]) -> tuple[Ints, Ints]:
    """The rows that have votes, and of each the number with the most weight, the smallest of equals."""
    key, which = np.unique(np.stack([row, vote]), axis=1, return_inverse=True)
    sums = np.bincount(which.ravel(), weight, minlength=key.shape[1])
    most = np.zeros(row.max(initial=-1) + 1)
    np.maximum.at(most, key[0], sums)
    first = key[:, sums >= most[key[0]] * (1 - EQUAL)]
    owners, at = np.unique(first[0], return_index=True)
    return owners, first[1][at]


def _inverse(d: Ints, m: Ints) -> Ints:
    """d**−1 mod m, elementwise, where gcd(d, m) = 1, by Euclid's algorithm; 0 for m = 1."""
    (r, s), (then, after) = (m, np.zeros_like(m)), (d % m, np.ones_like(m))
    while then.any():
        quotient = r // np.maximum(then, 1)
        left = then > 0
        r, then = np.where(left, then, r), np.where(left, r - quotient * then, 0)
        s, after = np.where(left, after, s), np.where(left, s - quotient * after, after)
    return s % m


def _sieve(limit: int) -> tuple[Ints, Ints, Ints]:
    """Euler's phi, Möbius's mu and the step between full-period multipliers of 0 … limit (0 counts for nothing)."""
    phi, mu, step = np.arange(limit + 1), np.ones(limit + 1, dtype=np.int64), np.ones(limit + 1, dtype=np.int64)
    for p in range(2, limit + 1):
        if phi[p] < p:
            continue  # it has a prime below it
        phi[p::p] -= phi[p::p] // p
        mu[p::p] *= -1
        mu[:: p * p] = 0
        step[p::p] *= p
    mu[0] = 0
    step[4::4] *= 2
    return phi, mu, step
