"""`unrandom sweep` trains every combination of settings, chooses by validation, and draws a heat map."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import COUNT, SEQUENCES, Parser, add_configuration, add_workers

EXAMPLE = "unrandom sweep fm-256 --grid model.depth=1,2 --grid model.n_heads=1,2,4 --seeds 2"


def add(command: Parser) -> None:
    command.add_argument(
        "recipe",
        metavar="RECIPE",
        help="a recipe's name (see train --list), or a user-defined task as my_task.py:MyTask",
    )
    command.add_argument(
        "--grid",
        metavar="KEY=V1,V2,...",
        action="append",
        required=True,
        help="values of a configuration key; the first two keys are the axes of the heat map, the others are chosen by "
        "validation (repeatable)",
    )
    add_configuration(command)
    command.add_argument("--seeds", type=COUNT, default=1, metavar="K", help="seeds per grid point (1)")
    add_workers(command)
    command.add_argument(
        "--sequences", type=SEQUENCES, default=1024, metavar="N", help="sequences per part of the test (1024)"
    )
    command.add_argument(
        "--dry-run", action="store_true", help="print the grid points and their cost; train and write nothing"
    )


def run(arguments: Namespace) -> Answer:
    from unrandom.cli.sweep import sweep
    from unrandom.cli.training import configured

    return sweep(arguments, configured(arguments.recipe, arguments))
