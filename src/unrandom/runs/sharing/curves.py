"""Evaluations are also written as CSV, to TensorBoard, or to Weights & Biases.

``metrics.jsonl`` in the run folder stays the record; these are copies of it, written as it grows. A resumed run writes
no evaluation twice.
"""

import csv
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from io import StringIO
from typing import Protocol

from unrandom.core.config import dotted_items
from unrandom.core.errors import UserError, lookup
from unrandom.core.files import JsonObject, write_atomically
from unrandom.runs.run import Run
from unrandom.training import Progress


class CurveWriter(Protocol):
    """A destination of one run's evaluations."""

    def write(self, row: JsonObject) -> None:
        """Take one line of the metrics."""

    def close(self) -> None:
        """Write what is still held back."""


class CsvWriter(CurveWriter):
    """``metrics.csv`` in the run folder: a row per evaluation, a column per number."""

    def __init__(self, run: Run, step: int) -> None:
        self.run = run
        self.rows = [scalars(row) for row in run.folder.read_metrics() if row["step"] <= step]

    def write(self, row: JsonObject) -> None:
        self.rows.append(scalars(row))
        columns = list(dict.fromkeys(name for each in self.rows for name in each))
        text = StringIO(newline="")
        table = csv.DictWriter(text, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(self.rows)
        write_atomically(self.run.folder.path / "metrics.csv", text.getvalue())


class TensorBoardWriter:
    """Event files in ``tensorboard/`` of the run folder, for ``tensorboard --logdir runs``."""

    def __init__(self, run: Run, step: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.writer = SummaryWriter(str(run.folder.path / "tensorboard"), purge_step=step + 1)

    def write(self, row: JsonObject) -> None:
        for name, value in scalars(row).items():
            if name != "step":
                self.writer.add_scalar(name, value, row["step"])
        self.writer.flush()

    def close(self) -> None:
        self.writer.close()


class WandbWriter:
    """A run of Weights & Biases under ``wandb/`` of the run folder: offline, unless WANDB_MODE says otherwise.

    Offline, too, it would report on itself, and ask the cloud's metadata address where it runs.
    """

    def __init__(self, run: Run, step: int) -> None:
        os.environ.setdefault("WANDB_ERROR_REPORTING", "false")  # read when it is imported
        import wandb

        self.run = wandb.init(
            project="unrandom",
            id=run.id,
            name=run.id,
            config=run.config.to_json(),
            dir=str(run.folder.path),
            mode=os.environ.get("WANDB_MODE", "offline"),  # type: ignore[arg-type]
            resume="allow",
            settings=wandb.Settings(console="off", disable_git=True, silent=True, x_disable_stats=True),
        )

    def write(self, row: JsonObject) -> None:
        self.run.log({name: value for name, value in scalars(row).items() if name != "step"}, step=row["step"])

    def close(self) -> None:
        self.run.finish()


WRITERS: Mapping[str, type] = {"csv": CsvWriter, "tensorboard": TensorBoardWriter, "wandb": WandbWriter}
EXTRAS = ("tensorboard", "wandb")  # sinks that need a package, which has the name of the sink


class Curves:
    """An observer of training that gives each evaluation to the named sinks, until it is closed. Raises UserError
    for an unknown name, and for a sink whose package is not installed."""

    def __init__(self, names: Sequence[str]) -> None:
        for name in names:
            lookup("log", name, WRITERS)
            if name in EXTRAS and find_spec(name) is None:
                raise UserError(f"--log {name} needs a package: pip install 'unrandom[{name}]'")
        self.names = list(dict.fromkeys(names))
        self.sinks: list[CurveWriter] = []
        self.written = 0  # the last step that was written

    def begin(self, run: Run, step: int) -> None:
        """Start to write the curves of a run that is about to train from ``step`` on."""
        self.close()
        self.written, self.sinks = step, [WRITERS[name](run, step) for name in self.names]

    def __call__(self, progress: Progress) -> None:
        measured = progress.latest.get("step", 0)
        if measured > self.written:
            self.written = measured
            for sink in self.sinks:
                sink.write(progress.latest)

    def close(self) -> None:
        for sink in self.sinks:
            sink.close()
        self.sinks = []


def scalars(row: JsonObject) -> dict[str, float]:
    """The numbers of a line of the metrics, by the path of their keys, as in ``accuracy_after/64``."""
    return {name: value for name, value in dotted_items(row, dot="/") if value not in (None, {})}
