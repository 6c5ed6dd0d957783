"""Predicts by copying alone: the successor of a number, or of several, that occurred before."""

import numpy as np
from jaxtyping import Integer, UInt64

from unrandom.core.errors import UserError
from unrandom.predictors.protocol import Predictions


class CopyPredictor:
    """The number that followed the last earlier occurrence of the current one; abstains if it never occurred.

    If the numbers are the whole state, as in an LCG, such guesses are always right, so that copying predicts short
    periods. If they are not, ``numbers`` of them in a row may be: it then copies what followed the last occurrence of
    the last ``numbers`` numbers, or of the longest part of these, up to the current one, that occurred before.
    """

    assumes = "nothing"

    def __init__(self, numbers: int = 1) -> None:
        if numbers < 1:
            raise UserError(f"copying needs one number or more that recur, but {numbers} was given")
        self.numbers = numbers
        self.name = "copy" if numbers == 1 else f"copy:{numbers}"

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for arbitrary numbers."""
        runs = sequences
        found = _copies(sequences, runs)
        for length in range(2, min(self.numbers, sequences.shape[1]) + 1):
            runs = _longer(runs, sequences, length)
            longer = _copies(sequences, runs)
            numbers = np.where(longer.abstained, found.numbers, longer.numbers)
            found = Predictions(numbers, found.abstained & longer.abstained)
        return found


def _longer(
    runs: Integer[np.ndarray, "batch length"], sequences: UInt64[np.ndarray, "batch length"], length: int
) -> Integer[np.ndarray, "batch length"]:
    """Labels of the last ``length`` numbers at each place, given labels of the last ``length`` − 1: equal for equal
    numbers. The first ``length`` − 1 places, which have fewer numbers, have labels of their own."""
    longer = -1 - np.broadcast_to(np.arange(sequences.shape[1]), sequences.shape)
    pairs = np.stack([runs[:, length - 2 : -1].ravel().astype(np.uint64), sequences[:, length - 1 :].ravel()])
    longer[:, length - 1 :] = np.unique(pairs, axis=1, return_inverse=True)[1].reshape(len(sequences), -1)
    return longer


def _copies(sequences: UInt64[np.ndarray, "batch length"], runs: Integer[np.ndarray, "batch length"]) -> Predictions:
    """The number after the last earlier place with the same label, for each place."""
    order = np.argsort(runs, axis=1, kind="stable")  # equal labels become neighbours, ordered by time
    ordered = np.take_along_axis(runs, order, axis=1)
    repeats = ordered[:, 1:] == ordered[:, :-1]
    earlier = np.full(sequences.shape, -1)
    np.put_along_axis(earlier, order[:, 1:], np.where(repeats, order[:, :-1], -1), axis=1)
    earlier = earlier[:, :-1]
    copied = np.take_along_axis(sequences, earlier + 1, axis=1)
    abstained = earlier < 0
    return Predictions(np.where(abstained, np.uint64(0), copied), abstained)
