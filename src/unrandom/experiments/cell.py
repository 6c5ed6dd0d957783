"""How good is one cell of a sweep? Measured on what settings are chosen by, and on what the choice is tested on.

The two have no parameters in common, and training has seen neither.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unrandom.core.files import read_json, write_json
from unrandom.evaluation import Clustered, Evaluation, evaluate, mean_of
from unrandom.experiments.runs import Run
from unrandom.models import parameter_count
from unrandom.tasks import Parameters, SequenceSet, Split
from unrandom.training.machine import choose_device

PARTS = ("validation", "test")


def cell_sets(split: Split, sequences: int) -> tuple[list[Parameters], list[Parameters]]:
    """Parameters for validation and for testing, one set of ``sequences`` rows a modulus."""
    choosing, testing = split.for_choosing()
    return _rows(choosing, sequences, "validation"), _rows(testing, sequences, "test")


def _rows(split: Split, sequences: int, name: str) -> list[Parameters]:
    return [split.test_parameters(part.modulus, sequences, name=name) for part in split.held_out]


def measured_cell(run: Run, sequences: int) -> dict[str, Any]:
    """What ``measure_cell`` gives for a finished run; it is kept in the run folder, and measured once.

    Raises Busy, a UserError, when it has to be measured and another process holds the folder.
    """
    if not is_measured(run.folder.path, sequences):
        with run.folder.lock():
            path = run.folder.path / "sweep.json"
            kept = read_json(path) if path.is_file() else {}
            if str(sequences) not in kept:  # nobody did meanwhile
                write_json(path, {**kept, str(sequences): measure_cell(run, sequences)})
    return read_json(run.folder.path / "sweep.json")[str(sequences)]


def is_measured(folder: Path, sequences: int) -> bool:
    """Whether ``measured_cell`` has its answer for this run folder already."""
    path = folder / "sweep.json"
    return path.is_file() and str(sequences) in read_json(path)


def measure_cell(run: Run, sequences: int) -> dict[str, Any]:
    """One row: what training took, and accuracies with 95 % intervals over all moduli and for each of them.

    ``last`` is the accuracy on the last number, ``number`` over all positions; both intervals are two-way cluster
    bootstraps over multipliers and increments, which sequences share. Moduli count alike.
    """
    predictor = run.predictor(choose_device())
    result = run.result()
    row: dict[str, Any] = {
        "steps": result["steps"],
        "train_seconds": result["train_seconds"],
        "parameters": parameter_count(run.config.transformer),
    }
    for name, sets in zip(PARTS, cell_sets(run.split(), sequences), strict=True):
        length = run.config.data.context + 1
        row |= _accuracies(name, [evaluate(predictor, SequenceSet.of(drawn, length)) for drawn in sets])
    return row


def _accuracies(name: str, tested: list[Evaluation]) -> dict[str, Any]:
    row = {
        **_mean(f"{name}_last", [each.clustered(last=True) for each in tested]),
        **_mean(f"{name}_number", [each.clustered() for each in tested]),
    }
    for each in tested:
        row |= {
            f"{name}_last@{each.modulus}": each.last_number_accuracy.tree()["value"],
            f"{name}_number@{each.modulus}": each.number_accuracy.tree()["value"],
        }
    return row


def _mean(name: str, parts: Sequence[Clustered]) -> dict[str, Any]:
    """The mean over moduli, with its interval."""
    names = (name, f"{name}_low", f"{name}_high")
    return dict(zip(names, (round(number, 6) for number in mean_of(parts).first()), strict=True))
