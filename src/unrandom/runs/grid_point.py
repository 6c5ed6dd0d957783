"""How good is one grid point of a sweep? Measured on what settings are chosen by, and on what the choice is tested on.

The two have no parameters in common, and training has seen neither.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unrandom.core.files import read_json, write_json
from unrandom.evaluation import Clustered, Evaluation, evaluate, mean_of
from unrandom.models import parameter_count
from unrandom.runs.run import Run
from unrandom.tasks import Examples, Part, Split
from unrandom.training.machine import choose_device

SIDES = ("validation", "test")


def sets_to_measure(split: Split, sequences: int) -> dict[str, dict[Part, Examples]]:
    """Sequences for validation and for testing, ``sequences`` of each part of the test."""
    sides = zip(SIDES, split.validation_and_test(), strict=True)
    return {name: {part: side.test(part, sequences, name=name) for part in side.parts} for name, side in sides}


def measured_point(run: Run, sequences: int) -> dict[str, Any]:
    """What ``measure_point`` gives for a finished run; it is kept in the run folder, and measured once.

    Raises Busy, a UserError, when it has to be measured and another process holds the folder.
    """
    if not is_measured(run.folder.path, sequences):
        with run.folder.lock():
            path = run.folder.path / "sweep.json"
            kept = read_json(path) if path.is_file() else {}
            if str(sequences) not in kept:  # nobody did meanwhile
                write_json(path, {**kept, str(sequences): measure_point(run, sequences)})
    return read_json(run.folder.path / "sweep.json")[str(sequences)]


def is_measured(folder: Path, sequences: int) -> bool:
    """Whether ``measured_point`` has its answer for this run folder already."""
    path = folder / "sweep.json"
    return path.is_file() and str(sequences) in read_json(path)


def measure_point(run: Run, sequences: int) -> dict[str, Any]:
    """One row: what training took, and accuracies with 95 % intervals over all parts of the test and for each of them.

    ``last`` is the accuracy on the last number, ``number`` over all positions; both intervals are cluster
    bootstraps over the values that sequences share. Parts, which are moduli for LCGs, count alike.
    """
    predictor = run.predictor(choose_device())
    result = run.result()
    row: dict[str, Any] = {
        "steps": result["steps"],
        "train_seconds": result["train_seconds"],
        "parameters": parameter_count(run.config.transformer),
    }
    for name, parts in sets_to_measure(run.split(), sequences).items():
        row |= _accuracies(name, {part: evaluate(predictor, examples) for part, examples in parts.items()})
    return row


def _accuracies(name: str, tested: dict[Part, Evaluation]) -> dict[str, Any]:
    row = {
        **_mean(f"{name}_last", [each.clustered(last=True) for each in tested.values()]),
        **_mean(f"{name}_number", [each.clustered() for each in tested.values()]),
    }
    for part, each in tested.items():
        row |= {
            f"{name}_last@{part}": each.last_number_accuracy.to_json()["value"],
            f"{name}_number@{part}": each.number_accuracy.to_json()["value"],
        }
    return row


def _mean(name: str, parts: Sequence[Clustered]) -> dict[str, Any]:
    """The mean over the parts of the test, with its interval."""
    names = (name, f"{name}_low", f"{name}_high")
    return dict(zip(names, (round(number, 6) for number in mean_of(parts).first()), strict=True))
