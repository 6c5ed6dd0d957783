"""How well does a predictor do on a set of sequences, by position, by digit and by period?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.data import Parameters, SequenceSet, period_group
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
        """Over all positions. Its trials share sequences, so that they have no binomial interval."""
        return Tally.of(self.correct)

    @property
    def last_number_accuracy(self) -> Tally:
        return Tally.of(self.correct[:, -1])

    def by_digit(self) -> dict[str, Tally]:
        """For each digit p^w of the residue number system of m: accuracy by position."""
        guesses = self.guesses if self.modulus == 2**64 else self.guesses % np.uint64(self.modulus)
        right = to_digits(guesses, self.modulus) == to_digits(self.truth, self.modulus)
        return {str(digit): Tally.of(right[..., i], axis=0) for i, digit in enumerate(digits_of(self.modulus))}

    def by_period(self) -> dict[str, Tally]:
        """Accuracy on the last number by the period of the sequence, in doubling ranges."""
        periods = self.parameters.periods()
        groups = np.array([period_group(int(period)) for period in periods])
        order = dict.fromkeys(groups[np.argsort(periods, kind="stable")])
        return {group: Tally.of(self.correct[groups == group, -1]) for group in order}

    def tree(self) -> dict[str, Any]:
        """As JSON values."""
        digits = self.by_digit()
        position = self.by_position.tree()
        return {
            "predictor": self.predictor,
            "modulus": self.modulus,
            "sequences": len(self.parameters),
            "last_number_accuracy": self.last_number_accuracy.tree(),
            "number_accuracy": {name: self.number_accuracy.tree()[name] for name in ("value", "correct", "total")},
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
                **{name: [tally.tree()[name] for tally in digits.values()] for name in ("value", "low", "high")},
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
