"""Ctrl-C ends a command with one line and exit status 130, after saving what is trained; a second one ends it at once.

Python raises KeyboardInterrupt wherever it stands. Imports of compiled code would lose it; there nothing has been
begun, and the process ends at once (`ended_at_once`). Elsewhere it is raised (`raised_once`), and training is asked
between its steps (`interruptible`). Each of these changes nothing where SIGINT would not raise KeyboardInterrupt:
outside the main thread, which gets no signals, where signals are ignored, as in the background, and where the caller
handles them.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

STATUS = 130
ENDED = "interrupted; the same command continues from what was saved, or begins again if nothing was"
NOTICE = "unrandom: stopping as soon as what is trained is saved; Ctrl-C again ends at once"
AGAIN_SECONDS = 0.05
RUNS_NAMED = 8  # in a message
SHOWN_CURSOR = "\r\x1b[K\x1b[?25h"  # progress bars hide it

Handler = Callable[[int, FrameType | None], object]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended training after it was saved. The message is one line: where it stood, and how it goes on."""

    @classmethod
    def at(cls, stood: Sequence[tuple[str, int, int]]) -> "Interrupted":
        """With the name of each run that was in training, its step, and its steps in all."""
        saved = [f"{name} is saved at step {step:,} of {steps:,}" for name, step, steps in stood[:RUNS_NAMED]]
        more = [f"{len(stood) - RUNS_NAMED:,} more runs are saved"] if len(stood) > RUNS_NAMED else []
        said = "; ".join(saved + more) or "no run was saved since it began"
        return cls(f"interrupted: {said}; the same command continues")


def end_at_once(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Say so and end this process, whatever it does; what it has saved stays readable."""
    with suppress(OSError):  # no one reads it
        os.write(2, f"{SHOWN_CURSOR if os.isatty(2) else ''}unrandom: {ENDED}\n".encode())
    os._exit(STATUS)


def ended_at_once() -> AbstractContextManager[None]:
    """Within the block, SIGINT ends the process."""
    return _handled_by(end_at_once)


@contextmanager
def until_exit() -> Iterator[None]:
    """Within the block, SIGINT ends the process; after it, while Python exits, it is ignored."""
    plain = _is_plain()
    if plain:
        signal.signal(signal.SIGINT, end_at_once)
    try:
        yield
    finally:
        if plain:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        # Python ends itself by SIGINT, instead of with its exit status, if KeyboardInterrupt went through the last text
        # that it executed, as in the making of dataclasses. This is a later one.
        exec("")


class _RaiseOnce:
    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: FrameType | None) -> NoReturn:
        if self.asked:
            end_at_once(number, frame)
        self.asked = True
        raise KeyboardInterrupt

    def again(self) -> None:
        """Raise it once more, soon: where it was raised, in a destructor or a callback, Python only reports it."""
        self.asked = False
        threading.Timer(AGAIN_SECONDS, _interrupt_main_thread).start()


def _interrupt_main_thread() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        main = threading.main_thread().ident
        assert main is not None, "it runs"
        signal.pthread_kill(main, signal.SIGINT)  # it also wakes it where it waits


@contextmanager
def raised_once() -> Iterator[Callable[[], bool]]:
    """Within the block, the first SIGINT raises KeyboardInterrupt, and makes the predicate true that is yielded: some
    libraries make another exception of it. The second one ends the process.
    """
    handler, report = _RaiseOnce(), sys.unraisablehook

    def reported(lost: Any) -> None:
        if handler.asked and issubclass(lost.exc_type, KeyboardInterrupt):
            handler.again()
        else:
            report(lost)

    with _handled_by(handler):
        sys.unraisablehook = reported
        try:
            yield lambda: handler.asked
        finally:
            sys.unraisablehook = report


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Within the block, the first SIGINT raises nothing: it makes the predicate true that is yielded, and says so.

    The second one is handled as it was before the block.
    """
    asked = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)
        print(NOTICE, file=sys.stderr, flush=True)

    with _handled_by(stop):
        yield asked.is_set


@contextmanager
def _handled_by(handler: Handler) -> Iterator[None]:
    """Within the block, the function handles SIGINT, if it would raise KeyboardInterrupt or end the process."""
    if not _is_plain():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Within the block, SIGINT waits until its end; programs that are started in it never get it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _is_plain() -> bool:
    """Whether SIGINT would raise KeyboardInterrupt or end the process, and this thread may change that."""
    handler = signal.getsignal(signal.SIGINT)
    plain = handler in (signal.default_int_handler, end_at_once) or isinstance(handler, _RaiseOnce)
    return plain and threading.current_thread() is threading.main_thread()


def either(*predicates: Callable[[], bool] | None) -> Callable[[], bool]:
    """A predicate that is true when one of these is; None stands for a predicate that is never true."""
    return lambda: any(asked() for asked in predicates if asked is not None)
