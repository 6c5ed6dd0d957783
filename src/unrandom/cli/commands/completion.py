"""`unrandom completion` prints a script with which a shell completes commands, options and choices."""

from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser

EXAMPLE = """unrandom completion zsh > ~/.zfunc/_unrandom
unrandom completion bash >> ~/.local/share/bash-completion/completions/unrandom"""
SHELLS = ("bash", "zsh", "tcsh")


def add(command: Parser) -> None:
    command.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"the shell: {', '.join(SHELLS)}")


def run(arguments: Namespace) -> Answer:
    """The script for the shell. Imports no torch."""
    import shtab

    from unrandom.cli.parsing import full_parser

    script = shtab.complete(full_parser(), arguments.shell)
    return {"shell": arguments.shell, "script": script}, script
