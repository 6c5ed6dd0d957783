"""How is the report of a run rendered? As one self-contained HTML file, from saved measurements alone.

Rendering needs no model, and the page loads nothing from the network.
"""

import json
from pathlib import Path

from plotly.offline import get_plotlyjs

from unrandom.core.config import as_typed, dotted_items
from unrandom.core.files import JsonObject, write_atomically
from unrandom.core.templates import template
from unrandom.figures.pages import PAGE_COLOURS, TEMPLATES, page_figure
from unrandom.report.headline import headline
from unrandom.report.samples import sample_cells
from unrandom.report.sections import build_sections


def write_page(measurements: JsonObject, path: Path) -> Path:
    """Render the page and write it atomically; the folder must exist."""
    write_atomically(path, render_page(measurements))
    return path


def render_page(measurements: JsonObject) -> str:
    """The page as HTML; all text from the run is escaped."""
    sections = build_sections(measurements)
    figures = [page_figure(panel.figure) for section in sections for group in section.groups for panel in group]
    return template(__package__, "page.html.j2").render(
        run=measurements["run"],
        answer=headline(measurements),
        sections=sections,
        samples=[sample_cells(sample) for sample in measurements["samples"]],
        configuration=[(key, as_typed(value)) for key, value in dotted_items(measurements["run"]["config"])],
        figures=json.loads(json.dumps(figures), parse_float=_rounded),
        themes=TEMPLATES,
        colours=PAGE_COLOURS,
        plotlyjs=get_plotlyjs(),
    )


def _rounded(number: str) -> float | int:
    """The number rounded to four decimals, or to four significant digits below 1, so that the page stays small."""
    value = float(number)
    rounded = round(value, 4) if abs(value) >= 1 else float(f"{value:.4g}")
    return int(rounded) if rounded.is_integer() else rounded
