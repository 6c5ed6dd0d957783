"""How do several predictors do on one test set? Accuracy by how many numbers were seen, a line a predictor."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unrandom.figures import style
from unrandom.figures.panels import Line, LinePanel, save_panels


def save_comparison(compared: Sequence[dict[str, Any]], stem: Path) -> Path:
    """Write ``<stem>.png`` and ``<stem>.svg``, a panel a modulus; returns the former."""
    panels = []
    for entry in compared:
        curves = [(row["predictor"], row["by_position"]) for row in entry["predictors"]]
        lines = [
            Line(curve["seen"], curve["value"], name, kind, low=curve["low"], high=curve["high"])
            for kind, (name, curve) in enumerate(curves)
        ]
        lines.reverse()  # the first, which is solid, is drawn over the others and not they over it
        ticks = [2**k for k in range(max(curve["seen"][-1] for _, curve in curves).bit_length())]
        panels.append(LinePanel(f"m = {entry['modulus']}", style.SEEN, style.SHARE, lines, ticks))
    save_panels(panels, stem)
    return stem.with_name(stem.name + ".png")
