"""The command line: parse, call, print. Exit status 0; 2 for the user's mistake, in one clear line; 1 for a failure."""

import logging
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence

from unrandom.cli.arguments import parse
from unrandom.core.errors import ChecksFailed, NonFiniteLoss, RunsFailed, UserError, out_of_memory

NO_MEMORY = "not enough memory; a smaller batch_size, model or data set is needed"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status. Bad arguments leave through SystemExit(2), as argparse does."""
    command = list(sys.argv[1:] if argv is None else argv)
    arguments = parse(command)
    arguments.command_line = ["unrandom", *command]
    logging.basicConfig(format="unrandom: %(levelname)s: %(message)s", stream=sys.stderr, level=logging.WARNING)
    try:
        _carried_out_by(arguments)(arguments)
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
    except (MemoryError, RuntimeError) as failure:
        if not out_of_memory(failure):
            raise
        return _say(NO_MEMORY, 1)
    return 0


def _carried_out_by(arguments: Namespace) -> Callable[[Namespace], None]:
    """What carries out a command. Torch takes seconds to import: neither --help, nor audits and lists, wait for it."""
    if arguments.command == "audit":
        from unrandom.cli import audit

        return audit.run
    if getattr(arguments, "list", False):
        from unrandom.cli import listing

        return listing.run
    from unrandom.cli.progress import working

    with working("starting"):
        from unrandom.cli import commands
    return commands.run


def _say(message: str, status: int) -> int:
    print(f"unrandom: {' '.join(message.split())}", file=sys.stderr)
    return status
