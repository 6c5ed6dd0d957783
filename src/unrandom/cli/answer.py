"""The answer of a command: text on standard output, such as a table, or with ``--json`` one JSON object."""

import json
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from unrandom.core.errors import printable

Answer = tuple[dict[str, Any], str]  # a command's answer as JSON values, and as text


def aligned(table: Sequence[Sequence[str]]) -> list[str]:
    """The rows of a table as lines, with columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip() for row in table]


def print_answer(arguments: Namespace, answer: Any, text: str) -> None:
    """Print the answer as JSON if ``arguments.json``, else as text. Raises ValueError for NaN or infinity in JSON."""
    print(json.dumps(answer, allow_nan=False) if arguments.json else printable(text))
