"""What is measured while a model learns? Loss and accuracy on unseen parameters, and on training sequences."""

from typing import Any

import numpy as np
from jaxtyping import Bool

from unrandom.evaluation.elements import THRESHOLDS, first_lasting
from unrandom.evaluation.tally import Tally
from unrandom.models import Transformer
from unrandom.models.predictor import TransformerPredictor
from unrandom.tasks import Batches, Parameters, SequenceSet, Split

PROBES = 512  # training sequences followed


def monitored(split: Split, sequences: int) -> tuple[dict[int, Parameters], dict[int, Parameters]]:
    """The test sequences that are followed in training, ``sequences`` over all test moduli, by modulus.

    First the test's own, then those of the primes that it tests by primitive roots, with the multiplier 1.
    """
    each = max(1, sequences // len(split.held_out))

    def of(sides: Split) -> dict[int, Parameters]:
        return {part.modulus: sides.test_parameters(part.modulus, each, name="monitor") for part in sides.held_out}

    return of(split), of(split.counting())


class TrainingMeasure:
    """Maps a model to one line of metrics, always on the same sequences."""

    def __init__(self, split: Split, batches: Batches, *, test_sequences: int, precision: str) -> None:
        config = split.config
        self.tokenizer, self.precision, self.context = config.tokenizer, precision, config.context
        self.tests, self.counting = (
            {modulus: SequenceSet.of(drawn, config.context + 1) for modulus, drawn in part.items()}
            for part in monitored(split, test_sequences)
        )
        self.probe = SequenceSet.of(batches.probe(PROBES), config.context + 1)
        drawn, periods = self.probe.parameters, self.probe.parameters.periods()
        self.short = periods <= config.context  # such a sequence can be copied
        self.rule = ~self.short & (drawn.a != 1)  # Neither copying nor counting (x + c) predicts these.
        self.full = self.rule & (periods == drawn.m)  # The test sequences are of this kind, too.

    def __call__(self, model: Transformer) -> dict[str, Any]:
        predictor = TransformerPredictor(model, self.tokenizer, precision=self.precision)
        losses, tokens, rows, moduli = [], [], [], {}
        for modulus, test in self.tests.items():
            predictions, scores = predictor.read(test.numbers)
            truth = self.tokenizer.encode(test.numbers).astype(np.int64)[:, 1:]
            losses.append(scores.loss.cpu().double().mean().item())
            tokens.append(scores.best.cpu().numpy() == truth)
            rows.append(predictions.correct(test.numbers))
            moduli[str(modulus)] = {"last_number_accuracy": _share(rows[-1][:, -1])}
        for modulus, test in self.counting.items():
            right = predictor.predict(test.numbers).correct(test.numbers)
            moduli[str(modulus)]["counting_last_number_accuracy"] = _share(right[:, -1])
        correct = np.concatenate(rows)
        seen = [t for t in (2**k for k in range(17)) if t < self.context] + [self.context]
        followed = predictor.predict(self.probe.numbers).correct(self.probe.numbers)[:, -1]
        return {
            "test_loss": float(np.mean(losses)),
            "token_accuracy": _share(np.concatenate(tokens)),
            "number_accuracy": _share(correct),
            "last_number_accuracy": _share(correct[:, -1]),
            "train_short_period_accuracy": _share(followed[self.short]),
            "train_long_period_accuracy": _share(followed[~self.short]),
            "train_rule_accuracy": _share(followed[self.rule]),
            "train_full_period_accuracy": _share(followed[self.full]),
            "numbers_needed": {str(threshold): _needed(correct, threshold) for threshold in THRESHOLDS},
            "accuracy_after": {str(t): _share(correct[:, t - 1]) for t in seen},
            "test_moduli": moduli,
        }


def _needed(correct: Bool[np.ndarray, "rows guesses"], threshold: float) -> int | None:
    """The count of numbers from which on the guesses are right often enough; null where the last are not."""
    needed = first_lasting(correct.mean(axis=0), threshold)
    return int(needed) if np.isfinite(needed) else None


def _share(correct: Bool[np.ndarray, "..."]) -> float | None:
    """The accuracy as a JSON number; null where there is nothing to count."""
    return round(float(Tally.of(correct).value), 6) if correct.size else None
