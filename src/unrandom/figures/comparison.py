"""Compares predictors on one test set: accuracy and bits known against numbers seen."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log2
from pathlib import Path
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Line, LinePanel, Look
from unrandom.figures.files import save_panels
from unrandom.figures.staircase import LOOKS, accuracy_panel, baseline_line, common_base, seen_axis

MARKS = ("diamond-open", "cross", "circle", "square", "triangle-up-open")

BITS = "low bits known (right in 99 %)"


def save_comparison(compared: Sequence[dict[str, Any]], stem: Path) -> Path:
    """Draw up to two panels per part of the test to ``<stem>.png`` and ``<stem>.svg``; returns the PNG path."""
    return save_panels([panel for entry in compared for panel in comparison_panels(entry)], stem)


def comparison_panels(entry: dict[str, Any]) -> Iterator[LinePanel]:
    """A panel of accuracies with one line per predictor and, if numbers have digits, a panel of bits known.

    The first predictor's solid line is drawn last, over the others; these have markers at places of their own, so that
    lines that coincide can be told apart.
    """
    rows, base = entry["predictors"], common_base([entry])
    shares = [
        replace(
            _line(row, row["by_position"]["value"], kind, len(rows)),
            low=row["by_position"]["low"],
            high=row["by_position"]["high"],
        )
        for kind, row in reversed(list(enumerate(rows)))
    ]
    yield accuracy_panel(entry["symbol"], shares, base=base)
    if entry["basis"] is not None:
        most = log2(entry["basis"])
        bits = [
            replace(_line(row, row["bits_known"], kind, len(rows)), stairs=True)
            for kind, row in reversed(list(enumerate(rows)))
        ]
        yield LinePanel(entry["symbol"], seen_axis(bits[0].x[-1], base), BITS, bits, limits=(-0.02 * most, 1.04 * most))


def _line(row: dict[str, Any], values: Sequence[float], kind: int, count: int) -> Line:
    seen, (colour, dash) = row["by_position"]["seen"], style.category(kind)
    if kind == 0:
        return Line(seen, values, row["predictor"], look=Look(colour, dash))
    line = baseline_line(row["predictor"], seen, values, kind - 1, count - 1)
    look = LOOKS.get(row["predictor"]) or Look(colour, dash, MARKS[kind % len(MARKS)], 0.8, layer=-1)
    return replace(line, look=look)
