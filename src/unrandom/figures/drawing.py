"""Draws a panel on axes of matplotlib: lines, maps or points, with the ticks that the description asks for."""

import math
from dataclasses import replace
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize, PowerNorm
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator, StrMethodFormatter

from unrandom.figures import style
from unrandom.figures.description import Axis, Line, LinePanel, Look, MapPanel, Panel, ScatterPanel

WIDTH = 7.0  # inches of a grid of panels: texts can still be read when its 1,120 pixels are shrunk to 400
MOST_TICKS = 8  # that a logarithmic axis has room for, beside another panel


def draw(axis: Any, panel: Panel, width: float) -> Any:
    """Draw a panel of a width in inches. Returns what its colour bar shows, or None."""
    title = panel.title.replace(" = ", "\u00a0=\u00a0").replace(" − ", "\u00a0−\u00a0")
    axis.set_title(fill(title, int((width - 0.7) / 0.08), break_on_hyphens=False), loc="left")
    image = _DRAW[type(panel)](axis, panel)
    across, up = panel.axes
    if isinstance(panel, MapPanel) and across.names:  # as many names as fit
        step = math.ceil(sum(len(name) + 1 for name in across.names) * 0.09 / (width - 1.2))
        across = replace(across, ticks=across.ticks[::step], names=across.names[::step])
    most = MOST_TICKS if width < WIDTH else 2 * MOST_TICKS
    _set_axis(across, axis.xaxis, axis.set_xlabel, axis.set_xscale, axis.set_xlim, most)
    _set_axis(up, axis.yaxis, axis.set_ylabel, axis.set_yscale, axis.set_ylim, MOST_TICKS)
    if isinstance(panel, MapPanel) and panel.written:
        _write_values(axis, image, np.array(image.get_array().filled(np.nan)), width)
    return image


def _set_axis(described: Axis, axis: Any, set_label: Any, set_scale: Any, set_limits: Any, most: int) -> None:
    """Apply the description to one axis of matplotlib, with that axis's setters."""
    set_label(described.title)
    ticks = [float(tick) for tick in described.ticks]
    if described.log:
        set_scale("log", base=2)
        axis.set_minor_locator(NullLocator())
    if described.names:
        axis.set_ticks(ticks, described.names)
    elif ticks:
        if described.log and len(ticks) > most:  # every second one, the last among them
            ticks = ticks[1 - len(ticks) % 2 :: 2]
        axis.set_major_locator(FixedLocator(ticks))
        as_powers = described.log and max(ticks) > 2**12
        axis.set_major_formatter(FuncFormatter(_power_of_two) if as_powers else StrMethodFormatter("{x:g}"))
    if described.whole:
        axis.set_major_locator(MaxNLocator(integer=True))
    if described.limits != (None, None):
        set_limits(*described.limits)


def _power_of_two(value: float, _position: int) -> str:
    """A tick label: 2^k as a power, any other number in digits."""
    exponent = round(np.log2(value))
    return style.power(2, exponent) if 2.0**exponent == value else f"{value:g}"


def _draw_lines(axis: Any, panel: LinePanel) -> None:
    labelled: set[str] = set()
    for line in panel.lines:
        _draw_line(axis, line, line.label if line.label not in labelled else "")
        labelled.add(line.label)
    for mark in panel.marks:
        axis.axvline(mark, color=style.GREY, linewidth=0.8, linestyle=":")
    for note in panel.notes:
        axis.text(note.x, note.y, note.text, va="center", color=style.GREY)


