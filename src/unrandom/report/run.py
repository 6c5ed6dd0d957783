"""Reports a run: it is measured, the measurements are saved, and figures and page are made from them alone.

Rendering needs no model. The page is one self-contained HTML file, which loads nothing from the network.
"""

import json
from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs

from unrandom.core.config import as_typed, dotted_items
from unrandom.core.files import JsonObject, make_folder, write_atomically, write_json
from unrandom.core.templates import template
from unrandom.figures.attention import attention_figure
from unrandom.figures.description import Figure
from unrandom.figures.digits import digit_figure
from unrandom.figures.embedding import embedding_figure
from unrandom.figures.files import save_figure
from unrandom.figures.pages import PAGE_COLOURS, TEMPLATES, page_figure
from unrandom.figures.staircase import staircase_figure
from unrandom.figures.training import accuracy_figure
from unrandom.report.headline import headline
from unrandom.report.samples import sample_cells
from unrandom.report.sections import build_sections
from unrandom.runs.measurement import measure_run
from unrandom.runs.run import Run


def report_run(run: Run) -> tuple[dict[str, Any], Path]:
    """Write ``measurements.json``, ``figures/`` and ``report.html`` to the run folder.

    Returns the measurements and the path of the page.
    """
    measurements, page = measure_run(run), run.folder.path / "report.html"
    write_json(run.folder.path / "measurements.json", measurements)
    folder = make_folder(run.folder.path / "figures")
    for name, figure in main_figures(measurements).items():
        save_figure(figure, folder / f"{name}.png")
    write_atomically(page, render_page(measurements))
    return measurements, page


def main_figures(measurements: dict[str, Any]) -> dict[str, Figure]:
    """The figures that are saved as files, by file name without suffix."""
    evaluation, embedding = measurements["evaluation"], measurements["embedding"]
    figures = {"staircase": staircase_figure(evaluation, enough=measurements["run"]["task"]["enough"])}
    if measurements["metrics"]:
        figures["training"] = accuracy_figure(measurements["metrics"])
    for entry in evaluation:
        if entry["by_digit"]["digits"]:
            figures[f"digits-{entry['part']}"] = digit_figure(entry)
    for head in measurements["attention"]:
        figures[f"attention-layer{head['layer']}-head{head['head']}"] = attention_figure([head], len(head["pattern"]))
    if len(embedding["explained"]) > 1:  # a plane needs two components
        figures["embedding"] = embedding_figure(embedding, (0, 1))
    return figures


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
