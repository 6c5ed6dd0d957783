"""How do experiments draw figures? They describe panels and save them side by side, with the names exported here."""

from unrandom.figures.description import Axis, Line, LinePanel, MapPanel, Panel, ScatterPanel
from unrandom.figures.files import save_panels

__all__ = ["Axis", "Line", "LinePanel", "MapPanel", "Panel", "ScatterPanel", "save_panels"]
