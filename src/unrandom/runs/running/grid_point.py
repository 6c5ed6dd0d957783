"""Evaluates the run of one grid point of a sweep on a validation split and on a test split.

Settings are chosen by validation alone. The two splits share no held-out parameters, and training has seen neither.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, model_validator

from unrandom.core.config import Config
from unrandom.core.files import write_json
from unrandom.core.reading import read_json
from unrandom.core.run_files import Seconds, Share, Step
from unrandom.evaluation import Clustered, Evaluation, evaluate, mean_of
from unrandom.models import parameter_count
from unrandom.runs.run import Run
from unrandom.tasks import Examples, Part, Split
from unrandom.training.machine import choose_device

SPLITS = ("validation", "test")


class Point(Config):
    """The measurements of one grid point; ``<split>_last@<part>`` and ``<split>_number@<part>`` are about one part."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float | None]

    steps: Step
    train_seconds: Seconds | None
    parameters: int
    validation_last: Share
    validation_last_low: float | None
    validation_last_high: float | None
    validation_number: Share
    validation_number_low: float | None
    validation_number_high: float | None
    test_last: Share
    test_last_low: float | None
    test_last_high: float | None
    test_number: Share
    test_number_low: float | None
    test_number_high: float | None

    @model_validator(mode="after")
    def _known_keys(self) -> "Point":
        for key in self.__pydantic_extra__:
            if not re.match("(validation|test)_(last|number)@", key):
                raise ValueError(f"unknown key {key!r:.80}")
        return self


class SavedPoints(Config):
    """The content of ``sweep.json``: a row for each number of sequences."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Point]


def sets_to_measure(split: Split, sequences: int) -> dict[str, dict[Part, Examples]]:
    """Validation and test examples, ``sequences`` for each part."""
    splits = zip(SPLITS, split.validation_and_test(), strict=True)
    return {name: {part: each.test(part, sequences, name=name) for part in each.parts} for name, each in splits}


def measured_point(run: Run, sequences: int) -> dict[str, Any]:
    """The measurement of a finished run by `measure_point`, made once and saved in ``sweep.json`` of the run folder.
    Raises Busy, a UserError, when it has to be measured and another process has locked the folder."""
    if not is_measured(run.folder.path, sequences):
        with run.folder.lock():
            path = run.folder.path / "sweep.json"
            saved = _read_saved(path)
            if str(sequences) not in saved:  # no other process measured it meanwhile
                write_json(path, {**saved, str(sequences): measure_point(run, sequences)})
    return _read_saved(run.folder.path / "sweep.json")[str(sequences)]


def is_measured(folder: Path, sequences: int) -> bool:
    """Whether a measurement with this number of sequences is saved in the run folder."""
    return str(sequences) in _read_saved(folder / "sweep.json")


def _read_saved(path: Path) -> dict[str, dict[str, Any]]:
    """The measurements in ``sweep.json`` by their number of sequences; none if there is no such file."""
    saved: dict[str, dict[str, Any]] = read_json(path, SavedPoints) if path.exists() else {}
    return saved


def measure_point(run: Run, sequences: int) -> dict[str, Any]:
    """One table row: training steps and time, and accuracies with 95 % intervals, on average and for each part.

    ``last`` is the accuracy on the last number, ``number`` that over all positions; both intervals are cluster
    bootstraps over the units of the sequences, and None if the sequences of a part share all of them. Averages weigh
    all parts (moduli, for LCGs) equally.
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
    if any(set(each.counts().values()) == {1} for each in tested.values()):  # one (a, c) tells nothing of others
        row |= {key: None for key in row if key.endswith(("_low", "_high"))}
    for part, each in tested.items():
        row |= {
            f"{name}_last@{part}": each.last_number_accuracy.to_json()["value"],
            f"{name}_number@{part}": each.number_accuracy.to_json()["value"],
        }
    return row


def _mean(name: str, parts: Sequence[Clustered]) -> dict[str, Any]:
    names = (name, f"{name}_low", f"{name}_high")
    return dict(zip(names, (round(number, 6) for number in mean_of(parts).first()), strict=True))
