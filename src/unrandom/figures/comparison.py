"""How do several predictors do on one test set? Accuracy and known bits by how many numbers were seen, a line each."""

from collections.abc import Sequence
from math import log2
from pathlib import Path
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Line, LinePanel
from unrandom.figures.files import save_panels

BITS = "low bits known (right in 99 %)"


def save_comparison(compared: Sequence[dict[str, Any]], stem: Path) -> Path:
    """Write ``<stem>.png`` and ``<stem>.svg``, up to two panels for each part of the test; returns the former."""
    panels = [panel for entry in compared for panel in (_accuracy(entry), *_bits(entry))]
    save_panels(panels, stem)
    return stem.with_name(stem.name + ".png")


def _accuracy(entry: dict[str, Any]) -> LinePanel:
    lines = [
        Line(curve["seen"], curve["value"], row["predictor"], kind, low=curve["low"], high=curve["high"])
        for kind, row in enumerate(entry["predictors"])
        for curve in [row["by_position"]]
    ]
    return LinePanel(entry["symbol"], style.SEEN, style.SHARE, _first_on_top(lines), _ticks(lines))


def _bits(entry: dict[str, Any]) -> list[LinePanel]:
    """The staircases, where numbers have digits."""
    if entry["basis"] is None:
        return []
    lines = [
        Line(row["by_position"]["seen"], row["bits_known"], row["predictor"], kind, stairs=True)
        for kind, row in enumerate(entry["predictors"])
    ]
    limits = (0, 1.04 * log2(entry["basis"]))
    return [LinePanel(entry["symbol"], style.SEEN, BITS, _first_on_top(lines), _ticks(lines), limits=limits)]


def _first_on_top(lines: list[Line]) -> list[Line]:
    """Drawn last, the first line, which is solid, covers the others and not they it."""
    return lines[::-1]


def _ticks(lines: list[Line]) -> list[int]:
    return [2**k for k in range(max(int(line.x[-1]) for line in lines).bit_length())]
