"""Shows sample predictions as one cell per number, and a strip of bars for correct and wrong predictions."""

from collections.abc import Sequence

from unrandom.core.files import JsonObject


def sample_cells(sample: JsonObject) -> JsonObject:
    """The values that the template prints of one sequence: its cells, and the strip as SVG paths."""
    truth, predictions = sample["numbers"][1:], sample["predicted"]
    correct = [prediction == number for prediction, number in zip(predictions, truth, strict=True)]
    correct_at_end = next((i for i, is_correct in enumerate(reversed(correct)) if not is_correct), len(correct))
    guesses = enumerate(zip(truth, predictions, sample["probability"], strict=True), start=1)
    cells = [
        {
            "number": number,
            "right": number == prediction,
            "title": f"after {seen}: predicted {prediction}, true {number} (probability of the truth {chance:.2g})",
        }
        for seen, (number, prediction, chance) in guesses
    ]
    return {
        "parameters": sample["parameters"],
        "given": sample["numbers"][0],
        "cells": cells,
        "right": sum(correct),
        "total": len(correct),
        "all_right_from": len(correct) - correct_at_end + 1 if correct_at_end else None,
        "width": max(len(str(number)) for number in sample["numbers"]),
        "strip_right": _bars(correct, True, 0, 10),
        "strip_wrong": _bars(correct, False, 6, 4),
    }


def _bars(correct: Sequence[bool], wanted: bool, top: int, height: int) -> str:
    """An SVG path with one bar for each prediction whose correctness is ``wanted``."""
    return "".join(f"M{i} {top}h1v{height}h-1z" for i, is_correct in enumerate(correct) if is_correct == wanted)
