"""Look-back by one distance for every modulus: the shortcut for unseen moduli.

The paper's models choose how far to look back by the modulus. One stride s for all of them, with x[n] close to
2 x[n − s] − x[n − 2 s] modulo m, is enough for many (m, a) without any choice (`generators.stride` says for which).
"""

import numpy as np
from jaxtyping import UInt64

from unrandom.core.errors import UserError
from unrandom.predictors.protocol import Predictions

LIMIT = 2**62  # numbers are below it, so that differences fit in int64


class FixedLookback:
    """The guess 2 x[n − s] − x[n − 2 s] modulo m, with one ``stride`` s for every sequence; m is not known.

    Guesses from 2 s numbers on. Where all guesses of this rule are right, each number differs from the unreduced guess
    by 0 or by ± m, so that m is the greatest common divisor of the differences so far. Abstains where the unreduced
    guess is negative and no number has differed yet, and once a number is not below that divisor: this stride is then
    wrong.
    """

    name = "fixed-lookback"

    def __init__(self, stride: int) -> None:
        if stride < 1:
            raise UserError(f"fixed-lookback looks back 1 number or more, but {stride} was given")
        self.stride = stride
        self.assumes = f"that each number follows from those {stride} and {2 * stride} before it"

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for numbers below 2^62. Raises UserError for larger ones."""
        if sequences.size and int(sequences.max()) >= LIMIT:
            raise UserError("fixed-lookback predicts numbers below 2^62")
        x, s = sequences.astype(np.int64), self.stride
        numbers, abstained = np.zeros_like(x), np.ones(x.shape, dtype=bool)
        if x.shape[1] > 2 * s:
            unreduced = 2 * x[:, s:-s] - x[:, : -2 * s]
            differences = np.abs(x[:, 2 * s :] - unreduced)
            # The greatest common divisor of the differences before each number; 0 as long as these are 0.
            modulus = np.zeros_like(differences)
            modulus[:, 1:] = np.gcd.accumulate(differences, axis=1)[:, :-1]
            largest = np.maximum.accumulate(x, axis=1)[:, 2 * s - 1 : -1]
            numbers[:, 2 * s :] = np.where(modulus > 0, unreduced % np.maximum(modulus, 1), unreduced)
            abstained[:, 2 * s :] = np.where(modulus > 0, largest >= modulus, unreduced < 0)
        return Predictions(np.where(abstained, 0, numbers)[:, 1:].astype(np.uint64), abstained[:, 1:])
