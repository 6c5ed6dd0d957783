"""What is a run on disk? A folder that a kill at any moment leaves readable, and that one process at a time may change.

``manifest.json`` first (what was asked for), ``metrics.jsonl`` as it goes, ``result.json`` last (it is finished).
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unrandom.core.errors import Busy, UserError
from unrandom.core.files import make_folder, read_json, write_atomically, write_json


class RunFolder:
    """One run's folder. Nothing is written until ``create``; every file but the log of metrics is replaced whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "manifest.json"
        self.metrics = path / "metrics.jsonl"
        self.result = path / "result.json"
        self.checkpoints = path / "checkpoints"

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """An existing run; a UserError when ``path`` is not one."""
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
        """Make the folder and write its manifest."""
        make_folder(self.checkpoints)
        write_json(self.manifest, manifest)

    def read_manifest(self) -> dict[str, Any]:
        """The manifest; a UserError when it does not name a recipe and hold a configuration."""
        manifest = read_json(self.manifest)
        if not isinstance(manifest, dict) or not {"recipe", "config"} <= set(manifest):
            raise UserError(f"{self.manifest} is not the manifest of a run")
        return manifest

    def read_metrics(self) -> list[dict[str, Any]]:
        """Every complete line of the metrics; a last line torn by a kill does not count."""
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
        """Forget what was measured after ``step``, so that a resumed run reads as if nothing had happened."""
        rows = [row for row in self.read_metrics() if row["step"] <= step]
        write_atomically(self.metrics, "".join(json.dumps(row) + "\n" for row in rows))

    def remove_leftovers(self) -> None:
        """Remove what a killed process was in the middle of writing. Only for the holder of the lock."""
        for path in [*self.path.glob(".*.tmp"), *self.checkpoints.glob(".*.tmp")]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for this process; Busy, a UserError, when another process holds it.

        The kernel drops the lock when its holder ends, however it ends: a lock file left behind is not in the way.
        """
        make_folder(self.path)
        with (self.path / "lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f"another process is working on {self.path}") from None
            yield
