"""The names with which experiments describe panels and save them side by side."""

from unrandom.figures.description import Axis, Line, LinePanel, MapPanel, Panel, ScatterPanel
from unrandom.figures.digits import digit_map
from unrandom.figures.files import save_panels
from unrandom.figures.staircase import accuracy_panel, baseline_line, seen_axis

__all__ = [
    "Axis",
    "Line",
    "LinePanel",
    "MapPanel",
    "Panel",
    "ScatterPanel",
    "accuracy_panel",
    "baseline_line",
    "digit_map",
    "save_panels",
    "seen_axis",
]
