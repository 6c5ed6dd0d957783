"""The command line: parses the arguments, calls the command and prints its answer.

The exit status is 0 on success, 2 for a mistake of the user (one line on standard error), 1 for any other failure, and
130 for an interrupt. A command may answer with another one, as audits do.
"""

import errno
import io
import logging
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout

from unrandom.cli.answer import Answer, print_answer
from unrandom.cli.commands import module_of, needs_torch
from unrandom.cli.parsing import parse
from unrandom.core.errors import ChecksFailed, NonFiniteLoss, RunsFailed, UserError, one_line, out_of_memory
from unrandom.core.extras import extra_needed
from unrandom.core.files import FULL
from unrandom.core.interrupts import ENDED, STATUS, Interrupted, ended_at_once, raised_once

OF_THE_MACHINE = (*FULL, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)  # errors that are not mistakes
OUT_OF_MEMORY = "not enough memory; a smaller batch_size, model or data set is needed"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. Raises SystemExit(2) for bad arguments, as argparse does."""
    command = list(sys.argv[1:] if argv is None else argv)
    _print_any_character()
    with ended_at_once():
        arguments = parse(command)
    arguments.command_line = ["unrandom", *command]
    _log_as_lines()
    with raised_once() as interrupted:
        try:
            status = _run_command(arguments)
            return _say(ENDED, STATUS) if interrupted() else status  # a library may have lost the exception
        except Interrupted as interrupt:
            return _say(str(interrupt), STATUS)
        except KeyboardInterrupt:
            return _say(ENDED, STATUS)
        except Exception as failure:
            return _say(ENDED, STATUS) if interrupted() else _failed(failure, arguments.command)


def _failed(error: Exception, command: str) -> int:
    """Say what went wrong in one line, and return the exit status. Raises the error if the program is at fault."""
    match error:
        case UserError():
            return _say(str(error), 2)
        case BrokenPipeError():
            sys.stderr.close()  # the reader of standard output has closed the pipe; write nothing more
            return 1
        case OSError():
            where = f": {error.filename}" if error.filename else ""
            return _say(f"{error.strerror or error}{where}", 1 if error.errno in OF_THE_MACHINE else 2)
        case ModuleNotFoundError() if needed := extra_needed(f"unrandom {command}", error):
            return _say(needed, 2)
        case RunsFailed() | ChecksFailed() | NonFiniteLoss():
            return _say(str(error), 1)
    if out_of_memory(error):
        return _say(OUT_OF_MEMORY, 1)
    user_tasks = sys.modules.get("unrandom.tasks.user_tasks")  # not imported: no user-defined task was loaded
    if user_tasks and (fault := user_tasks.fault_in_user_task(error)):
        return _say(fault, 2)
    raise error


def _run_command(arguments: Namespace) -> int:
    """Run the command, print its answer, and return the exit status. With ``--json``, all other output is redirected to
    standard error.
    """
    with redirect_stdout(sys.stderr) if arguments.json else nullcontext():
        answered = _answer(arguments)
    if answered is None:
        return 0
    answer, text = answered
    print_answer(arguments, answer, text)
    if failed := answer.get("not_passed"):  # the names of the checks that failed in `bench device`
        raise ChecksFailed(f"not passed: {', '.join(failed)}")
    status: int = answer.get("exit_status", 0)
    return status


def _answer(arguments: Namespace) -> Answer | None:
    """The answer of the command; None in every process of a distributed run except the main one."""
    with ended_at_once():
        run = module_of(arguments.command).run
    if not needs_torch(arguments):
        return run(arguments)
    from unrandom.cli.progress import working

    with working("starting"), ended_at_once():
        from unrandom.tasks import load_task
        from unrandom.training.distributed import is_main_process

    tasks = getattr(arguments, "task", None) or []
    for task in [tasks] if isinstance(tasks, str) else tasks:
        load_task(task)
    is_main, answer = is_main_process(), run(arguments)
    return answer if is_main else None


def _print_any_character() -> None:
    """Prints an escape for a character such as × that the terminal or file lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _LineFormatter(logging.Formatter):
    """Each record is one line, without characters that a terminal would obey."""

    def format(self, record: logging.LogRecord) -> str:
        return one_line(super().format(record))


def _log_as_lines() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LineFormatter("unrandom: %(levelname)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


def _say(message: str, status: int) -> int:
    """Print the message as one line on standard error; returns the exit status."""
    print(one_line(f"unrandom: {message}"), file=sys.stderr)
    return status
