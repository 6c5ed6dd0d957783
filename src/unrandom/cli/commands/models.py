"""`unrandom models` lists the trained models that come with the package and its repository."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser
from unrandom.core.errors import ChecksFailed

EXAMPLE = """unrandom models
unrandom lcg --m 256 --a 77 --c 21 --x0 9 -n 40 | unrandom predict demo - -n 3"""


def add(command: Parser) -> None:
    command.add_argument(
        "--check", action="store_true", help="compare the weights on this machine with the checksums of the list"
    )


def run(arguments: Namespace) -> Answer:
    """Every model with its task, size, accuracy by kind of sequence, and checksum. Imports no torch."""
    from unrandom.runs.sharing.pretrained import check_pretrained, described, pretrained

    models = list(pretrained().values())
    if arguments.check and (changed := [model.name for model in models if not check_pretrained(model)]):
        raise ChecksFailed(f"the weights of {', '.join(changed)} do not have their checksum; install the package again")
    lines = []
    for model in models:
        shown = described(model)
        where = "" if model.folder else ", in the repository only"
        lines += [
            f"{model.name}{' (also: demo)' if model.name == 'fm-256' else ''}",
            f"  {shown['task']}",
            f"  {shown['layers']} layers, {shown['parameters']} parameters, {shown['size']}{where}",
            f"  last number right: {shown['accuracy']}",
            f"  on other sequences: {shown['on other sequences']}",
            f"  sha256 {shown['sha256']}",
        ]
    lines.append(
        f"intervals: 95 %, of {models[0].sequences:,} sequences of each kind and modulus, over multipliers and "
        "increments where sequences share these"
    )
    if arguments.check:
        lines.append("the weights on this machine have these checksums")
    return {"models": [model.to_json() for model in models]}, "\n".join(lines)
