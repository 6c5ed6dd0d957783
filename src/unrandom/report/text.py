"""How are numbers written in reports? Shares as percentages, and how their intervals were made."""

from collections.abc import Sequence
from typing import Any


def percent(share: float) -> str:
    """A share from 0 to 1 as a percentage with one decimal; 0% and 100% are printed only if exact."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{share:.1%}" if 0 < share < 1 else f"{share:.0%}"


def intervals(evaluation: Sequence[dict[str, Any]]) -> str:
    """How the intervals of the last-number accuracies were computed; each method is named once."""
    return "; ".join(dict.fromkeys(entry["last_number_accuracy"]["interval"] for entry in evaluation))
