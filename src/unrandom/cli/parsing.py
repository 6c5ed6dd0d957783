"""Parses command-line arguments by argparse, without heavy imports; only the command in use registers its options."""

import argparse
from collections.abc import Iterable, Sequence

from unrandom.cli.commands import COMMANDS, module_of
from unrandom.cli.options import Parser
from unrandom.core.errors import near_misses
from unrandom.core.version import __version__


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of one command. Without any argument, print the help and exit with status 0."""
    chosen = next((word for word in argv if not word.startswith("-")), None)
    parser = _parser([chosen] if chosen in COMMANDS else [])
    if odd := next((word for word in argv if not _is_text(word)), None):
        parser.error(f"{odd!a:.80} is not text in UTF-8")
    if not argv:
        parser.print_help()
        parser.exit(0)
    if argv[0] == "--version" and argv[1:]:
        parser.error(f"--version takes nothing else, but {argv[1]!r} was given")
    if not argv[0].startswith("-") and argv[0] not in COMMANDS:
        parser.error(f"no command is called {argv[0]!r:.80}{near_misses(argv[0], COMMANDS, otherwise=False)}")
    return parser.parse_args(argv)


def full_parser() -> argparse.ArgumentParser:
    """The parser with the options of every command, for the reference and for completion."""
    return _parser(COMMANDS)


def _parser(commands_in_full: Iterable[str]) -> Parser:
    """The parser of all commands; only some of them have their options."""
    parser = Parser(
        prog="unrandom",
        description="Train Transformers to predict pseudo-random numbers, and analyse how they do it.",
        epilog="Start with: unrandom demo",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"unrandom {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        if name in commands_in_full:
            _add_arguments(command, name)
    return parser


def _add_arguments(command: Parser, name: str) -> None:
    module = module_of(name)
    examples = module.EXAMPLE.splitlines()
    command.formatter_class = argparse.RawDescriptionHelpFormatter  # keeps the examples' lines
    command.epilog = "\n  ".join(["examples:", *examples]) if examples[1:] else f"example: {examples[0]}"
    command.add_argument("--json", action="store_true", help="print one JSON object on standard output, nothing else")
    module.add(command)


def _is_text(word: str) -> bool:
    """Whether an argument can be part of a path and of a file. The system may pass on what is not text at all."""
    try:
        return b"\0" not in word.encode()
    except UnicodeEncodeError:
        return False
