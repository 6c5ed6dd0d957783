"""How do predictors compare on one test set? Shown by accuracy and bits known against numbers seen."""

from collections.abc import Iterator, Sequence
from math import log2
from pathlib import Path
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Line, LinePanel
from unrandom.figures.files import save_panels

BITS = "low bits known (right in 99 %)"


def save_comparison(compared: Sequence[dict[str, Any]], stem: Path) -> Path:
    """Draw up to two panels per part of the test to ``<stem>.png`` and ``<stem>.svg``; returns the PNG path."""
    return save_panels([panel for entry in compared for panel in comparison_panels(entry)], stem)


def comparison_panels(entry: dict[str, Any]) -> Iterator[LinePanel]:
    """A panel of accuracies with one line per predictor, and one of bits known if numbers have digits.

    The first predictor, whose line is solid, is drawn last, so that it covers the others.
    """
    curves = [(kind, row, row["by_position"]) for kind, row in reversed(list(enumerate(entry["predictors"])))]
    ticks = style.powers(2, max(curve["seen"][-1] for _, _, curve in curves))
    shares = [
        Line(curve["seen"], curve["value"], row["predictor"], kind, curve["low"], curve["high"])
        for kind, row, curve in curves
    ]
    yield LinePanel(entry["symbol"], style.SEEN, style.SHARE, shares, ticks)
    if entry["basis"] is not None:
        bits = [
            Line(curve["seen"], row["bits_known"], row["predictor"], kind, stairs=True) for kind, row, curve in curves
        ]
        yield LinePanel(entry["symbol"], style.SEEN, BITS, bits, ticks, limits=(0, 1.04 * log2(entry["basis"])))
