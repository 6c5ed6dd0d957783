"""How does a command answer? By text on standard output, or with ``--json`` by one JSON object."""

import json
from argparse import Namespace
from typing import Any

from unrandom.core.errors import printable

Answer = tuple[dict[str, Any], str]
"""A command's answer as JSON values, and as text."""


def print_answer(arguments: Namespace, answer: Any, text: str) -> None:
    """Print the answer as JSON if ``arguments.json``, else as text. Raises ValueError for NaN or infinity in JSON."""
    print(json.dumps(answer, allow_nan=False) if arguments.json else printable(text))
