"""What is measured while a model learns? Loss and accuracy on unseen parameters, and on training sequences."""

from typing import Any

import numpy as np
from jaxtyping import Bool

from unrandom.data import Batches, SequenceSet, Split
from unrandom.evaluation.tally import Tally
from unrandom.models import Transformer
from unrandom.predictors.transformer import TransformerPredictor

PROBES = 512  # training sequences followed


class TrainingMeasure:
    """Maps a model to one line of metrics, always on the same sequences."""

    def __init__(self, split: Split, batches: Batches, *, test_sequences: int, precision: str) -> None:
        config = split.config
        self.tokenizer, self.precision, self.context = config.tokenizer, precision, config.context
        each, counting = max(1, test_sequences // len(split.held_out)), split.counting()
        self.tests = {
            part.modulus: SequenceSet.of(split.test_parameters(part.modulus, each, name="monitor"), config.context + 1)
            for part in split.held_out
        }
        self.counting = {
            part.modulus: SequenceSet.of(
                counting.test_parameters(part.modulus, each, name="monitor"), config.context + 1
            )
            for part in counting.held_out
        }
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
            "accuracy_after": {str(t): _share(correct[:, t - 1]) for t in seen},
            "test_moduli": moduli,
        }


def _share(correct: Bool[np.ndarray, "..."]) -> float | None:
    """The accuracy as a JSON number; null where there is nothing to count."""
    return round(float(Tally.of(correct).value), 6) if correct.size else None
