"""What can be typed? Every command; of the one that is typed, its options and an example. It imports nothing heavy."""

import argparse
import difflib
from collections.abc import Sequence

from unrandom import __version__
from unrandom.cli.commands import COMMANDS, module_of
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
    typed = next((word for word in argv if not word.startswith("-")), None)
    for name, about in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=about,
            description=about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name == typed:
            _add_arguments(command, name)
    if not argv:
        parser.print_help()
        parser.exit(0)
    if not argv[0].startswith("-") and argv[0] not in COMMANDS:
        parser.error(_no_such_command(argv[0]))
    return parser.parse_args(argv)


def _add_arguments(command: Parser, name: str) -> None:
    module = module_of(name)
    command.epilog = f"example: {module.EXAMPLE}"
    command.add_argument("--json", action="store_true", help="print one JSON object on standard output, nothing else")
    module.add(command)


def _no_such_command(word: str) -> str:
    near = difflib.get_close_matches(word, COMMANDS, n=3, cutoff=0.5)
    return f"no command is called {word!r}" + (f"; near misses: {', '.join(near)}" if near else "")
