"""How is training going? The curves of runs as they grow; and the demo, which visitors can start and stop."""

import signal
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any

from unrandom.app.answers import answered, plotly_figure, sentence
from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.figures.training import accuracy_figure, loss_figure

LARGEST_SEED = 10**6
RUNS_LISTED = 200


def run_names(runs: Path) -> list[str]:
    """The names of the runs in a folder, newest first."""
    found = [path.parent for path in runs.glob("*/manifest.json") if not path.parent.name.startswith(".")]
    newest = sorted(found, key=lambda folder: folder.stat().st_mtime, reverse=True)
    return [folder.name for folder in newest[:RUNS_LISTED]]


@answered(3)
def curves(runs: Path, name: str | None) -> tuple[str, Any, Any]:
    """How far a run is, its losses, and its accuracies so far."""
    if name is None:
        return sentence("There is no run yet. Start the demo, or train one: unrandom train fm-256."), None, None
    if name not in run_names(runs):  # also keeps visitors inside the folder of runs
        raise UserError("there is no such run in the folder of runs")
    folder = RunFolder(runs / name)
    metrics, steps = folder.read_metrics(), folder.read_manifest()["config"]["steps"]
    if not metrics:
        return sentence(f"{name} has begun and has no evaluation yet."), None, None
    last = metrics[-1]
    state = "finished" if folder.finished else "not finished"
    said = (
        f"{name}: step {last['step']:,} of {steps:,}, {state}. The last number of held-out sequences is right in "
        f"{100 * (last['last_number_accuracy'] or 0):.1f} % of them."
    )
    return sentence(said), plotly_figure(accuracy_figure(metrics)), plotly_figure(loss_figure(metrics))


class Demo:
    """The demo in a process of its own, at most one at a time; it ends with the app."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @answered(1)
    def start(self, seed: str) -> str:
        """Start the demo with a seed; a run with this seed that was stopped is continued."""
        word = str(seed).strip() or "0"
        if not (word.isascii() and word.isdigit() and len(word) < 8 and int(word) <= LARGEST_SEED):
            raise UserError(f"the seed must be a whole number from 0 to {LARGEST_SEED:,}")
        with self._lock:
            if self.running:
                raise UserError("the demo is running already; stop it first")
            command = [sys.executable, "-m", "unrandom", "train", "fm-256", "--seed", word, "--out", str(self.runs)]
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        return sentence(f"The demo with seed {int(word)} has started; its curves appear after the first evaluation.")

    @answered(1)
    def stop(self) -> str:
        """Stop the demo; what was saved in checkpoints stays."""
        with self._lock:
            if not self.running:
                raise UserError("the demo is not running")
            self.end()
        return sentence("The demo has stopped. Starting it again with the same seed continues from its checkpoint.")

    def end(self) -> None:
        """End the process, if there is one, and wait for it."""
        if self._process is not None and self.running:
            self._process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
