"""Predicts generators that are linear modulo 2 (shift registers, xorshifts, Mersenne twisters) by the
Berlekamp–Massey algorithm, from twice the order of the shortest linear recurrence of their bits (Berlekamp and
Massey 1969)."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import UInt64

from unrandom.core.errors import UserError
from unrandom.predictors.mod_two import MARGIN, ShortestRecurrence
from unrandom.predictors.protocol import Predictions, one_by_one


class LinearPredictor:
    """Numbers of ``bits`` bits (1 to 64), each bit with a linear recurrence of its own modulo 2.

    Guesses while the recurrences of all bits are determined with a margin; after a bit violates its recurrence,
    abstains until a longer one is determined. UserError for another number of bits.
    """

    name = "linear"
    assumes = "that each bit is linear modulo 2"

    def __init__(self, bits: int) -> None:
        if not 1 <= bits <= 64:
            raise UserError(f"numbers have 1 to 64 bits; {bits} were requested")
        self.bits = bits

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for arbitrary numbers; only their lowest ``bits`` bits are used."""
        return one_by_one(sequences, self._guesses)

    def _guesses(self, sequence: list[int]) -> Iterator[int | None]:
        planes = [ShortestRecurrence() for _ in range(self.bits)]
        for count, number in enumerate(sequence, start=1):
            for bit, plane in enumerate(planes):
                plane.see((number >> bit) & 1)
            if all(2 * plane.order + MARGIN <= count for plane in planes):
                yield sum(plane.next() << bit for bit, plane in enumerate(planes))
            else:
                yield None
