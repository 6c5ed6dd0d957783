"""What can be typed? Every command with its options and an example. It imports nothing heavy."""

import argparse
import difflib
from collections.abc import Iterable, Sequence

from unrandom import __version__
from unrandom.cli.commands import COMMANDS
from unrandom.cli.options import Parser


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of one command. No command at all is answered with the help."""
    parser = Parser(
        prog="unrandom",
        description="Teach Transformers to predict pseudo-random numbers, and look at how they do it.",
        epilog="Start with: unrandom demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"unrandom {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for command in COMMANDS.values():
        command.add(commands)
    if not argv:
        parser.print_help()
        parser.exit(0)
    if not argv[0].startswith("-") and argv[0] not in commands.choices:
        parser.error(_no_such_command(argv[0], commands.choices))
    return parser.parse_args(argv)


def _no_such_command(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, known, n=3, cutoff=0.5)
    return f"no command is called {word!r}" + (f"; near misses: {', '.join(near)}" if near else "")
