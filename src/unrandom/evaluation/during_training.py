"""Measures loss and accuracy during training, on unseen parameters and on some training sequences."""

from typing import Any

import numpy as np
from jaxtyping import Bool

from unrandom.evaluation.context_needed import THRESHOLDS, first_lasting
from unrandom.evaluation.tally import Tally
from unrandom.models import Transformer
from unrandom.models.predictor import TransformerPredictor
from unrandom.tasks import Batches, Examples, Split

PROBES = 512  # number of training sequences to measure accuracy on
MONITOR = "monitor"  # stream name of the test sequences for training curves


class TrainingMeasure:
    """A function from a model to one line of metrics, always on the same sequences."""

    def __init__(self, split: Split, batches: Batches, *, test_sequences: int, precision: str) -> None:
        task, parts = split.task, split.parts
        self.tokenizer, self.precision, self.parts = task.tokenizer, precision, task.part_name[1]
        per_part = max(1, test_sequences // len(parts))
        self.tests = {part: split.test(part, per_part, name=MONITOR).numbers for part in parts}
        self.further = {
            part: {name: drawn.numbers(task.context + 1) for name, drawn in split.followed(part, per_part).items()}
            for part in parts
        }
        probe = Examples.of(batches.probe(PROBES), task.context + 1)
        self.probe, self.kinds = probe.numbers, probe.parameters.followed(task.context)

    def __call__(self, model: Transformer) -> dict[str, Any]:
        predictor = TransformerPredictor(model, self.tokenizer, precision=self.precision)
        losses, tokens, rows, parts = [], [], [], {}
        for part, numbers in self.tests.items():
            predictions, scores = predictor.read(numbers)
            truth = self.tokenizer.encode(numbers).astype(np.int64)[:, 1:]
            losses.append(scores.loss.cpu().double().mean().item())
            tokens.append(scores.best.cpu().numpy() == truth)
            rows.append(predictions.correct(numbers))
            parts[str(part)] = {"last_number_accuracy": _share(rows[-1][:, -1])}
        for part, further in self.further.items():
            for name, numbers in further.items():
                correct = predictor.predict(numbers).correct(numbers)
                parts[str(part)][f"{name}_last_number_accuracy"] = _share(correct[:, -1])
        correct = np.concatenate(rows)
        seen = [t for t in (2**k for k in range(17)) if t < correct.shape[1]] + [correct.shape[1]]
        probed = predictor.predict(self.probe).correct(self.probe)[:, -1]
        return {
            "test_loss": float(np.mean(losses)),
            "token_accuracy": _share(np.concatenate(tokens)),
            "number_accuracy": _share(correct),
            "last_number_accuracy": _share(correct[:, -1]),
            **{
                "_".join(filter(None, ("train", kind, "accuracy"))): _share(probed[members])
                for kind, members in self.kinds.items()
            },
            "numbers_needed": {str(threshold): _context_needed(correct, threshold) for threshold in THRESHOLDS},
            "accuracy_after": {str(t): _share(correct[:, t - 1]) for t in seen},
            f"test_{self.parts}": parts,
        }


def _context_needed(correct: Bool[np.ndarray, "rows guesses"], threshold: float) -> int | None:
    """The context needed for this accuracy; None if the last position does not reach it."""
    needed = first_lasting(correct.mean(axis=0), threshold)
    return int(needed) if np.isfinite(needed) else None


def _share(correct: Bool[np.ndarray, "..."]) -> float | None:
    """The accuracy as a JSON number; None if there are no predictions."""
    return round(float(Tally.of(correct).value), 6) if correct.size else None
