"""How do several runs compare during training? Shown by loss and accuracy against the step, one line per run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unrandom.figures.description import Axis, Line, LinePanel
from unrandom.figures.files import save_panels

STEPS = Axis("training step", limits=(0, None))
MEASURES = {
    "test_loss": ("Loss on held-out parameters", Axis("loss (nats per token)", limits=(0, None))),
    "last_number_accuracy": (
        "Accuracy of the last number, held-out parameters",
        Axis("accuracy (share right)", limits=(-0.02, 1.04)),
    ),
}


def save_runs(metrics: Mapping[str, Sequence[dict[str, Any]]], stem: Path) -> Path:
    """Draw the curves of runs, given by name, to ``<stem>.png`` and ``<stem>.svg``; returns the PNG path."""
    save_panels(list(run_panels(metrics)), stem)
    return stem.with_name(stem.name + ".png")


def run_panels(metrics: Mapping[str, Sequence[dict[str, Any]]]) -> Iterator[LinePanel]:
    """A panel per measure, with one line per run that has it."""
    for key, (title, axis) in MEASURES.items():
        lines = []
        for kind, (name, rows) in enumerate(metrics.items()):
            points = [(row["step"], row[key]) for row in rows if row.get(key) is not None]
            if points:
                steps, values = zip(*points, strict=True)
                lines.append(Line(steps, values, name, kind))
        yield LinePanel(title, STEPS, axis, lines, beside=True)
