"""How is a figure saved as a file? Matplotlib draws its description as PNG or SVG, with reproducible bytes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize, PowerNorm
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator, StrMethodFormatter
from PIL import Image

from unrandom.core.files import write_atomically
from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look, MapPanel, Panel, ScatterPanel


def save_figure(figure: Figure, path: Path) -> None:
    """Draw the first view to ``path``, a .png or .svg file."""
    with drawing_grid(path, 1, 1, width=figure.width / 100, height=figure.height / 100) as (axis,):
        _draw(axis, figure.first)


def save_panels(panels: Sequence[Panel], stem: Path, *, columns: int = 2) -> Path:
    """Draw panels in a grid, row by row, to ``<stem>.svg`` and ``<stem>.png``; returns the path of the latter."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    for suffix in (".svg", ".png"):
        path = stem.with_name(stem.name + suffix)
        with drawing_grid(path, rows, columns, width=4.4 * columns, height=3.3 * rows) as axes:
            for axis, panel in zip(axes, panels, strict=False):
                _draw(axis, panel)
            for axis in axes[len(panels) :]:
                axis.set_visible(False)
    return path


@contextmanager
def drawing_grid(path: Path, rows: int, columns: int, *, width: float, height: float) -> Iterator[list[Any]]:
    """Yield matplotlib axes, row by row, and save the drawing to ``path`` at the end; sizes are in inches.

    Raises ValueError unless the suffix is .png or .svg.
    """
    if path.suffix not in (".png", ".svg"):
        raise ValueError(f"{path.name}: figures are written as .png or .svg")
    with matplotlib.rc_context(_STYLE):
        canvas = Canvas(figsize=(width, height))
        yield list(canvas.subplots(rows, columns, squeeze=False).flat)
        buffer = BytesIO()
        canvas.savefig(buffer, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else None)
    write_atomically(path, buffer.getvalue() if path.suffix == ".svg" else _with_palette(buffer))


def _with_palette(png: BytesIO) -> bytes:
    """The picture reduced to a palette of 256 colours, which takes a third of the bytes."""
    image = Image.open(png).convert("RGB")  # figures are opaque
    # Of Pillow's methods, this one changes single colours least, so that colour maps stay smooth.
    with_palette = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    buffer = BytesIO()
    with_palette.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _draw(axis: Any, panel: Panel) -> None:
    axis.set_title(panel.title, loc="left")
    _DRAW[type(panel)](axis, panel)
    across, up = panel.axes
    _set_axis(across, axis.xaxis, axis.set_xlabel, axis.set_xscale, axis.set_xlim)
    _set_axis(up, axis.yaxis, axis.set_ylabel, axis.set_yscale, axis.set_ylim)


def _set_axis(described: Axis, axis: Any, set_label: Any, set_scale: Any, set_limits: Any) -> None:
    """Apply the description to one axis of matplotlib; the setters are those of the axes object for this axis."""
    set_label(described.title)
    ticks = [float(tick) for tick in described.ticks]
    if described.log:
        set_scale("log", base=2)
        axis.set_minor_locator(NullLocator())
    if described.names:
        axis.set_ticks(ticks, described.names)
    elif ticks:
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
    return f"$2^{{{exponent}}}$" if 2.0**exponent == value else f"{value:g}"


def _draw_lines(axis: Any, panel: LinePanel) -> None:
    labelled: set[str] = set()
    for line in panel.lines:
        _draw_line(axis, line, line.label if line.label not in labelled else "")
        labelled.add(line.label)
    for mark in panel.marks:
        axis.axvline(mark, color=style.GREY, linewidth=0.8, linestyle=":")
    for note in panel.notes:
        axis.text(note.x, note.y, note.text, va="center", color=style.GREY)
    if any(labelled):
        columns = max(1, min(3, 54 // max(map(len, labelled))))
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.18), "ncols": columns, "fontsize": 7}
        axis.legend(**(below if panel.beside else {}))


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
        axis.fill_between(line.x, line.low, line.high, color=look.colour, alpha=0.15, linewidth=0)
    if line.spans:
        axis.hlines(y, *zip(*line.spans, strict=True), color=look.colour, linewidth=1.3)


def _draw_map(axis: Any, panel: MapPanel) -> None:
    longest = max(map(len, panel.values))
    values = np.array([[*row, *[float("nan")] * (longest - len(row))] for row in panel.values])
    low, high = panel.limits
    norm = PowerNorm(style.ROOT_EXPONENT, low, high, clip=True) if panel.root else Normalize(low, high)
    if panel.edges:
        image = axis.pcolormesh(panel.edges, np.arange(len(values) + 1) - 0.5, values, norm=norm, rasterized=True)
    else:
        image = axis.imshow(values, norm=norm, aspect="auto", origin="lower", interpolation="nearest")
    axis.grid(visible=False)
    if panel.stairs:
        x, y = np.array(panel.stairs, dtype=float).T
        axis.plot(x, y, color="white", linewidth=2.2)
        axis.plot(x, y, color="black", linewidth=0.9)
    if panel.written:
        _write_values(axis, values.astype(float), low, high)
    axis.figure.colorbar(image, ax=axis, label=panel.bar, shrink=0.9)


def _write_values(axis: Any, values: np.ndarray, low: float | None, high: float | None) -> None:
    finite = np.isfinite(values)
    shown = values[finite] if finite.any() else np.zeros(1)
    middle = np.mean([shown.min() if low is None else low, shown.max() if high is None else high])
    template = "{:.0f}" if np.equal(shown, np.round(shown)).all() and np.abs(shown).max() > 1 else "{:.2f}"
    for row, column in np.argwhere(finite):
        value = values[row, column]
        colour = "white" if value < middle else "black"
        axis.text(column, row, template.format(value), ha="center", va="center", fontsize=6.5, color=colour)


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
        axis.figure.colorbar(scale, ax=axis, label=panel.bar, shrink=0.9)


_DRAW: dict[type, Any] = {LinePanel: _draw_lines, MapPanel: _draw_map, ScatterPanel: _draw_points}
_STYLE = {
    "figure.constrained_layout.use": True,
    "savefig.dpi": 160,
    "svg.hashsalt": "unrandom",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10.5,
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#b9bbb6",
    "axes.labelcolor": "#33363b",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e8e9e5",
    "grid.linewidth": 0.8,
    "xtick.color": "#33363b",
    "ytick.color": "#33363b",
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
    "image.cmap": style.MAP,
}
