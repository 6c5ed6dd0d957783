"""What is typed? The command line: parse, call, print.

Exit status 0; 2 for the user's mistake, in one clear line; 1 for a failure.
"""

import logging
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout

from unrandom.cli.answer import Answer, print_answer
from unrandom.cli.commands import module_of
from unrandom.cli.parsing import parse
from unrandom.core.errors import ChecksFailed, NonFiniteLoss, RunsFailed, UserError, out_of_memory

NO_MEMORY = "not enough memory; a smaller batch_size, model or data set is needed"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status. Bad arguments leave through SystemExit(2), as argparse does."""
    command = list(sys.argv[1:] if argv is None else argv)
    arguments = parse(command)
    arguments.command_line = ["unrandom", *command]
    logging.basicConfig(format="unrandom: %(levelname)s: %(message)s", stream=sys.stderr, level=logging.WARNING)
    try:
        _run_command(arguments)
    except UserError as mistake:
        return _say(str(mistake), 2)
    except KeyboardInterrupt:
        return _say("interrupted; checkpoints are kept, and the same command goes on from the newest", 130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away: nothing more to say to it
        return 1
    except OSError as failure:
        where = f": {failure.filename}" if failure.filename else ""
        return _say(f"{failure.strerror or failure}{where}; what was saved before is intact", 1)
    except (RunsFailed, ChecksFailed, NonFiniteLoss) as failure:
        return _say(str(failure), 1)
    except Exception as failure:
        if out_of_memory(failure):
            return _say(NO_MEMORY, 1)
        if fault := _fault_in_user_task(failure):
            return _say(fault, 2)
        raise
    return 0


def _run_command(arguments: Namespace) -> None:
    """Run the command and print its answer, and with ``--json`` nothing else, whatever code of the user's prints."""
    with redirect_stdout(sys.stderr) if arguments.json else nullcontext():
        answered = _answer(arguments)
    if answered is None:
        return
    answer, words = answered
    print_answer(arguments, answer, words)
    if failed := answer.get("not_passed"):  # `bench device` answers with the names of failed checks.
        raise ChecksFailed(f"not passed: {', '.join(failed)}")


def _answer(arguments: Namespace) -> Answer | None:
    """What the command answers; None in a process of several that leaves it to another.

    Torch takes seconds to import: neither audits nor lists wait for it.
    """
    run = module_of(arguments.command).run
    if arguments.command == "audit" or getattr(arguments, "list", False):
        return run(arguments)
    from unrandom.cli.progress import working

    with working("starting"):
        from unrandom.tasks import load_task
        from unrandom.training.distributed import is_main_process

    if getattr(arguments, "task", None) is not None:
        load_task(arguments.task)
    leads, answer = is_main_process(), run(arguments)
    return answer if leads else None


def _fault_in_user_task(failure: Exception) -> str | None:
    own = sys.modules.get("unrandom.tasks.user_tasks")  # where it was not imported, no task of the user's was
    return own.fault_in_user_task(failure) if own else None


def _say(message: str, status: int) -> int:
    print(f"unrandom: {' '.join(message.split())}", file=sys.stderr)
    return status
