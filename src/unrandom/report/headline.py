"""What was reached, after how many numbers, and under which conditions? The head of the page."""

from typing import Any

from unrandom import figures
from unrandom.report.sections import unseen_modulus
from unrandom.report.words import duration, intervals, listed, percent

Tree = dict[str, Any]
LEVELS = (0.5, 0.9, 0.99)
MODULI_NAMED = 4  # more are said as a range


def headline(measurements: Tree) -> Tree:
    """What the template says before the first section."""
    run, evaluation = measurements["run"], measurements.get("evaluation") or []
    unseen = unseen_modulus(measurements)
    fixed = f"mod {evaluation[0]['modulus']:,}" if evaluation and not unseen else "mod m, with many moduli m"
    return {
        "model": _model(evaluation, unseen),
        "reached": _reached(evaluation),
        "seen": max((entry["by_position"]["seen"][-1] for entry in evaluation), default=0),
        "rows": [_row(entry) for entry in evaluation],
        "generator": fixed,
        "unseen": "modulus m, multiplier a and increment c" if unseen else "multiplier a and increment c",
        "sequences": f"{sum(entry['sequences'] for entry in evaluation):,}",
        "intervals": intervals(evaluation),
        "data": {
            "streaming": "fresh sequences at every step",
            "fixed": "a fixed set of sequences, repeated",
        }.get(run.get("data_mode", ""), str(run.get("data_mode", ""))),
        "time": duration(run.get("train_seconds")),
    }


def _model(evaluation: list[Tree], unseen: bool) -> str:
    """What the model is for, in words that need no knowledge of recipes."""
    moduli = sorted(entry["modulus"] for entry in evaluation)
    if not moduli:
        return "A Transformer for pseudo-random numbers"
    if len(moduli) > MODULI_NAMED:
        several = f"one of {len(moduli)} moduli from {moduli[0]:,} to {moduli[-1]:,}"
    else:
        several = listed([f"{modulus:,}" for modulus in moduli], "or")
    if unseen:
        return f"A Transformer that names the next number modulo {several}, never seen in training,"
    return f"A Transformer that names the next number modulo {several}"


def _reached(evaluation: list[Tree]) -> str:
    """The smallest and the largest accuracy on the last number."""
    shares = sorted(entry["last_number_accuracy"]["value"] for entry in evaluation)
    return " to ".join(dict.fromkeys(map(percent, shares[:1] + shares[-1:])))


def _row(entry: Tree) -> Tree:
    last = entry["last_number_accuracy"]
    return {
        "modulus": entry["modulus"],
        "accuracy": percent(last["value"]),
        "interval": f"{percent(last['low'])} to {percent(last['high'])}",
        "counts": f"{last['correct']:,} of {last['total']:,} sequences",
        "after": [(f"{level:.0%}", figures.first_stays_above(entry["by_position"], level)) for level in LEVELS],
    }
