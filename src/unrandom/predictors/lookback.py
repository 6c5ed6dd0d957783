"""How far does looking back get? The algorithm that the paper finds in trained models, written by hand.

Source: the box "Qualitative Algorithm (fixed modulus)". Let n numbers be seen and p**e be the power of a prime p in
m, and let the period be full. Everything is modulo p**e, and the residues make the number (Chinese remainders).

Step ii, copy. The low digits of x[n] are those of x[n − r], r = p**k: as x mod p**k has period p**k, k digits are
certain for the largest p**k <= n. As in the paper's box each prime has its own r; a common r = ∏ p**k, which must be
up to n as well, could copy no more.

Step iii, extrapolate. Along every r-th number, r = p**k, the differences D[s] = x[s + r] − x[s] hardly change:
D[s + r] = a**r D[s]. p**k divides D, and p**(k + v) divides a**r − 1 if p**v divides a − 1 (v = 1, or 2 if p = 2 and
4 | m, by Hull–Dobell). So D[s + r] ≡ D[s], that is x[n] ≡ 2 x[n − r] − x[n − 2r], modulo p**(2k + v). For p = 2 the
largest r with 2r <= n makes these two the paper's two brightest lines, t − 2**(k−1) and t − 2**k, and they give
2k + 2 bits where copying gives k + 1.
"""

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.core.arithmetic import factorize, largest_power
from unrandom.core.errors import UserError
from unrandom.generators.residues import digits_of, from_digits, to_digits
from unrandom.predictors.modular import subtract
from unrandom.predictors.protocol import Predictions


class LookbackPredictor:
    """Copies the low digits (``steps`` = 1), and extrapolates the higher ones, too (``steps`` = 2), modulo m.

    A guess is a whole number: the digits that are not certain are filled in by the same rule.
    """

    assumes = "the modulus, and full period"

    def __init__(self, modulus: int, *, steps: int = 2) -> None:
        """2 <= modulus <= 2**64 and 1 <= steps <= 2, else UserError."""
        if steps not in (1, 2):
            raise UserError(f"looking back takes 1 step or 2, but steps={steps} was given")
        self.name = "lookback" if steps == 2 else "lookback-copy"
        self.modulus, self.steps = modulus, steps
        self.digits = digits_of(modulus)
        self.parts = {p**e: p for p, e in factorize(modulus).items()}

    def digits_known(self, t: int) -> Bool[np.ndarray, " digits"]:
        """Which digits of number t + 1 are certain from numbers 0 … t, in the order of ``digits_of(modulus)``."""
        return np.array([prime ** (power + 1) <= self._certain(prime, t + 1) for prime, power in self.digits])

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Raises UserError for a number that is not below the modulus."""
        coprime = dict.fromkeys(self.parts, 1)
        residues = to_digits(sequences, self.modulus, coprime)
        guesses = np.empty_like(residues[:, 1:])
        for i, q in enumerate(sorted(self.parts)):
            guesses[..., i] = self._next_residues(residues[..., i], q)
        numbers = from_digits(guesses, self.modulus, coprime)
        return Predictions(numbers, np.zeros(numbers.shape, dtype=bool))

    def _next_residues(self, x: UInt64[np.ndarray, "batch length"], q: int) -> UInt64[np.ndarray, "batch guesses"]:
        """Modulo q, a power of one prime."""
        p = self.parts[q]
        n = np.arange(1, max(1, x.shape[1]))  # the number to guess, and how many are seen
        if self.steps == 1:
            return x[:, n - [largest_power(seen, p) for seen in n.tolist()]]
        r = np.array([largest_power(max(1, seen // 2), p) for seen in n.tolist()], dtype=int)
        last, last_but_one = x[:, n - r], x[:, np.maximum(n - 2 * r, 0)]  # one number alone is copied
        return subtract(last, subtract(last_but_one, last, q), q)

    def _certain(self, p: int, seen: int) -> int:
        """The power of p modulo which the next number is certain, as far as m has it."""
        if self.steps == 1 or seen < 2:
            return largest_power(seen, p)
        return largest_power(seen // 2, p) ** 2 * p ** (2 if p == 2 and self.modulus % 4 == 0 else 1)
