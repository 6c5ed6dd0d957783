"""How far along is it? A bar on a terminal, a line now and then elsewhere; always on standard error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from unrandom.training.loop import Progress as Standing


@contextmanager
def working(what: str) -> Iterator[None]:
    """A pulsing bar with the time so far, on a terminal, while the block runs."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        bar.add_task(what, total=None)
        yield


class TrainingProgress:
    """An observer of training. Use it as a context manager."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self._said = 0
        self._task: TaskID | None = None
        columns = (
            TextColumn("step {task.completed}/{task.total}"),
            BarColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
        )
        console = Console(stderr=True)
        self._bar = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)

    def __enter__(self) -> "TrainingProgress":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, steps: int) -> None:
        """Show a run of so many steps from now on."""
        self.steps, self._said = steps, 0
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None

    def __call__(self, standing: Standing) -> None:
        if self._task is None:
            self._task = self._bar.add_task("", total=self.steps)
        words = _words(standing)
        self._bar.update(self._task, completed=standing.step, description=words)
        measured = standing.latest.get("step", 0)
        if self._bar.disable and measured > self._said:
            self._said = measured
            print(f"step {measured}/{self.steps}  {words}", file=sys.stderr, flush=True)


def _words(standing: Standing) -> str:
    latest = standing.latest
    if not latest:
        return ""
    return f"loss {latest['train_loss']:.3f}  last number, unseen (a, c): {latest['last_number_accuracy']:.3f}"
