"""How well does a predictor do on a set of sequences, by position, by digit and by period?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt64

from unrandom.data import Parameters, SequenceSet, period_group
from unrandom.evaluation.bootstrap import bootstrap_mean
from unrandom.evaluation.tally import Tally
from unrandom.generators.residues import digits_of, to_digits
from unrandom.predictors import Predictor

CHUNK = 1024  # sequences predicted at once


@dataclass(frozen=True)
class Evaluation:
    """What a predictor did on sequences of one modulus. Column t of a table is the guess for number t + 1."""

    predictor: str
    modulus: int
    parameters: Parameters
    correct: Bool[np.ndarray, "sequences guesses"]
    guesses: UInt64[np.ndarray, "sequences guesses"]
    truth: UInt64[np.ndarray, "sequences guesses"]
    abstained: int  # guesses not made, which count as wrong

    @property
    def by_position(self) -> Tally:
        """Number accuracy after 1, 2, … numbers were seen."""
        return Tally.of(self.correct, axis=0)

    @property
    def number_accuracy(self) -> Tally:
        """Over all positions. Its trials share sequences, so that its interval is not the tally's (see ``tree``)."""
        return Tally.of(self.correct)

    def pair_accuracies(self) -> Float[np.ndarray, "pairs guesses"]:
        """Number accuracy by position for each (a, c)."""
        pairs, which = np.unique(np.stack([self.parameters.a, self.parameters.c]), axis=1, return_inverse=True)
        sums = np.zeros((pairs.shape[1], self.correct.shape[1]))
        np.add.at(sums, which.ravel(), self.correct)
        return sums / np.bincount(which.ravel())[:, None]

    def by_pair(self, *, last: bool = False) -> Float[np.ndarray, " pairs"]:
        """Number accuracy over all positions, or on the last, for each (a, c): independent units for a bootstrap."""
        accuracies = self.pair_accuracies()
        return accuracies[:, -1] if last else accuracies.mean(axis=1)

    @property
    def last_number_accuracy(self) -> Tally:
        return Tally.of(self.correct[:, -1])

    def by_digit(self, factorization: Mapping[int, int] | None = None) -> dict[str, Tally]:
        """For each digit p^w of the residue number system of m: accuracy by position.

        ``factorization`` maps pairwise coprime bases to exponents, with m as the product; none: the prime factors.
        """
        m = self.modulus
        guesses = self.guesses if m == 2**64 else self.guesses % np.uint64(m)
        right = to_digits(guesses, m, factorization) == to_digits(self.truth, m, factorization)
        return {str(digit): Tally.of(right[..., i], axis=0) for i, digit in enumerate(digits_of(m, factorization))}

    def by_period(self) -> dict[str, Tally]:
        """Accuracy on the last number by the period of the sequence, in doubling ranges."""
        periods = self.parameters.periods()
        groups = np.array([period_group(int(period)) for period in periods])
        order = dict.fromkeys(groups[np.argsort(periods, kind="stable")])
        return {group: Tally.of(self.correct[groups == group, -1]) for group in order}

    def tree(self) -> dict[str, Any]:
        """As JSON values."""
        digits = {digit: tally.tree() for digit, tally in self.by_digit().items()}
        position = self.by_position.tree()
        low, high = bootstrap_mean(self.by_pair())
        return {
            "predictor": self.predictor,
            "modulus": self.modulus,
            "sequences": len(self.parameters),
            "last_number_accuracy": self.last_number_accuracy.tree(),
            "number_accuracy": {**self.number_accuracy.tree(), "low": round(low, 6), "high": round(high, 6)},
            "abstained": self.abstained,
            "multipliers": len(np.unique(self.parameters.a)),
            "increments": len(np.unique(self.parameters.c)),
            "by_position": {
                "seen": list(range(1, self.correct.shape[1] + 1)),
                **{name: position[name] for name in ("value", "low", "high")},
            },
            "by_digit": {
                "digits": list(digits),
                "chance": [round(1 / digit.prime, 6) for digit in digits_of(self.modulus)],
                **{name: [tree[name] for tree in digits.values()] for name in ("value", "low", "high")},
            },
        }


def evaluate(predictor: Predictor, sequences: SequenceSet) -> Evaluation:
    """Predict every number but the first of every sequence (all of one modulus) and keep what came true."""
    moduli = {sequences.parameters.modulus(row) for row in range(len(sequences))}
    assert len(moduli) == 1, f"one modulus an evaluation, not {sorted(moduli)}"
    chunks = [sequences.numbers[start : start + CHUNK] for start in range(0, len(sequences), CHUNK)]
    predictions = [predictor.predict(chunk) for chunk in chunks]
    return Evaluation(
        predictor.name,
        moduli.pop(),
        sequences.parameters,
        np.concatenate([p.correct(chunk) for p, chunk in zip(predictions, chunks, strict=True)]),
        np.concatenate([p.numbers for p in predictions]),
        sequences.numbers[:, 1:],
        sum(int(p.abstained.sum()) for p in predictions),
    )
