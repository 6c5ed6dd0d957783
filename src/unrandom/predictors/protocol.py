"""A predictor is an object that guesses each number of a sequence from the numbers before it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float, UInt64


@dataclass(frozen=True)
class Predictions:
    """Guesses for every number of a sequence but the first.

    Entry t of a row is the guess for number t + 1 given numbers 0 … t. Abstentions are marked, and count as wrong.
    ``truth_probability`` is the probability assigned to the true number, None if the predictor has no probabilities.
    """

    numbers: UInt64[np.ndarray, "batch guesses"]
    abstained: Bool[np.ndarray, "batch guesses"]
    truth_probability: Float[np.ndarray, "batch guesses"] | None = None

    def correct(self, sequences: UInt64[np.ndarray, "batch length"]) -> Bool[np.ndarray, "batch guesses"]:
        return (self.numbers == sequences[:, 1:]) & ~self.abstained


@runtime_checkable
class Predictor(Protocol):
    """``name`` is used in tables; ``assumes`` is what is known besides the numbers (the modulus, the family)."""

    name: str
    assumes: str

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Guess each number of each sequence from the numbers before it only."""


def one_by_one(
    sequences: UInt64[np.ndarray, "batch length"], guesses: Callable[[list[int]], Iterable[int | None]]
) -> Predictions:
    """Predictions from a function that processes one sequence at a time.

    ``guesses`` receives all numbers of a sequence but the last, and yields for each one a guess for the next number, or
    None for an abstention; it must not use numbers after the current one.
    """
    numbers = np.zeros(sequences[:, 1:].shape, dtype=np.uint64)
    abstained = np.ones(numbers.shape, dtype=bool)
    for row, sequence in enumerate(sequences.tolist()):
        for t, guess in enumerate(guesses(sequence[:-1])):
            if guess is not None:
                numbers[row, t], abstained[row, t] = guess, False
    return Predictions(numbers, abstained)
