"""How soon does arithmetic alone give an LCG away? After three numbers if the modulus is known, and some six if not.

With the modulus known: a d[0] ≡ d[1] (mod m) for the differences d[i] = x[i+1] − x[i]. This fixes a modulo m / g with
g = gcd(d[0], m), and as g divides all later differences, every such a gives the same ones: x[t+1] = x[t] + a d[t−1].
With it unknown: the congruences of all the differences bound it (see ``congruences``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import WORD, Integers, as_modulus, as_words
from unrandom.generators.lcg import Lcg
from unrandom.predictors.congruences import Congruences, solve
from unrandom.predictors.modular import add, multiply, subtract
from unrandom.predictors.protocol import Predictions, one_by_one

SERIES = "that the sequence is an LCG"


class AlgebraicPredictor:
    """The classical attack on x[t+1] = (a x[t] + c) mod m, for every 2 <= m <= 2**64, given or (None) unknown.

    Modulus known: it guesses from three numbers on (from two if they are equal, as all others then are), always right
    on an LCG. A row of which a guess has failed, or that has a number beyond the modulus, is none: abstains from
    there on.

    Modulus unknown: a number that came before is followed by what followed it then, which in an LCG is certain. Else
    the greatest modulus that explains all differences predicts, a multiple of the true one; it is trusted, and
    guesses are made, while its last prediction, made or withheld, came true. Where all minors are 0 (constant
    sequences, most short periods, a = 1 without a reduction) every large modulus explains the differences, and
    copying is all that is left. Abstains for good when no modulus beyond the numbers seen explains them.
    """

    name = "algebraic"

    def __init__(self, modulus: int | None = None) -> None:
        if modulus is not None:
            as_modulus(modulus)
        self.modulus = modulus
        self.assumes = SERIES if modulus is None else f"the modulus, and {SERIES}"

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Any numbers will do."""
        if self.modulus is not None:
            return _predict_modulo(sequences, self.modulus)
        return one_by_one(sequences, _guesses)


def recover(sequence: Integers, modulus: int | None = None) -> Lcg | None:
    """The generator that makes each number of a sequence from the one before, or None if there is none.

    Of the modulus given, or of the greatest that will do (up to 2**64), and with the least multiplier. A modulus found
    is a multiple of the true one, and soon equal to it. Four numbers of any kind often have a generator; six or more
    that are no LCG hardly ever do. Also None for fewer than three numbers, and where every large modulus would do: all
    minors of the differences are 0, as in constant sequences. UserError unless the numbers are from 0 to 2**64 − 1, and
    2 <= modulus <= 2**64.
    """
    numbers = [int(x) for x in as_words(sequence, name="the sequence").ravel()]
    if modulus is not None:
        as_modulus(modulus)
    if len(numbers) < 3:
        return None
    known = Congruences(modulus or 0)
    differences = [after - before for before, after in pairwise(numbers)]
    for d, e in pairwise(differences):
        known.add(d, e)
    m = known.modulus
    if not max(numbers) < m <= WORD or modulus not in (None, m):
        return None
    a = known.multiplier()
    return Lcg(m, a, (numbers[1] - a * numbers[0]) % m)


def _predict_modulo(x: UInt64[np.ndarray, "batch length"], m: int) -> Predictions:
    d = subtract(x[:, 1:], x[:, :-1], m)
    numbers = np.zeros(d.shape, dtype=np.uint64)
    made = np.zeros(d.shape, dtype=bool)
    if x.shape[1] >= 3:
        first = zip(d[:, 0].tolist(), d[:, 1].tolist(), strict=True)
        multipliers = [solve(*pair, m) for pair in first]
        a = np.array([a or 0 for a in multipliers], dtype=np.uint64)
        numbers[:, 1:] = add(x[:, 1:-1], multiply(a[:, None], d[:, :-1], m), m)
        made[:, 1] = d[:, 0] == 0  # before d[1] is known; the guess is x[1] whatever it will be
        made[:, 2:] = np.array([a is not None for a in multipliers])[:, None]
    made &= np.logical_and.accumulate(x <= np.uint64(m - 1), axis=1)[:, :-1]
    failed = made & (numbers != x[:, 1:])
    made[:, 1:] &= ~np.logical_or.accumulate(failed, axis=1)[:, :-1]
    return Predictions(np.where(made, numbers, np.uint64(0)), ~made)


def _guesses(sequence: list[int]) -> Iterator[int | None]:
    """For each number of a sequence the guess for the next one, None for an abstention."""
    attack = _Attack()
    for x in sequence:
        attack.see(x)
        yield attack.guess()


@dataclass
class _Attack:
    """What is known of a sequence of unknown modulus after some of its numbers."""

    seen: list[int] = field(default_factory=list)
    successors: dict[int, int] = field(default_factory=dict)
    known: Congruences = field(default_factory=Congruences)
    a: int = 0
    expected: int | None = None  # what the greatest modulus says comes next
    trusted: bool = False  # whether it was right about what came last
    largest: int = 0
    broken: bool = False  # no LCG makes these numbers

    def see(self, x: int) -> None:
        """One more number."""
        if self.broken:
            return
        if self.seen:
            self.broken = self.successors.setdefault(self.seen[-1], x) != x
        self.seen.append(x)
        self.largest = max(self.largest, x)
        self.trusted = self.expected == x
        if not self.trusted and len(self.seen) >= 3:  # a prediction that came true adds nothing
            before, middle, last = self.seen[-3:]
            self.known.add(middle - before, last - middle)
            self.a = self.known.multiplier() if self.known.modulus else 0
        m = self.known.modulus
        self.broken |= 0 < m <= self.largest
        self.expected = (x + self.a * (x - self.seen[-2])) % m if m and not self.broken else None

    def guess(self) -> int | None:
        """The next number, where it can be told."""
        if self.broken:
            return None
        copied = self.successors.get(self.seen[-1])
        if copied is not None:
            return copied
        return self.expected if self.trusted and self.expected is not None and self.expected < WORD else None
