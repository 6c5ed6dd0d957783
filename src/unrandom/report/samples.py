"""What did the model guess, number by number? A sample sequence as cells and a strip of right and wrong."""

from collections.abc import Sequence

from unrandom.core.files import JsonObject


def sample_cells(sample: JsonObject) -> JsonObject:
    """One sequence: a strip of right and wrong, and every number with what was guessed."""
    truth, guesses = sample["numbers"][1:], sample["predicted"]
    right = [guess == number for guess, number in zip(guesses, truth, strict=True)]
    run_of_right = next((i for i, good in enumerate(reversed(right)) if not good), len(right))
    cells = [
        {
            "number": number,
            "right": number == guess,
            "title": f"after {seen}: guessed {guess}, true {number} (probability of the truth {chance:.2g})",
        }
        for seen, (number, guess, chance) in enumerate(zip(truth, guesses, sample["probability"], strict=True), 1)
    ]
    return {
        "parameters": sample["parameters"],
        "given": sample["numbers"][0],
        "cells": cells,
        "right": sum(right),
        "total": len(right),
        "all_right_from": len(right) - run_of_right + 1 if run_of_right else None,
        "width": max(len(str(number)) for number in sample["numbers"]),
        "strip_right": _bars(right, True, 0, 10),
        "strip_wrong": _bars(right, False, 6, 4),
    }


def _bars(right: Sequence[bool], wanted: bool, top: int, height: int) -> str:
    """An SVG path with a bar for each guess that is as wanted."""
    return "".join(f"M{i} {top}h1v{height}h-1z" for i, good in enumerate(right) if good == wanted)
