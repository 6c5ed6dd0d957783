"""Predicts generators that add or subtract two earlier outputs, from a few more outputs than the longest lag, by
testing all pairs of lags: lagged Fibonacci generators, and those with a carry (Marsaglia and Zaman 1991)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, log2

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import top_residue
from unrandom.predictors.protocol import Predictions, one_by_one

MAX_LAG = 64  # the longest lag that is tried

SIGNS_WITH_CARRY = ((1, 1), (1, -1), (-1, 1))
SIGNS_AND_CARRY = (*product((*SIGNS_WITH_CARRY, (-1, -1)), (False,)), *product(SIGNS_WITH_CARRY, (True,)))
"""The combinations tried: signs of the two numbers, and whether there is a carry."""

MAX_RULES = 4096  # largest number of rules tested in parallel; on random numbers, a single number refutes most of them
SIGNIFICANCE_BITS = 32  # predicted by a rule: with about 2**14 rules, a wrong one does so with probability 2**-18


class LaggedPredictor:
    """x[t] = ± x[t−r] ± x[t−s] mod m, with a carry unless both are subtracted; unknown lags (up to 64), signs and
    carry.

    The modulus is known, 2 <= m <= 2**64, else UserError. The carry is 1 after a sum or difference that had to be
    reduced. Guesses by the rule with the shortest lags that has always been right and has predicted 32 bits; abstains
    if there is none.
    """

    name = "lagged"
    assumes = "the modulus, and that each number adds or subtracts two earlier ones"

    def __init__(self, modulus: int) -> None:
        top_residue(modulus)
        self.modulus = modulus

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for arbitrary numbers; a number that is not below the modulus refutes every rule."""
        return one_by_one(sequences, self._guesses)

    def _guesses(self, sequence: list[int]) -> Iterator[int | None]:
        required = ceil(SIGNIFICANCE_BITS / log2(self.modulus))
        rules: list[_Rule] = []
        for t in range(len(sequence)):
            rules = [rule for rule in rules if rule.holds(sequence, t)]
            if 2 <= t <= MAX_LAG:
                new_rules = (
                    _Rule(self.modulus, near, t, signs, has_carry)
                    for near, (signs, has_carry) in product(range(1, t), SIGNS_AND_CARRY)
                )
                rules = (rules + [rule for rule in new_rules if rule.starts(sequence)])[:MAX_RULES]
            shortest = next((rule for rule in rules if rule.correct >= required), None)
            yield None if shortest is None else shortest.total(sequence, t + 1) % self.modulus


@dataclass
class _Rule:
    """The rule x[t] = signs[0] x[t − near] + signs[1] x[t − far] ± carry, with its state."""

    modulus: int
    near: int
    far: int
    signs: tuple[int, int]
    has_carry: bool
    carry: int = 0
    correct: int = 0  # number of correct predictions

    def total(self, x: list[int], t: int) -> int:
        """The prediction for number t, before reduction."""
        carry = self.carry if self.signs == (1, 1) else -self.carry
        return self.signs[0] * x[t - self.near] + self.signs[1] * x[t - self.far] + carry

    def starts(self, x: list[int]) -> bool:
        """True if the rule holds for its first testable number; this also fixes the initial carry."""
        for carry in (0, 1) if self.has_carry else (0,):
            self.carry = carry
            if self.holds(x, self.far):
                return True
        return False

    def holds(self, x: list[int], t: int) -> bool:
        """True if the rule predicts number t; updates the carry and the count."""
        total = self.total(x, t)
        if total % self.modulus != x[t]:
            return False
        self.correct += 1
        self.carry = int(self.has_carry and not 0 <= total < self.modulus)
        return True
