"""What does `unrandom import` do? It makes a run of a folder that `unrandom export` has written."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import PATH, TASK, Parser, add_runs

EXAMPLE = "unrandom import exported"


def add(command: Parser) -> None:
    command.add_argument("folder", metavar="DIR", type=PATH, help="a folder that unrandom export has written")
    add_runs(command, "--out")
    command.add_argument("--task", metavar="FILE:CLASS", help=TASK)


def run(arguments: Namespace) -> Answer:
    import unrandom

    run = unrandom.import_run(arguments.folder, out=arguments.out)
    answer = {"run": str(run.folder.path), "from": str(arguments.folder)}
    return answer, f"run      {run.folder.path}\nmeasure  unrandom evaluate {run.folder.path}{run.task_option}"
