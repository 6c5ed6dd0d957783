"""What does `unrandom report` do? Measures the run, saves the measurements, and draws from them alone."""

from pathlib import Path
from typing import Any

from unrandom import figures
from unrandom.core.files import make_folder, write_json
from unrandom.report.page import write_page
from unrandom.runs.measurement import measure_run
from unrandom.runs.run import Run


def report_run(run: Run) -> tuple[dict[str, Any], Path]:
    """Leave ``measurements.json``, ``figures/`` and ``report.html`` in the run folder; return measurements and page."""
    measurements = measure_run(run)
    write_json(run.folder.path / "measurements.json", measurements)
    save_figures(measurements, make_folder(run.folder.path / "figures"))
    return measurements, write_page(measurements, run.folder.path / "report.html")


def save_figures(measurements: dict[str, Any], folder: Path) -> None:
    """The main figures as PNG files."""
    figures.save_ladder(measurements["evaluation"], folder / "ladder.png", enough=measurements["run"]["task"]["enough"])
    if measurements["metrics"]:
        figures.save_training(measurements["metrics"], folder / "training.png")
    for entry in measurements["evaluation"]:
        if entry["by_digit"]["digits"]:
            figures.save_digits(entry, folder / f"digits-{entry['part']}.png")
    for head in measurements["attention"]:
        figures.save_attention(head, folder / f"attention-layer{head['layer']}-head{head['head']}.png")
    embedding = measurements["embedding"]
    if len(embedding["explained"]) > 1:  # a plane needs two components
        residue = embedding["residue_variance"][0]["modulus"]
        figures.save_embedding(embedding, folder / "embedding.png", modulus=residue)
