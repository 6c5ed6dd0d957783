"""How is training going? The curves of runs as they grow; and the demo, which visitors can start and stop."""

import signal
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from threading import RLock, Thread
from typing import IO, Any

from unrandom.app.answers import answered, plotly_figure, sentence
from unrandom.app.children import start
from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.figures.training import accuracy_figure, loss_figure
from unrandom.runs.recipes import recipe
from unrandom.training import run_id

RECIPE = "fm-256"
LARGEST_SEED = 10**6
RUNS_LISTED = 200
SECONDS_TO_STOP = 10.0  # then the demo is killed; its run folder stays readable


def run_names(runs: Path) -> list[str]:
    """The names of the runs in a folder, newest first."""
    found = [path.parent for path in runs.glob("*/manifest.json") if not path.parent.name.startswith(".")]
    newest = sorted(found, key=lambda folder: folder.stat().st_mtime, reverse=True)
    return [folder.name for folder in newest[:RUNS_LISTED]]


class Demo:
    """The demo in a process of its own, at most one at a time; it ends with the app."""

    def __init__(self, runs: Path, settings: Sequence[str] = ()) -> None:
        self.runs, self.settings = runs, tuple(settings)
        self.name: str | None = None  # of the run that was started last
        self._process: subprocess.Popen[bytes] | None = None
        self._said: deque[bytes] = deque(maxlen=1)  # the last line that the process wrote on standard error
        self._listener = Thread()
        self._lock = RLock()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @answered(1)
    def start(self, seed: str | None) -> str:
        """Start the demo with a seed; a run with this seed that was stopped is continued."""
        word = (seed or "").strip() or "0"
        if not (word.isascii() and word.isdigit() and len(word) < 8 and int(word) <= LARGEST_SEED):
            raise UserError(f"the seed must be a whole number from 0 to {LARGEST_SEED:,}")
        changes = [*self.settings, f"seed={int(word)}"]
        name = run_id(RECIPE, recipe(RECIPE).build().override(changes))
        with self._lock:
            if self.running:
                raise UserError("the demo is running already; stop it first")
            if RunFolder(self.runs / name).finished:
                self.name = name
                return sentence(f"The demo with seed {int(word)} was trained before: {name}.")
            settings = [argument for change in changes for argument in ("--set", change)]
            command = ("train", RECIPE, *settings, "--out", str(self.runs))
            self._process = start(*command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self._listener = Thread(target=self._listen, args=(self._process.stderr,), daemon=True)
            self._listener.start()
            self.name = name
        return sentence(f"The demo with seed {int(word)} has started: {name}.")

    @answered(1)
    def stop(self) -> str:
        """Stop the demo; what was saved in checkpoints stays."""
        with self._lock:
            if not self.running:
                raise UserError("the demo is not running")
            self.end()
        return sentence("The demo has stopped. Starting it again with the same seed continues from its checkpoint.")

    def state(self, name: object) -> str:
        """How the process of this run is, in words; empty if there is none, or if it was stopped or has finished."""
        if name != self.name or self._process is None:
            return ""
        status = self._process.poll()
        if status is None:
            return "training"
        if status not in (1, 2):
            return ""
        self._listener.join()
        said = b"".join(self._said).decode(errors="replace").strip() or f"exit status {status}"
        return f"the demo failed: {said.removeprefix('unrandom: ')}"

    def _listen(self, stream: IO[bytes]) -> None:
        with stream:
            self._said.extend(stream)

    def end(self, seconds: float | None = None) -> None:
        """End the process, if there is one, and wait for it; after some seconds it is killed."""
        with self._lock:
            if self._process is None or not self.running:
                return
            self._process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
            try:
                self._process.wait(SECONDS_TO_STOP if seconds is None else seconds)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


@answered(3)
def curves(runs: Path, demo: Demo, name: Any) -> tuple[str, Any, Any]:
    """How far a run is, its accuracies and its losses so far."""
    if name is None:
        return sentence("There is no run yet. Start the demo, or train one: unrandom train fm-256."), None, None
    state = demo.state(name)
    if name not in run_names(runs) and not state:  # also keeps visitors inside the folder of runs
        raise UserError("there is no such run in the folder of runs")
    folder = RunFolder(runs / name)
    state, metrics = "finished" if folder.finished else state or "not finished", folder.read_metrics()
    if not metrics:
        return sentence(f"{name}: {state}. There is no evaluation yet."), None, None
    steps = folder.read_manifest()["config"]["steps"]
    last = metrics[-1]
    said = (
        f"{name}: step {last['step']:,} of {steps:,}, {state}. The last number of held-out sequences is right in "
        f"{100 * (last['last_number_accuracy'] or 0):.1f} % of them."
    )
    return sentence(said), plotly_figure(accuracy_figure(metrics)), plotly_figure(loss_figure(metrics))
