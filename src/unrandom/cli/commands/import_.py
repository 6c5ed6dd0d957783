"""`unrandom import` makes a run of an exported folder, or of a model of the paper's public code."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import PATH, TASK, Parser, add_assignments, add_runs

EXAMPLE = """unrandom import exported
unrandom import model.safetensors --set data.modulus=2^32 --set model.n_heads=8
unrandom import model.safetensors --recipe um-2048 --set model.activation=gelu"""


def add(command: Parser) -> None:
    command.add_argument(
        "folder",
        metavar="PATH",
        type=PATH,
        help="a folder that unrandom export has written, or a .safetensors file of the paper's public code",
    )
    command.add_argument(
        "--recipe",
        metavar="NAME",
        help="of a file: the recipe whose settings it has, but for what its tensors and its name tell (fm-base256, or "
        "fm-2048 where a number is one token)",
    )
    add_assignments(command)
    add_runs(command)
    command.add_argument("--task", metavar="FILE:CLASS", help=TASK)


def run(arguments: Namespace) -> Answer:
    from unrandom.core.config import as_typed
    from unrandom.runs.interface import import_path

    run = import_path(arguments.folder, arguments.runs, arguments.recipe, arguments.assignments)
    answer = {"run": str(run.folder.path), "from": str(arguments.folder)}
    lines = [f"run      {run.folder.path}"]
    if assumed := run.folder.read_manifest()["imported"].get("assumed"):
        settings = ", ".join(f"{key}={as_typed(value)}" for key, value in assumed.items())
        answer["assumed"] = assumed
        lines.append(f"assumed  {settings}: the file does not tell; change with --set")
    lines.append(f"measure  unrandom evaluate {run.folder.path}{run.task_option}")
    return answer, "\n".join(lines)
