"""How is a number said? Shares, durations and intervals as a reader wants them."""

import json
from collections.abc import Sequence
from typing import Any


def percent(share: float) -> str:
    """One decimal; never rounded to 0% or 100% unless it is exactly that."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{share:.1%}" if 0 < share < 1 else f"{share:.0%}"


def setting(value: Any) -> str:
    """A value of a configuration, as ``--set`` takes it."""
    return value if isinstance(value, str) else json.dumps(value)


def duration(seconds: float | None) -> str:
    """In the largest unit that leaves a number above 2."""
    if seconds is None:
        return "unknown time"
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


def intervals(evaluation: Sequence[dict[str, Any]]) -> str:
    """How the intervals of full-period accuracies were made."""
    return "; ".join(dict.fromkeys(entry["last_number_accuracy"]["interval"] for entry in evaluation))
