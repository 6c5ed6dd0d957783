"""What is a predictor? Anything that, for each number of a sequence, guesses it from the numbers before it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float, UInt64


@dataclass(frozen=True)
class Predictions:
    """Guesses for every number but the first.

    Entry t of a row is the guess for number t + 1 given numbers 0 … t. An abstention is marked, and counts as wrong.
    """

    numbers: UInt64[np.ndarray, "batch guesses"]
    abstained: Bool[np.ndarray, "batch guesses"]
    truth_probability: Float[np.ndarray, "batch guesses"] | None = None  # given to what came, where there is one

    def correct(self, sequences: UInt64[np.ndarray, "batch length"]) -> Bool[np.ndarray, "batch guesses"]:
        """Which guesses came true."""
        return (self.numbers == sequences[:, 1:]) & ~self.abstained


@runtime_checkable
class Predictor(Protocol):
    """``name`` is for tables; ``assumes`` says what is known besides the numbers: the modulus, the family."""

    name: str
    assumes: str

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Guess each number of each sequence from its past alone: no guess may depend on it or on what follows."""
        ...


def one_by_one(
    sequences: UInt64[np.ndarray, "batch length"], guesses: Callable[[list[int]], Iterable[int | None]]
) -> Predictions:
    """What ``guesses`` gives for each number of a sequence: the next one, or None for an abstention.

    It is given all numbers but the last, and must use no number after the one that it is at.
    """
    numbers = np.zeros(sequences[:, 1:].shape, dtype=np.uint64)
    abstained = np.ones(numbers.shape, dtype=bool)
    for row, sequence in enumerate(sequences.tolist()):
        for t, guess in enumerate(guesses(sequence[:-1])):
            if guess is not None:
                numbers[row, t], abstained[row, t] = guess, False
    return Predictions(numbers, abstained)
