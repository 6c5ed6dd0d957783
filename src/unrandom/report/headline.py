"""The head of a report: the accuracy reached, after how many numbers, and how the model was trained."""

from unrandom.core.files import JsonObject
from unrandom.core.quantities import duration
from unrandom.figures.staircase import first_stays_above
from unrandom.runs.sharing.card import DATA_MODE

ACCURACY_LEVELS = (0.5, 0.9, 0.99)


def headline(measurements: JsonObject) -> JsonObject:
    """The values that the template prints before the first section."""
    run, evaluation = measurements["run"], measurements["evaluation"]
    task, start = run["task"], run["config"].get("start")
    return {
        "model": f"A Transformer that predicts the next number {task['scope']}",
        "reached": _accuracy_range(evaluation),
        "seen": max(entry["by_position"]["seen"][-1] for entry in evaluation),
        "rows": [_part_fields(entry) for entry in evaluation],
        "origin": "from scratch" if start is None else f"from the weights of a run of {start['recipe']}",
        "rule": task["rule"],
        "unseen": task["unseen"],
        "sequences": f"{sum(entry['sequences'] for entry in evaluation):,}",
        "intervals": intervals(evaluation),
        "data": DATA_MODE[run["data_mode"]],
        "time": "unknown time" if run["train_seconds"] is None else duration(run["train_seconds"]),
    }


def _accuracy_range(evaluation: list[JsonObject]) -> str:
    """The smallest and the largest accuracy on the last number, over the parts of the test."""
    shares = sorted(entry["last_number_accuracy"]["value"] for entry in evaluation)
    return " to ".join(dict.fromkeys(map(percent, shares[:1] + shares[-1:])))


def _part_fields(entry: JsonObject) -> JsonObject:
    """Accuracy on the last number and context needed for each accuracy level, for one part of the test."""
    last = entry["last_number_accuracy"]
    return {
        "symbol": entry["symbol"],
        "accuracy": percent(last["value"]),
        "interval": f"{percent(last['low'])} to {percent(last['high'])}",
        "counts": f"{last['correct']:,} of {last['total']:,} sequences",
        "after": [(f"{level:.0%}", first_stays_above(entry["by_position"], level)) for level in ACCURACY_LEVELS],
    }


def percent(share: float) -> str:
    """A share from 0 to 1 as a percentage with one decimal; 0% and 100% are printed only if exact."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{share:.1%}" if 0 < share < 1 else f"{share:.0%}"


def intervals(evaluation: list[JsonObject]) -> str:
    """The methods of the intervals of the last-number accuracies, each named once."""
    return "; ".join(dict.fromkeys(entry["last_number_accuracy"]["interval"] for entry in evaluation))
