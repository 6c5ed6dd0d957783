"""How do several predictors do on one test set? Accuracy and known bits by how many numbers were seen, a line each."""

from collections.abc import Iterator, Sequence
from math import log2
from pathlib import Path
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Line, LinePanel
from unrandom.figures.files import save_panels

BITS = "low bits known (right in 99 %)"


def save_comparison(compared: Sequence[dict[str, Any]], stem: Path) -> Path:
    """Write ``<stem>.png`` and ``<stem>.svg``, up to two panels for each part of the test; returns the former."""
    save_panels([panel for entry in compared for panel in comparison_panels(entry)], stem)
    return stem.with_name(stem.name + ".png")


def comparison_panels(entry: dict[str, Any]) -> Iterator[LinePanel]:
    """The accuracies, and the staircases where numbers have digits.

    Drawn last, the first predictor's line, which is solid, covers the others and not they it.
    """
    curves = [(kind, row, row["by_position"]) for kind, row in reversed(list(enumerate(entry["predictors"])))]
    ticks = style.powers(2, max(at["seen"][-1] for _, _, at in curves))
    shares = [Line(at["seen"], at["value"], row["predictor"], kind, at["low"], at["high"]) for kind, row, at in curves]
    yield LinePanel(entry["symbol"], style.SEEN, style.SHARE, shares, ticks)
    if entry["basis"] is not None:
        bits = [Line(at["seen"], row["bits_known"], row["predictor"], kind, stairs=True) for kind, row, at in curves]
        yield LinePanel(entry["symbol"], style.SEEN, BITS, bits, ticks, limits=(0, 1.04 * log2(entry["basis"])))
