"""How far along is it? A bar on a terminal, a line now and then elsewhere; always on standard error.

It imports no torch, so that there is a bar while torch is imported.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, runtime_checkable

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from unrandom.core.quantities import duration

LONG = 5.0  # seconds of work that are announced
TRIED = 1.0  # seconds of it after which the rest can be estimated


def say(words: str) -> None:
    """A line on standard error."""
    print(words, file=sys.stderr, flush=True)


def _bar(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A pulsing bar with the time so far, on a terminal, while the block runs."""
    with _bar(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()) as bar:
        bar.add_task(what, total=None)
        yield


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar with the time left, on a terminal, while the block says how many of ``total`` are done.

    Where the whole may take long, a line says how long, everywhere.
    """
    with _bar(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as bar:
        task, announced = bar.add_task(what, total=total), False
        first: tuple[int, float] | None = None  # what was done, and when, after the first of them, which is slower

        def count(done: int) -> None:
            nonlocal announced, first
            bar.update(task, completed=done)
            first = first or (done, time.monotonic())
            spent = time.monotonic() - first[1]
            if announced or spent < TRIED:
                return
            announced = True
            if (expected := spent / (done - first[0]) * total) > LONG:
                say(f"{what} {total:,} numbers: at most about {duration(expected)}")

        yield count


@runtime_checkable
class Standing(Protocol):
    """What a bar shows of `training.Progress`."""

    step: int
    latest: dict[str, Any]


class TrainingProgress:
    """An observer of training. Use it as a context manager."""

    def __init__(self, steps: int) -> None:
        self._bar = _bar(
            TextColumn("step {task.completed}/{task.total}"),
            BarColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
        )
        self.begin(steps)

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
        self._first: tuple[int, float] | None = None  # the first step seen, and when
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        self._task = self._bar.add_task("beginning", total=steps)

    def __call__(self, standing: Standing) -> None:
        words = _words(standing)
        self._first = self._first or (standing.step, time.monotonic())
        self._bar.update(self._task, completed=standing.step, description=words)
        measured = standing.latest.get("step", 0)
        if self._bar.disable and measured > self._said:
            self._said = measured
            say(f"step {measured}/{self.steps}  {words}{self._left(measured)}")

    def _left(self, step: int) -> str:
        """How long the rest will take at the pace since the first step."""
        assert self._first is not None, "a step was seen"
        first, began = self._first
        if not first < step < self.steps:
            return ""
        seconds = (time.monotonic() - began) / (step - first) * (self.steps - step)
        return f"  about {duration(seconds)} left"


def _words(standing: Standing) -> str:
    latest = standing.latest
    if not latest:
        return ""
    return f"loss {latest['train_loss']:.3f}  last number, unseen: {latest['last_number_accuracy']:.3f}"
