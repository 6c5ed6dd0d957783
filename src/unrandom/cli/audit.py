"""Can a stream be predicted? Reads it, searches, and puts the verdict into words."""

import json
import sys
from argparse import Namespace
from typing import Any

from unrandom.audit.reading import read
from unrandom.audit.search import audit as search
from unrandom.audit.search import choose
from unrandom.core.config import parse_integer
from unrandom.core.errors import UserError

WIDEST = 64


def audit(arguments: Namespace) -> tuple[dict[str, Any], str]:
    """The verdict on the stream that the arguments name, as a tree and in words."""
    modulus = _number(arguments.modulus, "--modulus", 2, 2**WIDEST)
    bounded = _number(arguments.bounded, "--bounded", 2, 2**WIDEST)
    choose(arguments.family)
    stream = read(
        arguments.file,
        raw=arguments.raw,
        bits=_number(arguments.bits, "--bits", 1, WIDEST),
        modulus=modulus,
        bounded=bounded,
        column=arguments.column,
    )
    verdict = search(stream, max_seconds=arguments.max_seconds, family=arguments.family, watch=_say)
    _say("")
    return verdict.tree(), verdict.words()


def run(arguments: Namespace) -> None:
    """Carry out the command and print its answer, without what the other commands have to import."""
    answer, words = audit(arguments)
    print(json.dumps(answer, allow_nan=False) if arguments.json else words)


def _number(text: str | None, name: str, least: int, most: int) -> int | None:
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
