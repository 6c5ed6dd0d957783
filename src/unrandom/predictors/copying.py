"""What can be predicted by copying alone? The successor of a number that occurred before."""

import numpy as np
from jaxtyping import UInt64

from unrandom.predictors.protocol import Predictions


class CopyPredictor:
    """The number that followed the last earlier occurrence of the current one; abstains if it never occurred.

    If the numbers are the whole state, as in an LCG, such guesses are always right, so that copying predicts short
    periods.
    """

    name = "copy"
    assumes = "nothing"

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for arbitrary numbers."""
        order = np.argsort(sequences, axis=1, kind="stable")  # equal numbers become neighbours, ordered by time
        ordered = np.take_along_axis(sequences, order, axis=1)
        repeats = ordered[:, 1:] == ordered[:, :-1]
        earlier = np.full(sequences.shape, -1)
        np.put_along_axis(earlier, order[:, 1:], np.where(repeats, order[:, :-1], -1), axis=1)
        earlier = earlier[:, :-1]
        copied = np.take_along_axis(sequences, earlier + 1, axis=1)
        abstained = earlier < 0
        return Predictions(np.where(abstained, np.uint64(0), copied), abstained)
