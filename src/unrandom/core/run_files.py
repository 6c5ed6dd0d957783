"""The schemas of the files in a run folder: each is checked when it is read, so that no reader meets a missing key."""

import re
import shlex
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import ConfigDict, Field, field_validator, model_validator

from unrandom.core.config import Config

Step = Annotated[int, Field(ge=0, le=2**40)]  # updates made
Seconds = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]

MEASURED = ("train_loss", "test_loss", "token_accuracy", "number_accuracy", "last_number_accuracy")
"""Fields of a result, from the last evaluation."""


class Code(Config):
    """A user-defined task: where its file was, and the hash of its content."""

    path: str
    sha256: str


class Imported(Config):
    """The origin of an imported run."""

    source: str = Field(alias="from")
    format: str
    unrandom: str  # version that imported it
    when: str = Field(alias="at")
    weights_changed: bool = False
    assumed: dict[str, Any] = Field({})  # settings that the file of a model did not tell
    metrics: str = ""
    held_out: str = ""


class SavedSettings(Config):
    """A run's configuration, of any task; `RunConfig` checks the rest where the code of the task is known."""

    model_config = ConfigDict(extra="allow")

    steps: Step


class Manifest(Config):
    """The content of ``manifest.json``. A model that others trained has no command, machine, versions or commit."""

    recipe: Annotated[str, Field(pattern=r"^[\w.-]+$", max_length=200)]
    config: SavedSettings
    parameters: Annotated[int, Field(ge=0)]
    split: dict[str, Any]
    created: str
    command: str = ""
    device: str | None = None
    precision: str | None = None  # of the forward pass and of Muon; none in older runs
    versions: dict[str, str] = Field({})
    commit: str | None = None
    task: Code | None = None
    trained_by: str | None = None
    imported: Imported | None = None

    @field_validator("command")
    @classmethod
    def _splits(cls, command: str) -> str:
        shlex.split(command)
        return command

    @model_validator(mode="after")
    def _is_whole(self) -> "Manifest":
        if self.trained_by is None:
            require(self, ("command", "device", "versions", "commit"))
        return self


class TestedPart(Config):
    """The accuracies of one part of the test; further kinds of sequences are named before the key."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Share]

    last_number_accuracy: Share

    @model_validator(mode="after")
    def _known_keys(self) -> "TestedPart":
        for key in self.__pydantic_extra__:
            if not key.endswith("_last_number_accuracy"):
                raise ValueError(f"unknown key {key!r:.80}")
        return self


class MetricsLine(Config):
    """One line of ``metrics.jsonl``: one evaluation.

    Beside the fields that every task has, ``train_<kind>_accuracy`` is measured on some training sequences (null
    without any), and ``test_<parts>`` has each part of the test.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Share | dict[str, TestedPart] | None]

    step: Step
    train_loss: float
    test_loss: float
    token_accuracy: Share
    number_accuracy: Share
    last_number_accuracy: Share
    accuracy_after: dict[Annotated[str, Field(pattern=r"^\d{1,9}$")], Share]
    numbers_needed: dict[str, int | None] = Field({})  # runs of earlier versions have none
    learning_rate: float
    seconds: Seconds

    @model_validator(mode="after")
    def _known_keys(self) -> "MetricsLine":
        further = self.__pydantic_extra__
        for key, value in further.items():
            if not re.match("test_" if isinstance(value, dict) else r"train_(.+_)?accuracy$", key):
                raise ValueError(f"unknown key {key!r:.80}, or a value of another type than it has")
        if not any(isinstance(value, dict) for value in further.values()):
            raise ValueError("the parts of the test (test_…) are missing")
        return self


class Result(Config):
    """The content of ``result.json``. Nothing was measured of a model that others trained."""

    run: str = ""
    recipe: str
    steps: Step
    finished: bool
    data_mode: str
    precision: Annotated[str, Field(max_length=20)] | None = None
    train_seconds: Seconds | None = None
    train_loss: float | None = None
    test_loss: float | None = None
    token_accuracy: Share | None = None
    number_accuracy: Share | None = None
    last_number_accuracy: Share | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> "Result":
        measured = ("run", "precision", "train_seconds", *MEASURED)
        if self.model_fields_set.intersection(measured):
            require(self, measured)
        return self


def require(values: Config, names: Sequence[str]) -> None:
    """Raise ValueError unless all of these fields were given."""
    if missing := [name for name in names if name not in values.model_fields_set]:
        raise ValueError(f"{missing[0]}: field required")
