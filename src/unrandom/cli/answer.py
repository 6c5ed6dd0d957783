"""How does a command answer? By words, or by one JSON object alone on standard output."""

import json
from argparse import Namespace
from typing import Any


def print_answer(arguments: Namespace, answer: Any, words: str) -> None:
    """Print the answer in the form that was asked for. NaN and infinity are refused: JSON has neither."""
    print(json.dumps(answer, allow_nan=False) if arguments.json else words)
