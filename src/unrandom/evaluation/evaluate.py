"""How well does a predictor do on a set of sequences, by position, by digit and by period?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt64

from unrandom.core.arithmetic import factorize, valuation
from unrandom.evaluation.intervals import Clustered, over_clusters
from unrandom.evaluation.tally import Tally
from unrandom.generators.residues import digits_of, to_digits
from unrandom.predictors import Predictor
from unrandom.tasks import Parameters, SequenceSet, period_group

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

    def clustered(self, *, last: bool = False) -> Clustered:
        """Number accuracy over all positions, or on the last one, over multipliers and increments as clusters."""
        return self._clustered(self.correct[:, -1:].astype(float) if last else self.correct.mean(axis=1, keepdims=True))

    def _clustered(self, right: Float[np.ndarray, "sequences columns"]) -> Clustered:
        return over_clusters(right, self.parameters.a, self.parameters.c)

    @property
    def last_number_accuracy(self) -> Tally:
        return Tally.of(self.correct[:, -1])

    def by_digit(self, factorization: Mapping[int, int] | None = None) -> dict[str, Tally]:
        """For each digit p^w of the residue number system of m: accuracy by position.

        ``factorization`` maps pairwise coprime bases to exponents, with m as the product; none: the prime factors.
        """
        right = self.right_digits(factorization)
        digits = digits_of(self.modulus, factorization)
        return {str(digit): Tally.of(right[..., i], axis=0) for i, digit in enumerate(digits)}

    def right_digits(
        self, factorization: Mapping[int, int] | None = None
    ) -> Bool[np.ndarray, "sequences guesses digits"]:
        """Which digits of each guess are right, in the order of ``digits_of``; ``factorization`` as in `by_digit`."""
        m = self.modulus
        guesses = self.guesses if m == 2**64 else self.guesses % np.uint64(m)
        return to_digits(guesses, m, factorization) == to_digits(self.truth, m, factorization)

    def by_period(self) -> dict[str, Tally]:
        """Accuracy on the last number by the period of the sequence, in doubling ranges."""
        periods = self.parameters.periods()
        groups = np.array([period_group(int(period)) for period in periods])
        order = dict.fromkeys(groups[np.argsort(periods, kind="stable")])
        return {group: Tally.of(self.correct[groups == group, -1]) for group in order}

    def by_valuation(self) -> list[dict[str, Any]]:
        """Accuracy on the last number by v_p(a − 1), how often each prime p of m divides a − 1, as JSON values.

        It decides how soon the digits of a full-period sequence become predictable: the more often, the easier.
        Multipliers of less than full period, which some p does not divide once, have no rows; a = 1 has valuation None.
        A single multiplier has no interval, as it says nothing of others.
        """
        rows = []
        for prime in factorize(self.modulus):
            valuations = self.valuations(prime)
            if (valuations == 0).any():
                return []
            for v in np.unique(valuations):
                own = self.only(valuations == v)
                multipliers = len(np.unique(own.parameters.a))
                which = {"prime": prime, "valuation": int(v) if np.isfinite(v) else None, "multipliers": multipliers}
                alone = {"low": None, "high": None, "interval": None} if multipliers == 1 else {}
                rows.append({**which, **own.last_number_tree(), **alone})
        return rows

    def valuations(self, prime: int) -> Float[np.ndarray, " sequences"]:
        """v_p(a − 1) of each sequence, how often the prime p divides a − 1; infinite for a = 1."""
        differences = [int(a) - 1 for a in self.parameters.a]
        return np.array([valuation(each, prime) if each else np.inf for each in differences], dtype=float)

    def only(self, rows: Bool[np.ndarray, " sequences"]) -> "Evaluation":
        """Some of the sequences; how many abstentions are theirs is not counted."""
        arrays = {name: getattr(self, name)[rows] for name in ("parameters", "correct", "guesses", "truth")}
        return replace(self, **arrays, abstained=0)

    def last_number_tree(self) -> dict[str, Any]:
        """Accuracy on the last number with its interval, as JSON values."""
        return _share(self.last_number_accuracy, self.clustered(last=True))

    def curve(self) -> dict[str, list[Any]]:
        """Accuracy by position with its interval, as JSON values."""
        clustered = self._clustered(self.correct.astype(float))
        ends = zip(("low", "high"), clustered.interval(), strict=True)
        return {
            "seen": list(range(1, self.correct.shape[1] + 1)),
            "value": np.round(clustered.value, 6).tolist(),
            **{name: np.round(end, 6).tolist() for name, end in ends},
        }

    def tree(self) -> dict[str, Any]:
        """As JSON values. Intervals are two-way cluster bootstraps over multipliers and increments."""
        digits = {digit: tally.tree() for digit, tally in self.by_digit().items()}
        return {
            "predictor": self.predictor,
            "modulus": self.modulus,
            "sequences": len(self.parameters),
            "last_number_accuracy": self.last_number_tree(),
            "number_accuracy": _share(self.number_accuracy, self.clustered()),
            "abstained": self.abstained,
            "multipliers": len(np.unique(self.parameters.a)),
            "increments": len(np.unique(self.parameters.c)),
            "by_position": self.curve(),
            "by_valuation": self.by_valuation(),
            "by_digit": {
                "digits": list(digits),
                "chance": [round(1 / digit.prime, 6) for digit in digits_of(self.modulus)],
                "value": [tree["value"] for tree in digits.values()],
            },
        }


def _share(tally: Tally, clustered: Clustered) -> dict[str, Any]:
    """A tally with the interval that its clusters allow."""
    _, low, high = clustered.first()
    return {**tally.tree(), "low": round(low, 6), "high": round(high, 6), "interval": clustered.kind}


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
