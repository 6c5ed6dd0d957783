"""What does `unrandom audit` do? It reads a stream of numbers and searches for a generator that predicts it."""

import sys
from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, at_least
from unrandom.core.errors import UserError

MAX_BITS = 64  # largest width of a modulus or an output
EXAMPLE = "unrandom audit outputs.txt --max-seconds 20"


def add(command: Parser) -> None:
    """Register the arguments."""
    command.add_argument(
        "file",
        metavar="FILE|-",
        help="outputs in order, as integers, 0x numbers or fractions from 0 to 1; - is standard input",
    )
    command.add_argument("--modulus", metavar="M", help="modulus of the generator, if known, e.g. 2^32")
    command.add_argument("--bits", metavar="B", help="width of the outputs in bits (default: that of the largest)")
    command.add_argument(
        "--bounded", metavar="N", help="outputs were reduced to 0 ... N-1, e.g. by x %% N or nextInt(N)"
    )
    command.add_argument("--family", metavar="NAME", help="search this family of generators only")
    command.add_argument(
        "--raw", choices=("u32", "u64"), help="the file is binary: little-endian unsigned integers of this width"
    )
    command.add_argument("--column", metavar="C", help="heading or number of the column, if the file is a table")
    command.add_argument(
        "--max-seconds", type=at_least(float, 0.0), default=60.0, metavar="S", help="time limit of the search (60)"
    )


def run(arguments: Namespace) -> Answer:
    """The verdict on the stream, as JSON values and as text. Imports no torch."""
    import unrandom

    modulus = _number(arguments.modulus, "--modulus", 2, 2**MAX_BITS)
    bounded = _number(arguments.bounded, "--bounded", 2, 2**MAX_BITS)
    verdict = unrandom.audit(
        arguments.file,
        raw=arguments.raw,
        bits=_number(arguments.bits, "--bits", 1, MAX_BITS),
        modulus=modulus,
        bounded=bounded,
        column=arguments.column,
        family=arguments.family,
        max_seconds=arguments.max_seconds,
        watch=_show_family,
    )
    _show_family("")
    return verdict.to_json(), verdict.text()


def _number(text: str | None, name: str, least: int, most: int) -> int | None:
    from unrandom.core.config import parse_integer

    if text is None:
        return None
    number = parse_integer(text)
    if not least <= number <= most:
        raise UserError(f"{name} must be from {least} to {most}, but {text} was given")
    return number


def _show_family(family: str) -> None:
    """On a terminal, overwrite the current line with the family being tried; an empty name clears the line."""
    if sys.stderr.isatty():
        print(f"\r\033[Ktrying {family}" if family else "\r\033[K", end="", file=sys.stderr, flush=True)
