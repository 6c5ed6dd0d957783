"""What was reached, after how many numbers, and under which conditions? The head of the page."""

from unrandom.core.files import JsonObject
from unrandom.figures.staircase import first_stays_above
from unrandom.report.text import duration, intervals, percent

LEVELS = (0.5, 0.9, 0.99)
DATA = {"streaming": "fresh sequences at every step", "fixed": "a fixed set of sequences, repeated"}


def headline(measurements: JsonObject) -> JsonObject:
    """What the template says before the first section."""
    run, evaluation = measurements["run"], measurements["evaluation"]
    task = run["task"]
    return {
        "model": f"A Transformer that names the next number {task['scope']}",
        "reached": _reached(evaluation),
        "seen": max(entry["by_position"]["seen"][-1] for entry in evaluation),
        "rows": [_row(entry) for entry in evaluation],
        "rule": task["rule"],
        "unseen": task["unseen"],
        "sequences": f"{sum(entry['sequences'] for entry in evaluation):,}",
        "intervals": intervals(evaluation),
        "data": DATA[run["data_mode"]],
        "time": duration(run["train_seconds"]),
    }


def _reached(evaluation: list[JsonObject]) -> str:
    """The smallest and the largest accuracy on the last number."""
    shares = sorted(entry["last_number_accuracy"]["value"] for entry in evaluation)
    return " to ".join(dict.fromkeys(map(percent, shares[:1] + shares[-1:])))


def _row(entry: JsonObject) -> JsonObject:
    last = entry["last_number_accuracy"]
    return {
        "symbol": entry["symbol"],
        "accuracy": percent(last["value"]),
        "interval": f"{percent(last['low'])} to {percent(last['high'])}",
        "counts": f"{last['correct']:,} of {last['total']:,} sequences",
        "after": [(f"{level:.0%}", first_stays_above(entry["by_position"], level)) for level in LEVELS],
    }
