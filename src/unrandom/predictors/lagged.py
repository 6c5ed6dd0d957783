"""How soon is a generator given away that adds or subtracts two of its earlier outputs? Once a pair of lags has come
true a few times: lagged Fibonacci generators, and those with a carry of Marsaglia and Zaman (1991).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, log2

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import as_modulus
from unrandom.predictors.protocol import Predictions, one_by_one

LONGEST = 64
"""The longest lag that is tried."""

CARRYING = ((1, 1), (1, -1), (-1, 1))
KINDS = (*product((*CARRYING, (-1, -1)), (False,)), *product(CARRYING, (True,)))
"""Signs of the two numbers, and whether there is a carry."""

MOST = 4096
"""Pairs of lags that are followed: those of random numbers are far fewer after one number."""

CERTAIN = 32
"""Bits that a pair of lags must have foretold: of some 2**14 pairs, one in 2**18 sets has a wrong one that did."""


class LaggedPredictor:
    """x[t] = ± x[t−r] ± x[t−s] mod m, with a carry unless both are subtracted; lags, signs and carry unknown, up to 64.

    The modulus is known, 2 <= m <= 2**64, else UserError. The carry is 1 after a sum or difference that had to be
    reduced. Guesses what the shortest lags say that have always been right and have foretold 32 bits; abstains where
    there are none.
    """

    name = "lagged"
    assumes = "the modulus, and that each number adds or subtracts two earlier ones"

    def __init__(self, modulus: int) -> None:
        as_modulus(modulus)
        self.modulus = modulus

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Numbers from the modulus on obey no rule."""
        return one_by_one(sequences, self._guesses)

    def _guesses(self, sequence: list[int]) -> Iterator[int | None]:
        enough = ceil(CERTAIN / log2(self.modulus))
        rules: list[_Rule] = []
        for t in range(len(sequence)):
            rules = [rule for rule in rules if rule.foretold(sequence, t)]
            if 2 <= t <= LONGEST:
                fresh = (
                    _Rule(self.modulus, near, t, signs, carries)
                    for near, (signs, carries) in product(range(1, t), KINDS)
                )
                rules = (rules + [rule for rule in fresh if rule.starts(sequence)])[:MOST]
            best = next((rule for rule in rules if rule.right >= enough), None)
            yield None if best is None else best.total(sequence, t + 1) % self.modulus


@dataclass
class _Rule:
    """x[t] = signs[0] x[t − near] + signs[1] x[t − far] ± carry: what it said of the numbers so far."""

    modulus: int
    near: int
    far: int
    signs: tuple[int, int]
    carries: bool
    carry: int = 0
    right: int = 0

    def total(self, x: list[int], t: int) -> int:
        """What it says of number t, before it is reduced."""
        by = self.carry if self.signs == (1, 1) else -self.carry
        return self.signs[0] * x[t - self.near] + self.signs[1] * x[t - self.far] + by

    def starts(self, x: list[int]) -> bool:
        """Whether it goes for the first number that it can go for; that tells the carry."""
        for carry in (0, 1) if self.carries else (0,):
            self.carry = carry
            if self.foretold(x, self.far):
                return True
        return False

    def foretold(self, x: list[int], t: int) -> bool:
        """Whether number t came out as it says."""
        total = self.total(x, t)
        if total % self.modulus != x[t]:
            return False
        self.right += 1
        self.carry = int(self.carries and not 0 <= total < self.modulus)
        return True
