"""A run on disk: a folder that stays readable if its process is killed, and that one process locks.

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

from unrandom.core.errors import RunsFailed, UserError
from unrandom.core.files import json_text, make_folder, write_atomically
from unrandom.core.locks import locked
from unrandom.core.reading import MAX_JSON, read_json, read_json_lines, reading
from unrandom.core.run_files import Manifest, MetricsLine, Result


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
        """The folder of an existing run. Raises UserError when ``path`` has no manifest, and for links in it."""
        run = cls(path)
        if not run.exists:
            raise UserError(f"{path} is not a run folder: it has no manifest.json")
        run.check_links()
        return run

    def check_links(self) -> None:
        """Raise UserError for a symbolic link in the folder: what is written or deleted there must not be elsewhere."""
        with reading(self.path), os.scandir(self.path) as entries:
            if link := next((entry.path for entry in entries if entry.is_symlink()), None):
                raise UserError(
                    f"{link} is a symbolic link; a run folder holds its files itself (but may be linked to as a whole)"
                )

    @property
    def exists(self) -> bool:
        return os.path.lexists(self.manifest)

    @property
    def finished(self) -> bool:
        return os.path.lexists(self.result)

    def check_exists(self) -> None:
        """Raise RunsFailed if the folder was removed or moved."""
        if not self.exists:
            raise RunsFailed(f"{self.path} was removed or moved while it was in training; nothing more is written")

    def create(self, manifest: dict[str, Any]) -> None:
        """Create the folder and write its manifest. Raises UserError for one that is too large to be read back."""
        content = json_text(manifest)
        if len(content) > MAX_JSON:
            raise UserError(
                f"the manifest of {self.path.name} would have {len(content):,} bytes, and at most {MAX_JSON:,} are "
                "read; test fewer moduli, multipliers or increments"
            )
        make_folder(self.checkpoints)
        write_atomically(self.manifest, content)

    def read_manifest(self) -> dict[str, Any]:
        """The manifest. Raises UserError for a file that is not a `Manifest`."""
        manifest: dict[str, Any] = read_json(self.manifest, Manifest)
        return manifest

    def read_metrics(self) -> list[dict[str, Any]]:
        """Every complete line of the metrics. Raises UserError for a line that is not a `MetricsLine`."""
        return read_json_lines(self.metrics, MetricsLine, growing=True) if os.path.lexists(self.metrics) else []

    def read_result(self) -> dict[str, Any]:
        """The result of a finished run. Raises UserError for a file that is not a `Result`."""
        result: dict[str, Any] = read_json(self.result, Result)
        return result

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
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder for this process. Raises Busy, a UserError, when another process has locked it.

        The kernel releases the lock when the process ends, however it ends; a lock file that remains does not block.
        """
        make_folder(self.path)
        self.check_links()
        with locked(self.path / "lock"):
            yield
