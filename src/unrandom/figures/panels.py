"""How are several pictures set side by side? An experiment describes panels and saves them; this is what it needs."""

from unrandom.figures.description import Line, LinePanel, MapPanel, Panel, ScatterPanel
from unrandom.figures.files import save_panels

__all__ = ["Line", "LinePanel", "MapPanel", "Panel", "ScatterPanel", "save_panels"]
