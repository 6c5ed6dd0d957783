"""The mode of the exact posterior predictive over (m, a, c): the optimal guess if the modulus is unknown, too.

The prior: m uniform over some moduli, x[0] uniform, and (a, c) uniform over the full-period pairs of m, over all
0 < a < m, 0 <= c < m, or a mixture. As in ``bayes``, d[0] = x[1] − x[0] may be drawn instead of c: uniform over the
phi(m) units, or over all m residues. For each m greater than all numbers seen, these have the probability

- after one number, 1 / m;
- after two, a further 1 / phi(m) if d[0] is a unit, or a further 1 / m;
- after three, a further r / m if a ≡ d[1] / d[0] ≡ 1 (mod r), or a further n / (m − 1) if n multipliers fulfil
  a d[0] ≡ d[1] (mod m); without a = 0, n is 0 or g = gcd(d[0], m), or one less;
- after more, the same if m has predicted all of them, else 0: all possible a predict the same numbers.

So after three numbers or more, few moduli are possible, and the posterior is concentrated on their predictions. After
one or two, every number is possible, and its probability is a sum over the moduli greater than it: over those coprime
to x[1] − x[0], by Möbius inversion over the common divisors; and over those with x[2] ≡ x[1] + d[0] (mod r), or with
x[2] in x[1] + g Z.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int64, UInt64

from unrandom.core.errors import UserError
from unrandom.predictors.bayes import prior_text
from unrandom.predictors.protocol import Predictions

MAX_MODULUS = 2**20  # tables have one entry per number, or more for two numbers seen
MAX_PAIRS = 2**20  # pairs of a sequence and a modulus in one array
TIE_TOLERANCE = 1e-10  # relative tolerance for ties: equal sums may differ by rounding

Ints = Int64[np.ndarray, "..."]
Mass = Float[np.ndarray, " numbers"]


class BayesUnseen:
    """The most probable next number (the smallest in a tie) for an unknown modulus among ``moduli``, and the
    probability of the true one.

    ``full_period_share``, from 0 to 1, is the prior probability of full-period pairs (a, c); the remainder is for
    arbitrary pairs. With ``arbitrary_for_primes``, a prime m has arbitrary pairs only, as its only full-period
    multiplier is 1. After numbers that the prior excludes, abstains and assigns probability 0.
    """

    name = "bayes"

    def __init__(
        self, moduli: Sequence[int], *, full_period_share: float = 1.0, arbitrary_for_primes: bool = False
    ) -> None:
        """``moduli``: distinct numbers from 2 to 2**20, with equal prior probabilities; UserError otherwise."""
        if not len(moduli) or not 2 <= min(moduli) <= max(moduli) <= MAX_MODULUS or len(set(moduli)) < len(moduli):
            given = f"{len(moduli)} from {min(moduli)} to {max(moduli)}" if len(moduli) else "none"
            raise UserError(f"the exact posterior needs distinct moduli from 2 to 2^20, but {given} were given")
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
        """Predictions for arbitrary numbers."""
        x = np.minimum(sequences, np.uint64(self.limit)).astype(np.int64)  # no modulus exceeds the limit
        shape = sequences[:, 1:].shape
        numbers, probability = np.zeros(shape, dtype=np.uint64), np.zeros(shape)
        abstained = np.ones(shape, dtype=bool)
        for t, predict in enumerate((self._after_one, self._after_two)[: shape[1]]):
            for row, (*seen, truth) in enumerate(x[:, : t + 2].tolist()):
                mass = predict(*seen)
                if (total := mass.sum()) > 0:
                    numbers[row, t] = np.flatnonzero(mass >= mass.max() * (1 - TIE_TOLERANCE))[0]
                    probability[row, t] = mass[truth] / total if truth < self.limit else 0
                    abstained[row, t] = False
        rows = max(1, MAX_PAIRS // len(self.m))
        for start in range(0, len(x) if shape[1] > 2 else 0, rows):
            part = slice(start, start + rows)
            numbers[part, 2:], abstained[part, 2:], probability[part, 2:] = self._after_more(x[part])
        return Predictions(numbers, abstained, probability)

    def _after_one(self, x0: int) -> Mass:
        """For each x[1], the joint probability of x[0] and x[1], summed over all m."""
        mass = np.zeros(self.limit)
        if x0 >= self.limit:
            return mass
        if (self.full_two > 0).any():
            divisors, sizes, starts, sums = self._divisor_sums
            i = np.arange(len(sums)) - np.repeat(starts, sizes)
            x1 = np.repeat(x0 % divisors, sizes) + np.repeat(divisors, sizes) * i  # x[0] but for a multiple of e
            i = np.maximum(i, np.repeat(x0 // divisors, sizes))  # both must be below m
            mass += np.bincount(x1, sums[np.repeat(starts, sizes) + i])[: self.limit]
            mass[x0] = 0
        return mass + self._arbitrary_tail[np.maximum(np.arange(self.limit), x0)]

    @cached_property
    def _arbitrary_tail(self) -> Mass:
        return self._tail(self.arbitrary_two)

    @cached_property
    def _divisor_sums(self) -> tuple[Ints, Ints, Ints, Float[np.ndarray, " sums"]]:
        """For each square-free divisor e: mu(e) ∑ 1 / (m phi(m)) over the multiples m > e i of e, i = 0 … limit / e.

        Returns the divisors, the number of sums of each, the index of the first sum of each, and all sums.
        """
        weight = np.zeros(self.limit + 1)
        weight[self.m] = self.full_two
        divisors = np.flatnonzero(self.moebius)
        sizes = self.limit // divisors + 1
        sums = [self.moebius[e] * _sums_after(weight[::e]) for e in divisors.tolist()]
        return divisors, sizes, np.cumsum(sizes) - sizes, np.concatenate(sums)

    def _after_two(self, x0: int, x1: int) -> Mass:
        """For each x[2], the joint probability of x[0], x[1] and x[2], summed over all m."""
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
        """The guesses for numbers 3, 4, …, which of them are abstentions, and the probabilities of the true numbers."""
        rows, shape = len(x), x[:, 3:].shape
        numbers, abstained, truth_probability = np.zeros(shape, np.uint64), np.ones(shape, dtype=bool), np.zeros(shape)
        row, m, a, weight = self._explanations(*x[:, :3].T)
        for t in range(2, x.shape[1] - 1):
            last, before, truth = x[row, t], x[row, t - 1], x[row, t + 1]
            vote = (last + a * ((last - before) % m)) % m
            total = np.bincount(row, weight, minlength=rows)
            correct = vote == truth
            truth_weight = np.bincount(row, weight * correct, minlength=rows)
            truth_probability[:, t - 2] = truth_weight / np.where(total > 0, total, 1)
            voting, best = _winners(row, vote, weight)
            numbers[voting, t - 2], abstained[voting, t - 2] = best, False
            row, m, a, weight = row[correct], m[correct], a[correct], weight[correct]
        return numbers, abstained, truth_probability

    def _explanations(self, x0: Ints, x1: Ints, x2: Ints) -> tuple[Ints, Ints, Ints, Float[np.ndarray, " found"]]:
        """Every modulus that explains the first three numbers: row, modulus, a multiplier, and their probability."""
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
        """For each number, the total weight of the moduli greater than it."""
        return _sums_after(np.bincount(self.m, weight, minlength=self.limit + 1))[: self.limit]


def _sums_after(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """For each index, the sum of the values after it."""
    return np.append(np.cumsum(values[:0:-1])[::-1], 0.0)


def _winners(row: Ints, vote: Ints, weight: Float[np.ndarray, " votes"]) -> tuple[Ints, Ints]:
    """The rows that have votes, and for each of them the number with the most weight (the smallest in a tie)."""
    key, which = np.unique(np.stack([row, vote]), axis=1, return_inverse=True)
    sums = np.bincount(which.ravel(), weight, minlength=key.shape[1])
    best_weight = np.zeros(row.max(initial=-1) + 1)
    np.maximum.at(best_weight, key[0], sums)
    winning = key[:, sums >= best_weight[key[0]] * (1 - TIE_TOLERANCE)]
    rows, indices = np.unique(winning[0], return_index=True)
    return rows, winning[1][indices]


def _inverse(d: Ints, m: Ints) -> Ints:
    """d**−1 mod m, elementwise, where gcd(d, m) = 1, by Euclid's algorithm; 0 for m = 1."""
    (r, s), (next_r, next_s) = (m, np.zeros_like(m)), (d % m, np.ones_like(m))
    while next_r.any():
        quotient = r // np.maximum(next_r, 1)
        active = next_r > 0
        r, next_r = np.where(active, next_r, r), np.where(active, r - quotient * next_r, 0)
        s, next_s = np.where(active, next_s, s), np.where(active, s - quotient * next_s, next_s)
    return s % m


def _sieve(limit: int) -> tuple[Ints, Ints, Ints]:
    """Euler's phi, Möbius's mu and the step between full-period multipliers of 0 … limit (entry 0 is unused)."""
    phi, mu, step = np.arange(limit + 1), np.ones(limit + 1, dtype=np.int64), np.ones(limit + 1, dtype=np.int64)
    for p in range(2, limit + 1):
        if phi[p] < p:
            continue  # p is composite
        phi[p::p] -= phi[p::p] // p
        mu[p::p] *= -1
        mu[:: p * p] = 0
        step[p::p] *= p
    mu[0] = 0
    step[4::4] *= 2
    return phi, mu, step
