"""Compares runs during training by loss and accuracy against the step, one line per run."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from unrandom.figures.description import Line, LinePanel
from unrandom.figures.files import save_panels
from unrandom.figures.training import ACCURACY, LOSS, STEPS, Metrics, recorded

MEASURES = {
    "test_loss": ("Loss on held-out parameters", LOSS),
    "last_number_accuracy": ("Accuracy of the last number, held-out parameters", ACCURACY),
}


def save_runs(metrics: Mapping[str, Metrics], stem: Path) -> Path:
    """Draw the curves of runs, given by name, to ``<stem>.png`` and ``<stem>.svg``; returns the PNG path."""
    return save_panels(list(run_panels(metrics)), stem)


def run_panels(metrics: Mapping[str, Metrics]) -> Iterator[LinePanel]:
    """A panel per measure, with one line per run that has it."""
    for key, (title, axis) in MEASURES.items():
        lines = []
        for kind, (name, rows) in enumerate(metrics.items()):
            if points := recorded(rows, key):
                steps, values = zip(*points, strict=True)
                lines.append(Line(steps, values, name, kind, dots=len(points) == 1))  # one point makes no line
        yield LinePanel(title, STEPS, axis, lines)
