"""Predicts an LCG by arithmetic, from three numbers if the modulus is known, and from about six if not.

Modulus known: a d[0] ≡ d[1] (mod m) for the differences d[i] = x[i+1] − x[i]. This determines a modulo m / g with
g = gcd(d[0], m). As g divides all later differences, every such a predicts the same numbers: x[t+1] = x[t] + a d[t−1].
Modulus unknown: the congruences of all differences restrict it (see ``congruences``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import WORD, Integers, as_words, top_residue
from unrandom.generators.lcg import LCG
from unrandom.predictors.congruences import Congruences, solve
from unrandom.predictors.modular import add, multiply, subtract
from unrandom.predictors.protocol import Predictions, one_by_one

LCG_ASSUMPTION = "that the sequence is an LCG"


class AlgebraicPredictor:
    """The classical attack on x[t+1] = (a x[t] + c) mod m, for every 2 <= m <= 2**64, given or (None) unknown.

    Modulus known: guesses from three numbers on (from two if they are equal, because then all are), and is always right
    on an LCG. A failed guess or a number not below the modulus shows that the row is not an LCG: abstains from there
    on.

    Modulus unknown: for a number that occurred before, guesses its previous successor, which is certain for an LCG.
    Otherwise, guesses from the greatest modulus that explains all differences, a multiple of the true one, provided
    that its last prediction (whether used as a guess or not) was right. If all minors are 0 (constant sequences, most
    short periods, a = 1 without a reduction), every large modulus explains the differences, and only copying is
    possible. Abstains for good when no modulus greater than all numbers seen explains them.
    """

    name = "algebraic"

    def __init__(self, modulus: int | None = None) -> None:
        if modulus is not None:
            top_residue(modulus)
        self.modulus = modulus
        self.assumes = LCG_ASSUMPTION if modulus is None else f"the modulus, and {LCG_ASSUMPTION}"

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for arbitrary numbers."""
        if self.modulus is not None:
            return _predict_modulo(sequences, self.modulus)
        return one_by_one(sequences, _guesses)


def recover(sequence: Integers, modulus: int | None = None) -> LCG | None:
    """The LCG that maps each number of a sequence to the next one, or None if there is none.

    It has the given modulus, or the greatest possible one (up to 2**64), and the least multiplier. A modulus found is a
    multiple of the true one, and equal to it after a few more numbers. Four arbitrary numbers often fit some LCG; six
    or more that are not from an LCG hardly ever do. None also for fewer than three numbers, and if every large modulus
    is possible: all minors of the differences are 0, as in constant sequences. UserError unless the numbers are from 0
    to 2**64 − 1, and 2 <= modulus <= 2**64.
    """
    numbers = [int(x) for x in as_words(sequence, name="the sequence").ravel()]
    if modulus is not None:
        top_residue(modulus)
    lcg = recover_exactly(numbers, modulus)
    return lcg if lcg is not None and lcg.m <= WORD else None


def recover_exactly(numbers: Sequence[int], modulus: int | None = None) -> LCG | None:
    """`recover` for whole numbers >= 0 and moduli of any size, which are not checked."""
    if len(numbers) < 3:
        return None
    known = Congruences(modulus or 0)
    differences = [after - before for before, after in pairwise(numbers)]
    for d, e in pairwise(differences):
        known.add(d, e)
    m = known.modulus
    if max(numbers) >= m or modulus not in (None, m):
        return None
    a = known.multiplier()
    return LCG(m, a, (numbers[1] - a * numbers[0]) % m)


def _predict_modulo(x: UInt64[np.ndarray, "batch length"], m: int) -> Predictions:
    d = subtract(x[:, 1:], x[:, :-1], m)
    numbers = np.zeros(d.shape, dtype=np.uint64)
    guessed = np.zeros(d.shape, dtype=bool)
    if x.shape[1] >= 3:
        first_differences = zip(d[:, 0].tolist(), d[:, 1].tolist(), strict=True)
        multipliers = [solve(*pair, m) for pair in first_differences]
        a = np.array([a or 0 for a in multipliers], dtype=np.uint64)
        numbers[:, 1:] = add(x[:, 1:-1], multiply(a[:, None], d[:, :-1], m), m)
        guessed[:, 1] = d[:, 0] == 0  # two equal numbers: guess x[1] before d[1] is known
        guessed[:, 2:] = np.array([a is not None for a in multipliers])[:, None]
    guessed &= np.logical_and.accumulate(x <= np.uint64(m - 1), axis=1)[:, :-1]
    failed = guessed & (numbers != x[:, 1:])
    guessed[:, 1:] &= ~np.logical_or.accumulate(failed, axis=1)[:, :-1]
    return Predictions(np.where(guessed, numbers, np.uint64(0)), ~guessed)


def _guesses(sequence: list[int]) -> Iterator[int | None]:
    """After each number of a sequence, the guess for the next one; None means an abstention."""
    attack = _Attack()
    for x in sequence:
        attack.see(x)
        yield attack.guess()


@dataclass
class _Attack:
    """State of the attack with unknown modulus after the numbers seen so far."""

    seen: list[int] = field(default_factory=list)
    successors: dict[int, int] = field(default_factory=dict)
    known: Congruences = field(default_factory=Congruences)
    a: int = 0
    expected: int | None = None  # next number according to the greatest possible modulus
    trusted: bool = False  # whether `expected` was right for the last number
    largest: int = 0
    broken: bool = False  # no LCG produces these numbers

    def see(self, x: int) -> None:
        """Add one more number."""
        if self.broken:
            return
        if self.seen:
            self.broken = self.successors.setdefault(self.seen[-1], x) != x
        self.seen.append(x)
        self.largest = max(self.largest, x)
        self.trusted = self.expected == x
        if not self.trusted and len(self.seen) >= 3:  # a correct prediction adds no information
            before, middle, last = self.seen[-3:]
            self.known.add(middle - before, last - middle)
            self.a = self.known.multiplier() if self.known.modulus else 0
        m = self.known.modulus
        self.broken |= 0 < m <= self.largest
        self.expected = (x + self.a * (x - self.seen[-2])) % m if m and not self.broken else None

    def guess(self) -> int | None:
        """The guess for the next number, or None for an abstention."""
        if self.broken:
            return None
        copied = self.successors.get(self.seen[-1])
        if copied is not None:
            return copied
        return self.expected if self.trusted and self.expected is not None and self.expected < WORD else None
