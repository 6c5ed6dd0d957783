"""How does a command answer? By one JSON object on standard output, or by words."""

import json
from argparse import Namespace
from typing import Any

Answer = tuple[dict[str, Any], str]
"""A command's answer as JSON values, and in words."""


def print_answer(arguments: Namespace, answer: Any, words: str) -> None:
    """Print the answer in the form that was asked for. NaN and infinity are refused: JSON has neither."""
    print(json.dumps(answer, allow_nan=False) if arguments.json else words)
