"""What does `unrandom resume` do? It continues training a run that was stopped."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, add_max_minutes, add_run

EXAMPLE = "unrandom resume runs/fm-256-1a2b3c4d"


def add(command: Parser) -> None:
    """Register the arguments."""
    add_run(command)
    add_max_minutes(command)


def run(arguments: Namespace) -> Answer:
    """Train the run from its newest intact checkpoint."""
    import unrandom
    from unrandom.cli.text import result_text
    from unrandom.cli.training import train

    run = unrandom.load(arguments.run)
    result = train(run, arguments.max_minutes)
    return result, result_text(result, run)
