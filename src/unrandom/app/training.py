"""Trains the demo in a process of its own, which visitors can start and stop; it ends with the app."""

import signal
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from threading import RLock, Thread
from typing import IO

from unrandom.app.answers import answered, sentence
from unrandom.app.children import start
from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.runs.recipes import recipe
from unrandom.training import run_id

RECIPE = "fm-256-demo"
LARGEST_SEED = 10**6
SECONDS_TO_STOP = 10.0  # then the demo is killed; its run folder stays readable


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
            command = ("train", RECIPE, *settings, "--runs", str(self.runs))
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
        """The state of this run's process, in words; empty if there is none, or if it was stopped or has finished."""
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
