"""The command `unrandom audit`: it reads a stream of numbers and searches for a generator that predicts it."""

import sys
from argparse import Namespace
from typing import Any

from unrandom.cli.answer import Answer
from unrandom.cli.options import SECONDS, Parser, add_reading
from unrandom.core.errors import UserError

EXAMPLE = """unrandom audit outputs.txt
node -e "for (let i = 0; i < 300; i++) console.log(Math.random())" | unrandom audit -
unrandom audit access.log --regex "token=([0-9a-f]+)" --json"""

# options whose text, or number of seconds, is what `unrandom.audit` takes, and those that are whole numbers
AS_GIVEN = ("pattern", "family", "seeds", "around", "program", "max_seconds")
WHOLE = ("bits", "bounded", "modulus", "multiplier", "increment")


def add(command: Parser) -> None:
    command.add_argument("file", metavar="FILE|-", help="the outputs in order; - is standard input")
    add_reading(command, audits=True)
    known = command.add_argument_group("what is known (everything is inferred otherwise)")
    known.add_argument("--bits", metavar="B", help="width of the outputs in bits")
    known.add_argument("--bounded", metavar="N", help="outputs are in 0 ... N-1, or N numbers from --from on")
    known.add_argument("--from", metavar="X", dest="start", help="least output possible, e.g. 1 for dice")
    known.add_argument("--scale", metavar="S", help="outputs were multiplied by this number, before --from was added")
    known.add_argument("--modulus", metavar="M", help="modulus of an LCG, e.g. 2^32")
    known.add_argument("--multiplier", metavar="A", help="multiplier of an LCG")
    known.add_argument("--increment", metavar="C", help="increment of an LCG")
    known.add_argument("--pattern", metavar="GAPS", help="outputs missing after each number, in turn, e.g. 0,0,2")
    known.add_argument("--family", metavar="NAME", help="search this family of generators only")
    seeded = command.add_argument_group("seeds by trial (of outputs that are the first ones after seeding)")
    seeded.add_argument("--seeds", metavar="RANGE", help="try all seeds: 32bit, or a range such as 0:1000000")
    seeded.add_argument("--around", metavar="DATE", help="try the times around a date: 2026-11-20T12:00+-HOURS")
    seeded.add_argument("--program", metavar="TEXT", help="try only programs with this text in their name, e.g. php")
    command.add_argument(
        "--max-seconds",
        type=SECONDS,
        metavar="S",
        help="time limit of the search (60), and of the trial of seeds (none)",
    )


def run(arguments: Namespace) -> Answer:
    """The verdict on the stream, as JSON values and as text. Imports no torch."""
    import unrandom
    from unrandom.auditing.reading.options import Reading

    given = vars(arguments)
    known: dict[str, Any] = {name: given[name] for name in (*Reading.names(), *AS_GIVEN)}
    known |= {name: _whole(f"--{name}", given[name]) for name in WHOLE}
    known |= {"start": _number("--from", given["start"]), "scale": _number("--scale", given["scale"])}
    verdict = unrandom.audit(arguments.file, **known, watch=_show_family)
    _show_family("")
    return verdict.to_json(), verdict.text()


def _whole(name: str, text: str | None) -> int | None:
    from unrandom.core.config import parse_integer
    from unrandom.core.reading import about

    with about(name):
        return None if text is None else parse_integer(text)


def _number(name: str, text: str | None) -> int | float | None:
    if text is None:
        return None
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        raise UserError(f"{name} must be a number, not {text[:40]!r}") from None


def _show_family(family: str) -> None:
    """On a terminal, overwrite the current line with the family being tried; an empty name clears the line."""
    if sys.stderr.isatty():
        print(f"\r\033[Ktrying {family}" if family else "\r\033[K", end="", file=sys.stderr, flush=True)
