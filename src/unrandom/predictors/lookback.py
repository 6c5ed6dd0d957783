"""Predicts by look-back, with hand-written rules: the algorithm that the paper finds in trained models, and its higher
orders.

Let p**e be the power of a prime p in m, and let the period be full. All equations are modulo p**e; the residues are
combined to a number by the Chinese remainder theorem.

Order 1, copy (step ii of the box "Qualitative Algorithm (fixed modulus)"). x[n] has the low digits of
x[n − r], r = p**k: as x mod p**k has period p**k, k digits are certain for the largest p**k <= n. As in the paper's box
each prime has its own r; a common r = ∏ p**k, also bounded by n, could not copy more digits.

Order 2, extrapolate (step iii). Along every r-th number the differences hardly change, so that x[n] is close to
2 x[n − r] − x[n − 2r]. For p = 2 these are the paper's two brightest lines, t − 2**(k−1) and t − 2**k.

Order j. Let Δ be the difference over r = p**k steps and v = v_p(a − 1) the valuation of a − 1: v >= 1, and v >= 2 for
p = 2 if 4 | m, by Hull–Dobell. Then p divides Δ^j x[t] exactly k + (j − 1)(k + v) times, or at least e times: with
p-adic integers, x[t] = d a**t / (a − 1) + constant, where d = (a − 1) x[0] + c is prime to p, so that
Δ^j x[t] = (a**r − 1)**j a**t d / (a − 1), and p divides a**r − 1 exactly k + v times (lifting the exponent). So j
numbers at distances r, 2r, …, jr give that many digits of x[n] with weights that are the same for every a and c, the
binomial coefficients with alternating signs. For r = 1 and all digits, j − 1 is Knuth's potency (The Art of Computer
Programming, volume 2, section 3.2.1.3). The context needed for all digits grows as m**(1/j), in steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.core.arithmetic import factorize, largest_power, valuation
from unrandom.core.errors import UserError
from unrandom.generators.residues import digits_of, from_digits, to_digits
from unrandom.predictors.modular import add, subtract
from unrandom.predictors.protocol import Predictions

MAX_ORDER = 64
NAMES_BY_ORDER = {1: "lookback-copy", 2: "lookback"}


def certain_digits(order: int, k: int, v: int) -> int:
    """Base-p digits that ``order`` numbers, p**k steps apart, determine if p divides a − 1 at least v times."""
    return k + (order - 1) * (k + v)


@dataclass(frozen=True)
class Lines:
    """A look-back at ``order`` numbers, at distances stride, 2 stride, …, which determines ``digits`` digits."""

    order: int
    stride: int
    digits: int


def best_lines(p: int, seen: int, *, order: int, v: int) -> Lines:
    """The look-back that determines most digits, over orders 1 to ``order`` and the strides p**k that fit in ``seen``
    >= 1 numbers.

    Ties are broken in favour of the highest order, which gains most if p divides a − 1 more than ``v`` times.
    """
    options = []
    for j in range(1, min(order, seen) + 1):
        stride = largest_power(seen // j, p)
        options.append(Lines(j, stride, certain_digits(j, valuation(stride, p), v)))
    return max(options, key=lambda lines: (lines.digits, lines.order))


def _extrapolate(back: Sequence[UInt64[np.ndarray, "batch guesses"]], q: int) -> UInt64[np.ndarray, "batch guesses"]:
    """The next number modulo q with a difference of order len(back) of 0; back[i] is i + 1 strides back."""
    guess = np.zeros_like(back[0])
    while back:
        guess = add(guess, back[0], q)
        back = [subtract(later, earlier, q) for later, earlier in pairwise(back)]
    return guess


class LookbackPredictor:
    """Look-back at up to ``order`` numbers, with weights independent of a and c: order 1 copies, order 2 extrapolates.

    A guess is a complete number: digits that are not certain are computed by the same rule.
    """

    assumes = "the modulus, and full period"

    def __init__(self, modulus: int, *, order: int = 2) -> None:
        """2 <= modulus <= 2**64 and 1 <= order <= 64, else UserError."""
        if not 1 <= order <= MAX_ORDER:
            raise UserError(f"look-back needs an order from 1 to {MAX_ORDER}, but order={order} was given")
        self.name = NAMES_BY_ORDER.get(order, f"lookback:{order}")
        self.modulus, self.order = modulus, order
        self.digits = digits_of(modulus)
        self.parts = {p**e: p for p, e in factorize(modulus).items()}

    def digits_known(self, t: int) -> Bool[np.ndarray, " digits"]:
        """Which digits of number t + 1 are certain from numbers 0 … t, in the order of ``digits_of(modulus)``."""
        known = {p: self._lines(p, t + 1).digits for p in self.parts.values()}
        return np.array([digit.power < known[digit.prime] for digit in self.digits])

    def numbers_needed(self) -> int:
        """The least number of numbers seen after which every digit is certain."""
        return max(self._numbers_for(valuation(q, p), p) for q, p in self.parts.items())

    def _numbers_for(self, e: int, p: int) -> int:
        """The least number of numbers, j p**k, that determines e digits of base p."""
        v, counts = self._least_valuation(p), []
        for j in range(1, self.order + 1):
            k = next(k for k in range(e + 1) if certain_digits(j, k, v) >= e)
            counts.append(j * p**k)
        return min(counts)

    def share_right(self, t: int) -> Fraction:
        """The share of full-period multipliers whose guess of number t + 1 is correct, for every c and x[0].

        One in p**i multipliers of full period modulo p**e has v_p(a − 1) at least i more than the least.
        """
        share = Fraction(1)
        for q, p in self.parts.items():
            lines, e, least = self._lines(p, t + 1), valuation(q, p), self._least_valuation(p)
            k = valuation(lines.stride, p)
            sufficient = next((v for v in range(least, e + 1) if certain_digits(lines.order, k, v) >= e), None)
            share *= 0 if sufficient is None else Fraction(1, p ** (sufficient - least))
        return share

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions without abstentions. Raises UserError for a number that is not below the modulus."""
        coprime = dict.fromkeys(self.parts, 1)
        residues = to_digits(sequences, self.modulus, coprime)
        guesses = np.empty_like(residues[:, 1:])
        for i, q in enumerate(sorted(self.parts)):
            guesses[..., i] = self._next_residues(residues[..., i], q)
        numbers = from_digits(guesses, self.modulus, coprime)
        return Predictions(numbers, np.zeros(numbers.shape, dtype=bool))

    def _next_residues(self, x: UInt64[np.ndarray, "batch length"], q: int) -> UInt64[np.ndarray, "batch guesses"]:
        """Guesses modulo q, a power of one prime."""
        positions: dict[Lines, list[int]] = {}  # positions n to guess, by the look-back used after n numbers seen
        for n in range(1, x.shape[1]):
            positions.setdefault(self._lines(self.parts[q], n), []).append(n)
        guesses = np.empty_like(x[:, 1:])
        for lines, chosen in positions.items():
            at = np.array(chosen)
            guesses[:, at - 1] = _extrapolate([x[:, at - i * lines.stride] for i in range(1, lines.order + 1)], q)
        return guesses

    def _lines(self, p: int, seen: int) -> Lines:
        return best_lines(p, seen, order=self.order, v=self._least_valuation(p))

    def _least_valuation(self, p: int) -> int:
        """The least v_p(a − 1) of a full-period multiplier."""
        return 2 if p == 2 and self.modulus % 4 == 0 else 1