def _draw_line(axis: Any, line: Line, label: str) -> None:
    look = line.look or Look(*style.category(line.kind))
    mark = look.mark or ("circle" if line.dots else "x" if line.crosses else "")
    y = [float("nan") if value is None else value for value in line.y]
    axis.plot(
        line.x,
        y,
        linestyle="none" if line.dots or line.crosses else style.DASHES[look.dash],
        marker=style.MARKS[mark.removesuffix("-open")],
        fillstyle="none" if mark.endswith("-open") else "full",
        markevery=None if line.marked is None else [i for i, x in enumerate(line.x) if x in line.marked],
        color=look.colour,
        label=label or "_",
        alpha=0.4 if line.faint else 1.0,
        linewidth=1.3 * look.width,
        markersize=5 if look.mark else 3.5,
        drawstyle="steps-post" if line.stairs else "default",
        zorder=2 + look.layer / 10,
    )
    if line.low is not None and line.high is not None:
        step = "post" if line.stairs else None
        axis.fill_between(line.x, line.low, line.high, step=step, color=look.colour, alpha=0.15, linewidth=0)
    if line.spans:
        axis.hlines(y, *zip(*line.spans, strict=True), color=look.colour, linewidth=1.3)


def _draw_map(axis: Any, panel: MapPanel) -> Any:
    longest = max(map(len, panel.values))
    values = np.array([[*row, *[float("nan")] * (longest - len(row))] for row in panel.values])
    norm = PowerNorm(style.ROOT_EXPONENT, *panel.ends, clip=True) if panel.root else Normalize(*panel.ends)
    look = {"norm": norm, "cmap": style.SIGNED_MAP if panel.signed else style.MAP}
    if panel.edges:
        image = axis.pcolormesh(panel.edges, np.arange(len(values) + 1) - 0.5, values, **look, rasterized=True)
    else:
        image = axis.imshow(values, **look, aspect="auto", origin="lower", interpolation="nearest")
    axis.grid(visible=False)
    if panel.stairs:
        x, y = np.array(panel.stairs, dtype=float).T
        axis.plot(x, y, color="white", linewidth=2.2)
        axis.plot(x, y, color="black", linewidth=0.9)
    return image


def _write_values(axis: Any, image: Any, values: np.ndarray, width: float) -> None:
    """Write the values into the cells, in black or white and as large as fits."""
    finite = np.isfinite(values)
    shown = values[finite] if finite.any() else np.zeros(1)
    whole = bool(np.equal(shown, np.round(shown)).all() and np.abs(shown).max() > 1)
    texts = {tuple(at): cell_text(float(values[tuple(at)]), whole=whole) for at in np.argwhere(finite)}
    size = min(9.0, 72 * (width - 1.9) / values.shape[1] / (0.68 * max(map(len, texts.values()), default=1)))
    for (row, column), text in texts.items():
        red, green, blue, _ = image.cmap(image.norm(values[row, column]))
        colour = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 0.5 else "white"
        axis.text(column, row, text, ha="center", va="center", fontsize=size, color=colour)


def cell_text(value: float, *, whole: bool) -> str:
    """A value in a cell: an integer, or two digits after the point and no zero before it. Zero has no sign."""
    rounded = f"{abs(value):.0f}" if whole else f"{abs(value):.2f}"
    if not float(rounded):
        return "0"
    return "−" * (value < 0) + rounded.removeprefix("0")


def _draw_points(axis: Any, panel: ScatterPanel) -> Any:
    points, groups = np.asarray(panel.points), np.asarray(panel.groups)
    kinds = np.unique(groups)
    colours = style.CATEGORIES if len(kinds) <= len(style.CATEGORIES) else style.colours(len(kinds))
    for colour, kind in zip(colours, kinds, strict=False):
        chosen = points[groups == kind]
        label = f"{panel.group} {kind}" if len(kinds) <= 9 else "_"
        axis.scatter(chosen[:, 0], chosen[:, 1], s=7, color=colour, linewidths=0, label=label)
    if len(kinds) <= 9:
        return None
    return ScalarMappable(Normalize(kinds.min() - 0.5, kinds.max() + 0.5), ListedColormap(colours))


_DRAW: dict[type, Any] = {LinePanel: _draw_lines, MapPanel: _draw_map, ScatterPanel: _draw_points}
