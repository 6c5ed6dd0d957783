"""The mode of the exact posterior predictive if the modulus is known: the optimal guess, and its probability.

The prior: x[0] uniform, and (a, c) uniform over the full-period pairs (Hull–Dobell), over all 0 < a < m, 0 <= c < m, or
a mixture of the two. Equivalently, instead of c one draws d[0] = x[1] − x[0] = (a − 1) x[0] + c, which is uniform for
every a and x[0]: over the residues, or, for full period, over the units modulo m, as every prime of m divides a − 1. So
with r the step between full-period multipliers (see ``generators.full_period``):

- after one number, x[1] is uniform, or uniform over x[0] + units;
- after two, x[2] = x[1] + a d[0]. For full period it is uniform over the m / r numbers ≡ x[1] + d[0] (mod r). For
  arbitrary pairs, with g = gcd(d[0], m), each number ≡ x[1] (mod g) has probability g / (m − 1), but x[1] itself
  only (g − 1) / (m − 1), because a = 0 is excluded;
- after three, all further numbers are certain (see ``algebraic``).
"""

import numpy as np
from jaxtyping import Bool, Float, UInt64

from unrandom.core.arithmetic import top_residue
from unrandom.core.errors import UserError
from unrandom.generators.full_period import count_increments, multiplier_step
from unrandom.predictors.algebraic import AlgebraicPredictor
from unrandom.predictors.modular import subtract
from unrandom.predictors.protocol import Predictions

Words = UInt64[np.ndarray, " rows"]
Weights = Float[np.ndarray, " rows"]


class BayesFixed:
    """The most probable next number (the smallest in a tie) for a known modulus 2 <= m <= 2**64, and the probability of
    the true one.

    ``full_period_share``, from 0 to 1, is the prior probability of full-period pairs (a, c); the remainder is for
    arbitrary pairs. After numbers that the prior excludes, abstains and assigns probability 0.
    """

    name = "bayes"

    def __init__(self, modulus: int, *, full_period_share: float = 1.0) -> None:
        top_residue(modulus)
        self.assumes = f"the modulus, and {prior_text(full_period_share)}"
        self.modulus, self.share = modulus, full_period_share
        self.step, self.units = multiplier_step(modulus), count_increments(modulus)

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for arbitrary numbers."""
        certain = AlgebraicPredictor(self.modulus).predict(sequences)
        numbers, abstained = certain.numbers, certain.abstained
        probability = certain.correct(sequences).astype(float)
        if sequences.shape[1] >= 3:
            abstained[:, 2:] |= ~self._allowed(*sequences[:, :3].T)[:, None]
            numbers[abstained], probability[abstained] = 0, 0
        for t, predict in enumerate((self._after_one, self._after_two)[: numbers.shape[1]]):
            possible = (sequences[:, : t + 1] <= np.uint64(self.modulus - 1)).all(axis=1)
            guess, truth_probability, allowed = predict(*sequences[:, : t + 2].T)
            numbers[:, t] = np.where(possible & allowed, guess, np.uint64(0))
            abstained[:, t] = ~(possible & allowed)
            truth_possible = possible & allowed & (sequences[:, t + 1] <= np.uint64(self.modulus - 1))
            probability[:, t] = np.where(truth_possible, truth_probability, 0)
        return Predictions(numbers, abstained, probability)

    def _after_one(self, x0: Words, truth: Words) -> tuple[Words, Weights, Bool[np.ndarray, " rows"]]:
        """The guess for x[1], the probability of the true x[1], and whether the prior allows the numbers seen."""
        guess = np.zeros(len(x0), dtype=np.uint64)
        if self.share > 0:
            pending = np.arange(len(x0))
            while len(pending := pending[~self._unit_apart(guess[pending], x0[pending])]):
                guess[pending] += np.uint64(1)
        truth_probability = self.share * self._unit_apart(truth, x0) / self.units + (1 - self.share) / self.modulus
        return guess, truth_probability, np.ones(len(x0), dtype=bool)

    def _after_two(self, x0: Words, x1: Words, truth: Words) -> tuple[Words, Weights, Bool[np.ndarray, " rows"]]:
        """The same for x[2], after two numbers."""
        m, r = self.modulus, np.uint64(self.step)
        full = self.share * self._unit_apart(x1, x0) / self.units  # prior probability of x[1], full-period part
        arbitrary = (1 - self.share) / m
        predicted = subtract(x1 % r, subtract(x0 % r, x1 % r, self.step), self.step)
        d = subtract(x1, x0, m)
        g = np.gcd(d, np.uint64(min(m, 2**63)))  # for m = 2**64, gcd(d, m) = gcd(d, 2**63)
        smallest = np.where(x1 >= g, x1 % g, x1 + g)  # the smallest number ≡ x[1] (mod g) other than x[1]
        guess = np.where(full > 0, predicted, np.where(d == 0, x1, smallest))
        multipliers = np.where(truth == x1, g - np.uint64(1), g) * (truth % g == x1 % g)
        joint_full = full * (truth % r == predicted) * (self.step / m)
        joint_arbitrary = arbitrary * np.where(d == 0, truth == x1, multipliers / (m - 1))
        total = full + arbitrary
        return guess, (joint_full + joint_arbitrary) / np.where(total > 0, total, 1), total > 0

    def _allowed(self, x0: Words, x1: Words, x2: Words) -> Bool[np.ndarray, " rows"]:
        """Whether the prior allows these first three numbers, given that they are from an LCG."""
        r = np.uint64(self.step)
        equal_differences = subtract(x1 % r, x0 % r, self.step) == subtract(x2 % r, x1 % r, self.step)
        if self.share == 1:
            return self._unit_apart(x1, x0) & equal_differences
        return (x2 != x1) | ~self._unit_apart(x1, x0)  # otherwise only a = 0 is possible

    def _unit_apart(self, x: Words, y: Words) -> Bool[np.ndarray, " rows"]:
        """Whether x − y is a unit modulo m."""
        r = np.uint64(self.step)  # r has the same primes as m
        return np.gcd(subtract(x % r, y % r, self.step), r) == 1


def prior_text(full_period_share: float) -> str:
    """The prior as text for tables; UserError unless the share is from 0 to 1."""
    if not 0 <= full_period_share <= 1:
        raise UserError(f"a share must be from 0 to 1, but full_period_share={full_period_share} was given")
    kinds = {1.0: "that (a, c) is uniform over full-period pairs", 0.0: "that (a, c) is uniform over all pairs"}
    return kinds.get(full_period_share, f"that (a, c) is of full period with probability {full_period_share:g}")
