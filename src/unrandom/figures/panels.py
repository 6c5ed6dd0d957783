"""How are several pictures set side by side? Panels are described as data, then drawn by matplotlib in one style."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator, StrMethodFormatter

from unrandom.figures import style


@dataclass(frozen=True)
class Line:
    """A curve, with a band where ``low`` and ``high`` are given. ``kind`` picks colour and dash."""

    x: Sequence[float]
    y: Sequence[float | None]
    label: str = ""
    kind: int = 0
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    faint: bool = False
    dots: bool = False  # points that no line joins
    crosses: bool = False  # crosses that no line joins
    stairs: bool = False  # each value holds until the next one


@dataclass(frozen=True)
class LinePanel:
    title: str
    x: str
    y: str
    lines: Sequence[Line]
    ticks: Sequence[int] = ()  # on the x axis; with ticks, the axis is logarithmic
    marks: Sequence[float] = ()  # vertical lines
    limits: tuple[float | None, float | None] = (0, 1.04)
    levels: Sequence[float] = ()  # ticks on the y axis; with them, it is logarithmic
    names: Sequence[str] = ()  # what to write at x = 0, 1, … in place of the numbers
    beside: bool = False  # the legend stands under the panel, where it covers no curve
    whole: bool = False  # ticks on the y axis are whole numbers


@dataclass(frozen=True)
class MapPanel:
    """A matrix as colours, its first row at the bottom; cells may carry their values. A NaN is left blank."""

    title: str
    x: str
    y: str
    values: Sequence[Sequence[float]]
    columns: Sequence[str] = ()
    rows: Sequence[str] = ()
    bar: str = ""
    limits: tuple[float | None, float | None] = (0, 1)
    written: bool = False
    stairs: Sequence[tuple[float, float]] = field(default_factory=list)  # a line over the map, in cells


@dataclass(frozen=True)
class ScatterPanel:
    title: str
    x: str
    y: str
    points: Sequence[tuple[float, float]]
    groups: Sequence[int]
    group: str = "residue"


Panel = LinePanel | MapPanel | ScatterPanel


def save_panels(panels: Sequence[Panel], stem: Path, *, columns: int = 2) -> None:
    """Write panels, row by row, as ``<stem>.png`` and ``<stem>.svg``."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    for suffix in (".png", ".svg"):
        path = stem.with_name(stem.name + suffix)
        with style.drawing_grid(path, rows, columns, width=4.4 * columns, height=3.3 * rows) as axes:
            for axis, panel in zip(axes, panels, strict=False):
                axis.set_title(panel.title, loc="left")
                axis.set(xlabel=panel.x, ylabel=panel.y)
                _DRAW[type(panel)](axis, panel)
            for axis in axes[len(panels) :]:
                axis.set_visible(False)


def _draw_lines(axis: Any, panel: LinePanel) -> None:
    labelled: set[str] = set()
    for line in panel.lines:
        colour, dash = style.category(line.kind)
        label = line.label if line.label not in labelled else ""
        labelled.add(line.label)
        y = [float("nan") if value is None else value for value in line.y]
        alpha = 0.4 if line.faint else 1.0
        form = "o" if line.dots else "x" if line.crosses else style.FILE_DASHES[dash]
        how = "steps-post" if line.stairs else "default"
        look = {"alpha": alpha, "linewidth": 1.3, "markersize": 3.5, "drawstyle": how}
        axis.plot(line.x, y, form, color=colour, label=label or "_", **look)
        if line.low is not None and line.high is not None:
            axis.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
    for ticks, set_scale, scaled in (
        (panel.ticks, axis.set_xscale, axis.xaxis),
        (panel.levels, axis.set_yscale, axis.yaxis),
    ):
        if ticks:
            set_scale("log", base=2)
            scaled.set_major_locator(FixedLocator([float(tick) for tick in ticks]))
            scaled.set_minor_locator(NullLocator())
            scaled.set_major_formatter(FuncFormatter(_power) if max(ticks) > 2**12 else StrMethodFormatter("{x:g}"))
    if panel.whole:
        axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    if panel.names:
        axis.set_xticks(range(len(panel.names)), panel.names)
    for mark in panel.marks:
        axis.axvline(mark, color=style.GREY, linewidth=0.8, linestyle=":")
    axis.set_ylim(*panel.limits)
    if any(line.label for line in panel.lines):
        columns = max(1, min(3, 54 // max(len(line.label) for line in panel.lines)))
        under = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.18), "ncols": columns, "fontsize": 7}
        axis.legend(**(under if panel.beside else {}))


def _power(value: float, _place: int) -> str:
    """2^k as such; another number as it is."""
    exponent = round(np.log2(value))
    return f"$2^{{{exponent}}}$" if 2.0**exponent == value else f"{value:g}"


def _draw_map(axis: Any, panel: MapPanel) -> None:
    low, high = panel.limits
    image = axis.imshow(panel.values, vmin=low, vmax=high, aspect="auto", origin="lower", interpolation="nearest")
    axis.grid(visible=False)
    for names, set_ticks in ((panel.columns, axis.set_xticks), (panel.rows, axis.set_yticks)):
        if names:
            kept = range(0, len(names), max(1, len(names) // 12))
            set_ticks(list(kept), [names[i] for i in kept])
    if panel.stairs:
        x, y = zip(*panel.stairs, strict=True)
        axis.plot(x, y, color="white", linewidth=2.2)
        axis.plot(x, y, color="black", linewidth=0.9)
    if panel.written:
        values = np.asarray(panel.values, dtype=float)
        known = np.isfinite(values)
        shown = values[known] if known.any() else np.zeros(1)
        middle = np.mean([shown.min() if low is None else low, shown.max() if high is None else high])
        form = "{:.0f}" if np.equal(shown, np.round(shown)).all() and np.abs(shown).max() > 1 else "{:.2f}"
        for row, column in np.argwhere(known):
            value = values[row, column]
            ink = "white" if value < middle else "black"
            axis.text(column, row, form.format(value), ha="center", va="center", fontsize=6.5, color=ink)
    axis.figure.colorbar(image, ax=axis, label=panel.bar, shrink=0.9)


def _draw_points(axis: Any, panel: ScatterPanel) -> None:
    points, groups = np.asarray(panel.points), np.asarray(panel.groups)
    kinds = np.unique(groups)
    colours = style.CATEGORIES if len(kinds) <= len(style.CATEGORIES) else style.viridis(len(kinds))
    for colour, kind in zip(colours, kinds, strict=False):
        chosen = points[groups == kind]
        label = f"{panel.group} {kind}" if len(kinds) <= 9 else "_"
        axis.scatter(chosen[:, 0], chosen[:, 1], s=7, color=colour, linewidths=0, label=label)
    if len(kinds) <= 9:
        axis.legend(markerscale=1.6, handletextpad=0.1, fontsize=7, ncols=2)
    else:
        scale = ScalarMappable(Normalize(kinds.min() - 0.5, kinds.max() + 0.5), ListedColormap(colours))
        axis.figure.colorbar(scale, ax=axis, label="residue", shrink=0.9)


_DRAW: dict[type, Any] = {LinePanel: _draw_lines, MapPanel: _draw_map, ScatterPanel: _draw_points}
