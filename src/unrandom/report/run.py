"""How is a run reported? It is measured, the measurements are saved, and figures and page are made from them alone."""

from pathlib import Path
from typing import Any

from unrandom.core.files import make_folder, write_json
from unrandom.figures.attention import attention_figure
from unrandom.figures.description import Figure
from unrandom.figures.digits import digit_figure
from unrandom.figures.embedding import embedding_figure
from unrandom.figures.files import save_figure
from unrandom.figures.staircase import staircase_figure
from unrandom.figures.training import accuracy_figure
from unrandom.report.page import write_page
from unrandom.runs.measurement import measure_run
from unrandom.runs.run import Run


def report_run(run: Run) -> tuple[dict[str, Any], Path]:
    """Write ``measurements.json``, ``figures/`` and ``report.html`` to the run folder.

    Returns the measurements and the path of the page.
    """
    measurements = measure_run(run)
    write_json(run.folder.path / "measurements.json", measurements)
    folder = make_folder(run.folder.path / "figures")
    for name, figure in main_figures(measurements).items():
        save_figure(figure, folder / f"{name}.png")
    return measurements, write_page(measurements, run.folder.path / "report.html")


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
