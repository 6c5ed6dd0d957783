"""What follows from a linear recurrence of the bits? All of them, once the shortest recurrence is known.

A recurrence of order L is known from 2 L bits on (Berlekamp and Massey 1969; see ``mod_two``).
"""

from collections.abc import Iterator
from copy import copy

import numpy as np
from jaxtyping import UInt64

from unrandom.predictors.mod_two import ShortestRecurrence
from unrandom.predictors.protocol import Predictions, one_by_one


class RecurrencePredictor:
    """Continues the shortest linear recurrence of the bits so far; a number is ``bits`` of them, the first highest."""

    name = "recurrence"
    assumes = "that the bits obey a linear recurrence modulo 2"

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for numbers below 2^bits."""
        return one_by_one(sequences, self._guesses)

    def _guesses(self, seen: list[int]) -> Iterator[int]:
        recurrence = ShortestRecurrence()
        for number in seen:
            for place in reversed(range(self.bits)):
                recurrence.see((number >> place) & 1)
            ahead, guess = copy(recurrence), 0
            for _ in range(self.bits):
                bit = ahead.next()
                ahead.see(bit)
                guess = (guess << 1) | bit
            yield guess
