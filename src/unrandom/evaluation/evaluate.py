"""Measures a predictor's accuracy on a set of sequences by position, by digit and by label of the sequences."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt64

from unrandom.evaluation.intervals import Clustered, over_clusters
from unrandom.evaluation.tally import Tally
from unrandom.generators.residues import Digit, digits_of, to_digits
from unrandom.predictors import Predictor
from unrandom.tasks import Examples, Parameters

CHUNK = 1024  # number of sequences predicted together


@dataclass(frozen=True)
class Evaluation:
    """The guesses of a predictor on sequences of one kind. Column t of an array is for the guess of number t + 1.

    ``units`` maps the labels whose values intervals resample to names of such values; if empty, sequences are
    independent. ``abstained`` is the number of abstentions, which count as wrong.
    """

    predictor: str
    parameters: Parameters
    units: Mapping[str, str]
    correct: Bool[np.ndarray, "sequences guesses"]
    guesses: UInt64[np.ndarray, "sequences guesses"]
    truth: UInt64[np.ndarray, "sequences guesses"]
    abstained: int

    @property
    def by_position(self) -> Tally:
        """Number accuracy after 1, 2, … numbers were seen."""
        return Tally.of(self.correct, axis=0)

    @property
    def number_accuracy(self) -> Tally:
        """Accuracy over all positions. The tally's own interval is too narrow, as trials share sequences."""
        return Tally.of(self.correct)

    def clustered(self, *, last: bool = False) -> Clustered:
        """Number accuracy over all positions, or at the last one, with the values of the units as clusters."""
        return self._clustered(self.correct[:, -1:].astype(float) if last else self.correct.mean(axis=1, keepdims=True))

    def _clustered(self, accuracy: Float[np.ndarray, "sequences columns"]) -> Clustered:
        return over_clusters(accuracy, self.clusters)

    @property
    def clusters(self) -> dict[str, np.ndarray]:
        """The labels whose values are resampled, by the name of these values."""
        labels = self.parameters.labels
        return {called: labels[name] for name, called in self.units.items()}

    @property
    def basis(self) -> int:
        """The modulus whose digits numbers are decomposed into. Raises ValueError if there is none."""
        if self.parameters.basis is None:
            raise ValueError("these numbers have no digits: their task has no basis")
        return self.parameters.basis

    @property
    def digits(self) -> list[Digit]:
        """The digits that numbers are decomposed into; empty if there is no basis."""
        return [] if self.parameters.basis is None else digits_of(self.basis)

    @property
    def last_number_accuracy(self) -> Tally:
        return Tally.of(self.correct[:, -1])

    def by_digit(self, factorization: Mapping[int, int] | None = None) -> dict[str, Tally]:
        """For each digit p^w of the residue number system of m: accuracy by position.

        ``factorization`` maps pairwise coprime bases to exponents, with m as the product; default: the prime factors.
        """
        correct = self.right_digits(factorization)
        digits = digits_of(self.basis, factorization)
        return {str(digit): Tally.of(correct[..., i], axis=0) for i, digit in enumerate(digits)}

    def right_digits(
        self, factorization: Mapping[int, int] | None = None
    ) -> Bool[np.ndarray, "sequences guesses digits"]:
        """Which digits of each guess are correct, in the order of ``digits_of``; ``factorization`` as in `by_digit`."""
        m = self.basis
        guesses = self.guesses if m == 2**64 else self.guesses % np.uint64(m)
        return to_digits(guesses, m, factorization) == to_digits(self.truth, m, factorization)

    def by_group(self) -> list[dict[str, Any]]:
        """Accuracy on the last number, grouped by each label of the sequences, as JSON values.

        A group with a single value of the first unit has no interval: one multiplier says nothing about others.
        """
        return [
            {
                "label": grouping.label,
                "about": grouping.about,
                "groups": [{"group": name, **self.only(rows)._group_json()} for name, rows in grouping.rows()],
            }
            for grouping in self.parameters.groupings()
        ]

    def _group_json(self) -> dict[str, Any]:
        counts = self.counts()
        no_interval = {"low": None, "high": None, "interval": None} if 1 in list(counts.values())[:1] else {}
        return {"units": counts, **self.last_number_json(), **no_interval}

    def counts(self) -> dict[str, int]:
        """The number of distinct values of each unit, by the name of these values."""
        return {called: len(np.unique(values)) for called, values in self.clusters.items()}

    def only(self, rows: Bool[np.ndarray, " sequences"]) -> "Evaluation":
        """The evaluation of the selected sequences; their abstentions are not counted."""
        arrays = {name: getattr(self, name)[rows] for name in ("parameters", "correct", "guesses", "truth")}
        return replace(self, **arrays, abstained=0)

    def last_number_json(self) -> dict[str, Any]:
        """Accuracy on the last number with its interval, as JSON values."""
        return self._share(self.last_number_accuracy, last=True)

    def _share(self, tally: Tally, *, last: bool) -> dict[str, Any]:
        """A tally with a cluster bootstrap interval; for the last number of independent sequences, with Wilson's."""
        if not self.units and last:
            return {**tally.to_json(), "interval": f"Wilson over {len(self.correct)} independent sequences"}
        clustered = self.clustered(last=last)
        _, low, high = clustered.first()
        return {**tally.to_json(), "low": round(low, 6), "high": round(high, 6), "interval": clustered.kind}

    def curve(self) -> dict[str, list[Any]]:
        """Accuracy by position with its interval, as JSON values."""
        clustered = self._clustered(self.correct.astype(float))
        ends = zip(("low", "high"), clustered.interval(), strict=True)
        return {
            "seen": list(range(1, self.correct.shape[1] + 1)),
            "value": np.round(clustered.value, 6).tolist(),
            **{name: np.round(end, 6).tolist() for name, end in ends},
        }

    def to_json(self) -> dict[str, Any]:
        """The evaluation as JSON values, with cluster bootstraps over the units (if there are any) as intervals."""
        digits = {digit: tally.to_json() for digit, tally in self.by_digit().items()} if self.digits else {}
        return {
            "predictor": self.predictor,
            "basis": self.parameters.basis,
            "sequences": len(self.parameters),
            "units": self.counts(),
            "last_number_accuracy": self.last_number_json(),
            "number_accuracy": self._share(self.number_accuracy, last=False),
            "abstained": self.abstained,
            "by_position": self.curve(),
            "by_group": self.by_group(),
            "by_digit": {
                "digits": list(digits),
                "chance": [round(1 / digit.prime, 6) for digit in self.digits],
                "period": [self.parameters.digit_period(digit.prime, digit.power) for digit in self.digits],
                "value": [digit["value"] for digit in digits.values()],
            },
        }


def evaluate(predictor: Predictor, examples: Examples) -> Evaluation:
    """Predict every number but the first of every sequence, and compare with the true numbers."""
    numbers = examples.numbers
    chunks = [numbers[start : start + CHUNK] for start in range(0, len(numbers), CHUNK)]
    predictions = [predictor.predict(chunk) for chunk in chunks]
    return Evaluation(
        predictor.name,
        examples.parameters,
        examples.units,
        np.concatenate([p.correct(chunk) for p, chunk in zip(predictions, chunks, strict=True)]),
        np.concatenate([p.numbers for p in predictions]),
        numbers[:, 1:],
        sum(int(p.abstained.sum()) for p in predictions),
    )
