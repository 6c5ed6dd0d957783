"""Shows losses and accuracies against the training step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look

STEPS = Axis("training step", limits=(0, None))
LOSS = Axis("loss (nats per token)", limits=(0, None))
ACCURACY = Axis("accuracy (share right)", limits=(-0.02, 1.04))
Metrics = Sequence[dict[str, Any]]
Measures = Mapping[str, tuple[str, Look]]  # key of the metrics -> legend name and look
LOSSES: Measures = {
    "train_loss": ("training", Look(style.BLUE)),
    "test_loss": ("test (unseen parameters)", Look(style.VERMILLION, "dash")),
}
ACCURACIES: Measures = {
    "last_number_accuracy": ("test: last number", Look(style.BLUE)),
    "number_accuracy": ("test: all numbers", Look(style.VERMILLION)),
    "token_accuracy": ("test: all tokens", Look(style.GREEN, "dash")),
    "train_accuracy": ("training: last number", Look(style.PURPLE, "dot")),
    "train_short_period_accuracy": ("training: short periods", Look(style.PURPLE, "dot")),
    "train_long_period_accuracy": ("training: long periods", Look(style.OCHRE, "dot")),
}


def loss_figure(metrics: Metrics) -> Figure:
    return _against_steps("Loss during training", LOSS, _lines(metrics, LOSSES, "%{y:.3f}"))


def accuracy_figure(metrics: Metrics) -> Figure:
    """Test accuracies, and training accuracies on the groups of sequences that the task records.

    Token accuracy is left out if it always equals number accuracy (one token per number).
    """
    tokens_are_numbers = all(row["token_accuracy"] == row["number_accuracy"] for row in metrics)
    measures = {key: drawn for key, drawn in ACCURACIES.items() if not (tokens_are_numbers and key == "token_accuracy")}
    return _against_steps("Accuracy during training", ACCURACY, _lines(metrics, measures, "%{y:.1%}"))


def recorded(metrics: Metrics, key: str) -> list[tuple[int, float]]:
    """The steps at which a measure was recorded, with its values."""
    return [(row["step"], row[key]) for row in metrics if row.get(key) is not None]


def _against_steps(title: str, measured: Axis, lines: Sequence[Line]) -> Figure:
    return Figure({"": LinePanel(title, STEPS, measured, lines, hover="step %{x}")}, height=340)


def _lines(metrics: Metrics, measures: Measures, hover: str) -> list[Line]:
    """One line per measure that was recorded; lines of one or two points get markers to be visible."""
    lines = []
    for key, (name, look) in measures.items():
        if points := recorded(metrics, key):
            steps, values = zip(*points, strict=True)
            shown = replace(look, mark="circle") if len(points) < 3 else look
            lines.append(Line(steps, values, name, look=shown, hover=hover))
    return lines
