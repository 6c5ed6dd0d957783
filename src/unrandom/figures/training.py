"""How did training go? Losses and accuracies against the step, each measure in one colour and dash."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import plotly.graph_objects as go

from unrandom.figures import style

Metrics = Sequence[dict[str, Any]]


class Measure(NamedTuple):
    """One line of a training figure: a key of the metrics, and how it is named and drawn."""

    key: str
    words: str
    colour: str
    dash: str


LOSSES = (
    Measure("train_loss", "training", style.BLUE, "solid"),
    Measure("test_loss", "test (unseen parameters)", style.VERMILLION, "dash"),
)
ACCURACIES = (
    Measure("last_number_accuracy", "test: last number", style.BLUE, "solid"),
    Measure("number_accuracy", "test: all numbers", style.VERMILLION, "solid"),
    Measure("token_accuracy", "test: all tokens", style.GREEN, "dash"),
    Measure("train_short_period_accuracy", "training: short periods", style.PURPLE, "dot"),
    Measure("train_long_period_accuracy", "training: long periods", style.ORANGE, "dot"),
)


def lines(metrics: Metrics, measures: Sequence[Measure]) -> list[tuple[Measure, list[int], list[float]]]:
    """The measures that were taken, each with its steps and values.

    Token accuracy is left out where it equals number accuracy (one token a number).
    """
    taken = []
    for measure in measures:
        points = [(row["step"], row[measure.key]) for row in metrics if row.get(measure.key) is not None]
        repeats = measure.key == "token_accuracy" and all(
            row.get("token_accuracy") == row.get("number_accuracy") for row in metrics
        )
        if points and not repeats:
            taken.append((measure, [step for step, _ in points], [value for _, value in points]))
    return taken


def _curves(metrics: Metrics, measures: Sequence[Measure], y: str, number: str) -> go.Figure:
    traces = [
        go.Scatter(
            x=steps,
            y=values,
            name=measure.words,
            mode="lines+markers" if len(steps) < 3 else "lines",
            line={"color": measure.colour, "dash": measure.dash, "width": 2},
            hovertemplate=f"%{{y:{number}}}",
        )
        for measure, steps, values in lines(metrics, measures)
    ]
    return style.plain_figure(
        traces, x="training step", y=y, height=340, hovermode="x unified", showlegend=True
    ).update_xaxes(rangemode="tozero", unifiedhovertitle_text="step %{x}")


def loss_figure(metrics: Metrics) -> go.Figure:
    """Training and test loss."""
    return _curves(metrics, LOSSES, "loss (nats per token)", ".3f").update_yaxes(rangemode="tozero")


def accuracy_figure(metrics: Metrics) -> go.Figure:
    """Test accuracies, and training accuracies on short and long periods where they were measured."""
    return _curves(metrics, ACCURACIES, "accuracy (share right)", ".1%").update_yaxes(range=[-0.02, 1.04])


def save_training(metrics: Metrics, path: Path, *, losses: bool = False) -> None:
    """Write the accuracies (or the losses) against the step with matplotlib."""
    measures, y = (LOSSES, "loss (nats per token)") if losses else (ACCURACIES, "accuracy (share right)")
    with style.drawing(path, title=f"{'Loss' if losses else 'Accuracy'} during training") as axis:
        for measure, steps, values in lines(metrics, measures):
            axis.plot(steps, values, style.FILE_DASHES[measure.dash], color=measure.colour, label=measure.words)
        axis.set(xlabel="training step", ylabel=y, xlim=(0, None), ylim=(0, None if losses else 1.04))
        if axis.lines:
            axis.legend(loc="best")
