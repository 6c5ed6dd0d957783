"""What a task says about its test: names of its parts, baselines, further tests, and how many numbers suffice."""

from collections.abc import Callable
from dataclasses import dataclass

from unrandom.predictors.copying import CopyPredictor
from unrandom.predictors.protocol import Predictor
from unrandom.tasks.examples import Examples

Part = int | str
"""The name of a part of the test; an integer is its modulus."""


@dataclass(frozen=True)
class Baseline:
    """A predictor with which models of a task are compared."""

    about: str  # a phrase for readers
    make: Callable[[], Predictor]
    numbered: Callable[[int], Predictor] | None = None  # makes one from a number: order 3 in ``lookback:3``
    in_reports: bool = True  # False: too slow for reports, or redundant there


COPY = Baseline("repeats what followed the last number, or the last N before", CopyPredictor, CopyPredictor)


@dataclass(frozen=True)
class KnownFrom:
    """From ``seen`` numbers on, a perfect predictor is right on the share ``accuracy`` of the test sequences."""

    seen: int
    accuracy: float
    text: str  # label of a line in figures


@dataclass(frozen=True)
class FurtherTest:
    """Additional test sequences, reported separately from the held-out ones."""

    name: str
    about: str  # a phrase for readers
    examples: Examples


@dataclass(frozen=True)
class Source:
    """The place of a user-defined task's code."""

    path: str  # import path: absolute file or module, a colon, and the class
    sha256: str  # hash of the file

    def to_json(self) -> dict[str, str]:
        return {"path": self.path, "sha256": self.sha256}
