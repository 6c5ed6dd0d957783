"""`unrandom export` writes a run's model as a folder that other libraries load, with a model card."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import PATH, Parser, add_run
from unrandom.core.names import EXPORT_FORMATS

EXAMPLE = """unrandom export fm-256 --to huggingface exported
unrandom export latest --to transformerlens exported
unrandom export runs/fm-256-1a2b3c4d --to safetensors exported"""


def add(command: Parser) -> None:
    add_run(command)
    command.add_argument(
        "--to",
        choices=EXPORT_FORMATS,
        default="huggingface",
        help="a model of transformers, the same for TransformerLens, or the weights as they are (huggingface)",
    )
    command.add_argument("folder", metavar="DIR", type=PATH, help="the folder to make; it must not exist, or be empty")


def run(arguments: Namespace) -> Answer:
    import unrandom

    run = unrandom.load(arguments.run, runs=arguments.runs)
    folder = run.export(arguments.folder, arguments.to)
    answer = {
        "run": str(run.folder.path),
        "to": arguments.to,
        "folder": str(folder),
        "files": sorted(file.name for file in folder.iterdir()),
    }
    return answer, f"exported  {folder}\nits README.md has the code that loads it"
