"""The curves of one run as they grow, with the time left, or of several runs together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unrandom.app.answers import answered, plotly_figure, sentence
from unrandom.app.limits import RUNS_TOGETHER
from unrandom.app.training import Demo
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.core.quantities import duration
from unrandom.core.run_folder import RunFolder
from unrandom.figures.description import Figure, LinePanel
from unrandom.figures.runs import run_panels
from unrandom.figures.training import accuracy_figure, loss_figure
from unrandom.runs.differences import names_of
from unrandom.runs.run import Run

RUNS_LISTED = 200
HEIGHT, LINE = 340, 22  # Heights of a figure and of a line of its legend, in pixels.
NO_RUN = "There is no run yet. Start the demo, or train one: unrandom train classroom."


def run_names(runs: Path) -> list[str]:
    """The names of the runs in a folder, newest first."""
    found = [path.parent for path in runs.glob("*/manifest.json") if not path.parent.name.startswith(".")]
    newest = sorted(found, key=lambda folder: folder.stat().st_mtime, reverse=True)
    return [folder.name for folder in newest[:RUNS_LISTED]]


@answered(3)
def curves(runs: Path, demo: Demo, chosen: Any) -> tuple[str, Any, Any]:
    """How far the chosen runs are, in a sentence each; their accuracies and their losses so far.

    ``chosen`` is the name of a run, or a list of names. One run has all its curves, several have one each.
    """
    asked = chosen if isinstance(chosen, list) else [] if chosen is None else [chosen]
    known = run_names(runs)  # which also keeps visitors inside the folder of runs
    if any(name not in known and not demo.state(name) for name in asked):
        raise UserError("there is no such run in the folder of runs")
    names = list(dict.fromkeys(asked))
    if len(names) > RUNS_TOGETHER:
        raise UserError(f"{len(names)} runs were chosen; the curves of {RUNS_TOGETHER} can be drawn together")
    if not names:
        return sentence(NO_RUN if not known else "Choose one run or several."), None, None
    metrics = {name: RunFolder(runs / name).read_metrics() for name in names}
    said = "".join(sentence(_stand(runs / name, demo.state(name), metrics[name])) for name in names)
    drawn = {name: rows for name, rows in metrics.items() if rows}
    if not drawn:
        return said, None, None
    if len(names) == 1:
        (rows,) = drawn.values()
        return said, plotly_figure(accuracy_figure(rows)), plotly_figure(loss_figure(rows))
    return said, *_together(runs, drawn)


def _stand(path: Path, state: str, metrics: Sequence[JsonObject]) -> str:
    """How far a run is, how accurate, and how much time is left at its pace so far."""
    folder = RunFolder(path)
    state = "finished" if folder.finished else state or "not finished"
    if not metrics:
        return f"{path.name}: {state}. There is no evaluation yet."
    steps, last = folder.read_manifest()["config"]["steps"], metrics[-1]
    said = (
        f"{path.name}: step {last['step']:,} of {steps:,}, {state}. The last number of held-out sequences is right in "
        f"{100 * last['last_number_accuracy']:.1f} % of them."
    )
    seconds, step = last["seconds"], last["step"]
    if folder.finished or not seconds or not 0 < step < steps:
        return said
    left = duration(seconds / step * (steps - step))
    return f"{said} At {duration(seconds / step)} per step, as so far, the rest takes about {left}."


def _together(runs: Path, metrics: Mapping[str, Sequence[JsonObject]]) -> tuple[Any, Any]:
    """The accuracies and the losses of several runs; the legend names the settings in which they differ."""
    try:
        names = names_of([Run.open(runs / name) for name in metrics])
    except UserError:  # The task of a run may be one that is not imported here.
        names = list(metrics)
    loss, accuracy = run_panels(dict(zip(names, metrics.values(), strict=True)))
    height = HEIGHT + LINE * len(metrics)
    return (
        plotly_figure(Figure({"": _hovering(accuracy, "%{y:.1%}")}, height=height)),
        plotly_figure(Figure({"": _hovering(loss, "%{y:.3f}")}, height=height)),
    )


def _hovering(panel: LinePanel, text: str) -> LinePanel:
    return replace(panel, lines=[replace(line, hover=text) for line in panel.lines], hover="step %{x}")
