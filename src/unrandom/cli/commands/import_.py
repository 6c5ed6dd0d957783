"""What does `unrandom import` do? It makes a run of a folder that `unrandom export` has written."""

from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer
from unrandom.cli.options import PATH, TASK, Parser

EXAMPLE = "unrandom import exported"


def add(command: Parser) -> None:
    """Register the arguments."""
    command.add_argument("folder", metavar="DIR", type=PATH, help="a folder that unrandom export has written")
    command.add_argument("--out", type=PATH, default=Path("runs"), metavar="DIR", help="parent of run folders (runs)")
    command.add_argument("--task", metavar="FILE:CLASS", help=TASK)


def run(arguments: Namespace) -> Answer:
    """Import the folder as a run."""
    import unrandom

    run = unrandom.import_run(arguments.folder, out=arguments.out)
    answer = {"run": str(run.folder.path), "from": str(arguments.folder)}
    return answer, f"run      {run.folder.path}\nmeasure  unrandom evaluate {run.folder.path}{run.task_option}"
