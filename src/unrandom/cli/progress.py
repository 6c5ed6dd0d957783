"""Shows progress on standard error, by a bar or occasional lines, without torch: a bar shows while it is imported."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from unrandom.core.quantities import duration

ANNOUNCED_SECONDS = 5.0  # work that is expected to take longer is announced with an estimate
TIMED_SECONDS = 1.0  # the estimate is made after this much of the work


def say(text: str) -> None:
    """Print a line on standard error."""
    print(text, file=sys.stderr, flush=True)


def _bar(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a pulsing bar with the elapsed time while the block runs, on a terminal only."""
    with _bar(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()) as bar:
        bar.add_task(what, total=None)
        yield


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar with the time left, on a terminal only; yields a function that sets how many of ``total`` are done.

    If all of them are expected to take more than ``ANNOUNCED_SECONDS``, the estimate is also printed as one line, once,
    on a terminal or not.
    """
    with _bar(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as bar:
        task, announced = bar.add_task(what, total=total), False
        # Count and time at the first call. The first item is slower than the others, so it is not timed.
        first: tuple[int, float] | None = None

        def count(done: int) -> None:
            nonlocal announced, first
            bar.update(task, completed=done)
            first = first or (done, time.monotonic())
            spent = time.monotonic() - first[1]
            if announced or spent < TIMED_SECONDS:
                return
            announced = True
            if (expected := spent / (done - first[0]) * total) > ANNOUNCED_SECONDS:
                say(f"{what} {total:,} numbers: at most about {duration(expected)}")

        yield count


@runtime_checkable
class ShownProgress(Protocol):
    """The part of `training.Progress` that a bar shows."""

    step: int
    latest: dict[str, Any]


class TrainingProgress:
    """An observer of training that shows step, time left and latest measurements. Use it as a context manager."""

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

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, steps: int) -> None:
        """Start to show another run, of ``steps`` steps."""
        self.steps, self._last_printed = steps, 0
        self._first: tuple[int, float] | None = None  # the first step observed, and its time
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        self._task = self._bar.add_task("beginning", total=steps)

    def __call__(self, progress: ShownProgress) -> None:
        text = _measurements_text(progress)
        self._first = self._first or (progress.step, time.monotonic())
        self._bar.update(self._task, completed=progress.step, description=text)
        measured = progress.latest.get("step", 0)
        if self._bar.disable and measured > self._last_printed:
            self._last_printed = measured
            say(f"step {measured}/{self.steps}  {text}{self._time_left_text(measured)}")

    def _time_left_text(self, step: int) -> str:
        """The time that the remaining steps will take at the average pace since the first observed step."""
        assert self._first is not None, "no step was observed"
        first, began = self._first
        if not first < step < self.steps:
            return ""
        seconds = (time.monotonic() - began) / (step - first) * (self.steps - step)
        return f"  about {duration(seconds)} left"


def _measurements_text(progress: ShownProgress) -> str:
    latest = progress.latest
    if not latest:
        return ""
    return f"loss {latest['train_loss']:.3f}  last number, held out: {latest['last_number_accuracy']:.3f}"
