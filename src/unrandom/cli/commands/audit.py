"""What does `unrandom audit` do? It reads a stream, searches for what predicts it, and says what it found."""

import sys
from argparse import Namespace

from unrandom.cli.answer import Answer
from unrandom.cli.options import Parser, at_least
from unrandom.core.errors import UserError

WIDEST = 64  # bits of a modulus or an output


EXAMPLE = "unrandom audit outputs.txt --max-seconds 20"


def add(command: Parser) -> None:
    """What can be typed."""
    command.add_argument(
        "file",
        metavar="FILE|-",
        help="whole numbers, 0x numbers or fractions from 0 to 1, in their order; - is standard input",
    )
    command.add_argument("--modulus", metavar="M", help="the modulus of the generator, if it is known, e.g. 2^32")
    command.add_argument("--bits", metavar="B", help="the width of the numbers (that of the largest one)")
    command.add_argument("--bounded", metavar="N", help="outputs were reduced to 0 ... N-1, as by x %% N or nextInt(N)")
    command.add_argument("--family", metavar="NAME", help="try this family of generators only")
    command.add_argument("--raw", choices=("u32", "u64"), help="little-endian words instead of text")
    command.add_argument("--column", metavar="C", help="of a table, the column with this heading or number")
    command.add_argument(
        "--max-seconds", type=at_least(float, 0.0), default=60.0, metavar="S", help="time for the search (60)"
    )


def run(arguments: Namespace) -> Answer:
    """The verdict on the stream that the arguments name, as a tree and in words. It imports no torch."""
    import unrandom

    modulus = _number(arguments.modulus, "--modulus", 2, 2**WIDEST)
    bounded = _number(arguments.bounded, "--bounded", 2, 2**WIDEST)
    verdict = unrandom.audit(
        arguments.file,
        raw=arguments.raw,
        bits=_number(arguments.bits, "--bits", 1, WIDEST),
        modulus=modulus,
        bounded=bounded,
        column=arguments.column,
        family=arguments.family,
        max_seconds=arguments.max_seconds,
        watch=_say,
    )
    _say("")
    return verdict.to_json(), verdict.text()


def _number(text: str | None, name: str, least: int, most: int) -> int | None:
    from unrandom.core.config import parse_integer

    if text is None:
        return None
    number = parse_integer(text)
    if not least <= number <= most:
        raise UserError(f"{name} must be from {least} to {most}, but {text} was given")
    return number


def _say(family: str) -> None:
    """On a terminal, a line that says what is being tried, and is gone at the end."""
    if sys.stderr.isatty():
        print(f"\r\033[Ktrying {family}" if family else "\r\033[K", end="", file=sys.stderr, flush=True)
