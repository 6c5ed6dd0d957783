"""What is the best guess of all, and how sure can it be? The exact posterior predictive, the modulus known.

The prior: x[0] uniform, and (a, c) uniform over the full-period pairs (Hull–Dobell), over all 0 < a < m, 0 <= c < m,
or a mixture of the two. Instead of c one may as well draw d[0] = x[1] − x[0] = (a − 1) x[0] + c, which for every a and
x[0] is uniform, too: over the residues, or, for full period, over the units modulo m, as every prime of m divides
a − 1. So with r the step between full-period multipliers (see ``generators.full_period``):

- after one number, x[1] is uniform, or uniform over x[0] + units;
- after two, x[2] = x[1] + a d[0]. For full period it is uniform over the m / r numbers ≡ x[1] + d[0] (mod r). For
  arbitrary pairs, with g = gcd(d[0], m), each number ≡ x[1] (mod g) has probability g / (m − 1), but x[1] itself, to
  which a = 0 would lead, one a less;
- after three, everything is certain (see ``algebraic``).
"""

import numpy as np
from jaxtyping import Bool, Float, UInt64

from unrandom.core.arithmetic import as_modulus
from unrandom.core.errors import UserError
from unrandom.generators.full_period import count_increments, multiplier_step
from unrandom.predictors.algebraic import AlgebraicPredictor
from unrandom.predictors.modular import subtract
from unrandom.predictors.protocol import Predictions

Words = UInt64[np.ndarray, " rows"]
Weights = Float[np.ndarray, " rows"]


class BayesFixed:
    """The most probable next number (the smallest of equals) for one known modulus 2 <= m <= 2**64, and its chances.

    ``full_period_share`` of the prior, from 0 to 1, is full-period pairs (a, c); the rest is arbitrary ones. Abstains
    after numbers that the prior excludes, to which the probability 0 is given.
    """

    name = "bayes"

    def __init__(self, modulus: int, *, full_period_share: float = 1.0) -> None:
        as_modulus(modulus)
        self.assumes = f"the modulus, and {prior_text(full_period_share)}"
        self.modulus, self.share = modulus, full_period_share
        self.step, self.units = multiplier_step(modulus), count_increments(modulus)

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Any numbers will do."""
        certain = AlgebraicPredictor(self.modulus).predict(sequences)
        numbers, abstained = certain.numbers, certain.abstained
        probability = certain.correct(sequences).astype(float)
        if sequences.shape[1] >= 3:
            abstained[:, 2:] |= ~self._allowed(*sequences[:, :3].T)[:, None]
            numbers[abstained], probability[abstained] = 0, 0
        for t, predict in enumerate((self._after_one, self._after_two)[: numbers.shape[1]]):
            possible = (sequences[:, : t + 1] <= np.uint64(self.modulus - 1)).all(axis=1)
            guess, chance, known = predict(*sequences[:, : t + 2].T)
            numbers[:, t] = np.where(possible & known, guess, np.uint64(0))
            abstained[:, t] = ~(possible & known)
            truth_possible = possible & known & (sequences[:, t + 1] <= np.uint64(self.modulus - 1))
            probability[:, t] = np.where(truth_possible, chance, 0)
        return Predictions(numbers, abstained, probability)

    def _after_one(self, x0: Words, truth: Words) -> tuple[Words, Weights, Bool[np.ndarray, " rows"]]:
        """The guess, the probability of what came, and whether the numbers seen are possible at all."""
        guess = np.zeros(len(x0), dtype=np.uint64)
        if self.share > 0:
            open_rows = np.arange(len(x0))
            while len(open_rows := open_rows[~self._unit_apart(guess[open_rows], x0[open_rows])]):
                guess[open_rows] += np.uint64(1)
        chance = self.share * self._unit_apart(truth, x0) / self.units + (1 - self.share) / self.modulus
        return guess, chance, np.ones(len(x0), dtype=bool)

    def _after_two(self, x0: Words, x1: Words, truth: Words) -> tuple[Words, Weights, Bool[np.ndarray, " rows"]]:
        m, r = self.modulus, np.uint64(self.step)
        full = self.share * self._unit_apart(x1, x0) / self.units  # of the prior that leads to x[1]
        arbitrary = (1 - self.share) / m
        line = subtract(x1 % r, subtract(x0 % r, x1 % r, self.step), self.step)
        d = subtract(x1, x0, m)
        g = np.gcd(d, np.uint64(min(m, 2**63)))  # 2**64 is no word; d < m has no more in common with it than with 2**63
        smallest = np.where(x1 >= g, x1 % g, x1 + g)  # but x[1] itself
        guess = np.where(full > 0, line, np.where(d == 0, x1, smallest))
        ways = np.where(truth == x1, g - np.uint64(1), g) * (truth % g == x1 % g)
        to_full = full * (truth % r == line) * (self.step / m)
        to_arbitrary = arbitrary * np.where(d == 0, truth == x1, ways / (m - 1))
        total = full + arbitrary
        return guess, (to_full + to_arbitrary) / np.where(total > 0, total, 1), total > 0

    def _allowed(self, x0: Words, x1: Words, x2: Words) -> Bool[np.ndarray, " rows"]:
        """Whether a multiplier of the prior leads from three numbers of an LCG to each other."""
        r = np.uint64(self.step)
        same = subtract(x1 % r, x0 % r, self.step) == subtract(x2 % r, x1 % r, self.step)
        if self.share == 1:
            return self._unit_apart(x1, x0) & same
        return (x2 != x1) | ~self._unit_apart(x1, x0)  # else only a = 0 does

    def _unit_apart(self, x: Words, y: Words) -> Bool[np.ndarray, " rows"]:
        """Whether x − y is a unit modulo m."""
        r = np.uint64(self.step)  # it has the primes of m
        return np.gcd(subtract(x % r, y % r, self.step), r) == 1


def prior_text(full_period_share: float) -> str:
    """For the table; UserError unless the share is from 0 to 1."""
    if not 0 <= full_period_share <= 1:
        raise UserError(f"a share must be from 0 to 1, but full_period_share={full_period_share} was given")
    kinds = {1.0: "that (a, c) is uniform over full-period pairs", 0.0: "that (a, c) is uniform over all pairs"}
    return kinds.get(full_period_share, f"that (a, c) is of full period with probability {full_period_share:g}")
