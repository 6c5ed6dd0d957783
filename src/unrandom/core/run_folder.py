"""What is a run on disk? A folder that stays readable if its process is killed, and that one process locks.

``manifest.json`` is written first (what the run is), ``metrics.jsonl`` during training, ``result.json`` last: its
presence means that the run is finished.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from unrandom.core.errors import Busy, UserError
from unrandom.core.files import make_folder, read_json, write_atomically, write_json


class RunFolder:
    """The files of one run. Nothing is written before ``create``; files are written atomically, but for the metrics."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "manifest.json"
        self.metrics = path / "metrics.jsonl"
        self.result = path / "result.json"
        self.checkpoints = path / "checkpoints"

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """The folder of an existing run. Raises UserError when ``path`` has no manifest."""
        run = cls(path)
        if not run.manifest.is_file():
            raise UserError(f"{path} is not a run folder: it has no manifest.json")
        return run

    @property
    def exists(self) -> bool:
        return self.manifest.is_file()

    @property
    def finished(self) -> bool:
        return self.result.is_file()

    def create(self, manifest: dict[str, Any]) -> None:
        """Create the folder and write its manifest."""
        make_folder(self.checkpoints)
        write_json(self.manifest, manifest)

    def read_manifest(self) -> dict[str, Any]:
        """The manifest. Raises UserError unless it has a recipe and a configuration."""
        manifest = read_json(self.manifest)
        if not isinstance(manifest, dict) or not {"recipe", "config"} <= set(manifest):
            raise UserError(f"{self.manifest} is not the manifest of a run")
        return manifest

    def read_metrics(self) -> list[dict[str, Any]]:
        """Every complete line of the metrics; an incomplete last line is ignored."""
        if not self.metrics.is_file():
            return []
        lines = self.metrics.read_bytes().split(b"\n")
        whole = [line for line in lines[:-1] if line]
        try:
            return [json.loads(line) for line in whole]
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise UserError(f"{self.metrics} is damaged: {error}") from None

    def append_metrics(self, row: dict[str, Any]) -> None:
        with self.metrics.open("a") as file:
            file.write(json.dumps(row, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def rewind_metrics(self, step: int) -> None:
        """Remove metrics after ``step``, so that a resumed run has the metrics of an uninterrupted one."""
        rows = [row for row in self.read_metrics() if row["step"] <= step]
        write_atomically(self.metrics, "".join(json.dumps(row) + "\n" for row in rows))

    def remove_leftovers(self) -> None:
        """Remove temporary files of a killed process. Only the process that holds the lock may call this."""
        for path in [*self.path.glob(".*.tmp"), *self.checkpoints.glob(".*.tmp")]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder for this process. Raises Busy, a UserError, when another process has locked it.

        The kernel releases the lock when the process ends, however it ends; a lock file that remains does not block.
        """
        make_folder(self.path)
        try:
            with FileLock(self.path / "lock", blocking=False):
                yield
        except Timeout:
            raise Busy(f"another process is working on {self.path}") from None
