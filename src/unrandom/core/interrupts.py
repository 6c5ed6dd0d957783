"""How does Ctrl-C end a training without losing its work? The first one asks it to stop, the second ends it at once."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

NOTICE = "unrandom: stopping as soon as what is trained is saved; Ctrl-C again ends at once"
RUNS_NAMED = 8  # in a message


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended training after it was saved. The message is one line: where it stood, and how it goes on."""

    @classmethod
    def at(cls, stood: Sequence[tuple[str, int, int]]) -> "Interrupted":
        """With the name of each run that was in training, its step, and its steps in all."""
        saved = [f"{name} is saved at step {step:,} of {steps:,}" for name, step, steps in stood[:RUNS_NAMED]]
        more = [f"{len(stood) - RUNS_NAMED:,} more runs are saved"] if len(stood) > RUNS_NAMED else []
        said = "; ".join(saved + more) or "no run was saved since it began"
        return cls(f"interrupted: {said}; the same command continues")


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Within the block, the first SIGINT raises nothing: it makes the predicate true that is yielded, and says so.

    The second one raises KeyboardInterrupt. Where SIGINT would not raise it, nothing changes: outside the main thread,
    which gets no signals, where signals are ignored, as in the background, and where the caller handles them.
    """
    asked = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        asked.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print(NOTICE, file=sys.stderr, flush=True)

    if not _in_main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield asked.is_set
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Within the block, SIGINT is ignored; programs that are started in it go on ignoring it."""
    if not _in_main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _in_main_thread() -> bool:
    """Whether this thread may set signal handlers."""
    return threading.current_thread() is threading.main_thread()


def either(*predicates: Callable[[], bool] | None) -> Callable[[], bool]:
    """A predicate that is true when one of these is; those that are None are left out."""
    return lambda: any(asked() for asked in predicates if asked is not None)
