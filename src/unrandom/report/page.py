"""What did this run learn, and how? One HTML file that answers, from measurements alone: no model, no network."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from unrandom import figures
from unrandom.core.files import write_atomically
from unrandom.report.headline import headline
from unrandom.report.samples import sample_cells
from unrandom.report.sections import build_sections
from unrandom.report.templates import template

Tree = dict[str, Any]


def write_page(measurements: Tree, path: Path) -> Path:
    """Render the page and write it atomically; the folder must exist."""
    write_atomically(path, render_page(measurements))
    return path


def render_page(measurements: Tree) -> str:
    """The whole page as one string of HTML; everything that came from the run is escaped."""
    sections = build_sections(measurements)
    drawn = [panel.figure for section in sections for group in section.groups for panel in group]
    return template("page.html.j2").render(
        run=measurements["run"],
        answer=headline(measurements),
        sections=sections,
        samples=[sample_cells(sample) for sample in measurements.get("samples") or []],
        configuration=list(_leaves(measurements["run"].get("config") or {})),
        figures=[_plain(figure) for figure in drawn],
        themes=figures.TEMPLATES,
        colours=figures.PAGE_COLOURS,
        plotlyjs=get_plotlyjs(),
    )


def _leaves(tree: Tree, prefix: str = "") -> Iterator[tuple[str, str]]:
    """A nested configuration as dotted keys and JSON values."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value if isinstance(value, str) else json.dumps(value)


def _plain(figure: go.Figure) -> Tree:
    """A figure as small JSON: numbers to four digits, and no template, for the page holds one of each theme."""
    tree = json.loads(figure.to_json(), parse_float=_short)
    del tree["layout"]["template"]
    return tree


def _short(number: str) -> float | int:
    value = float(number)
    short = round(value, 4) if abs(value) >= 1 else float(f"{value:.4g}")
    return int(short) if short.is_integer() else short
