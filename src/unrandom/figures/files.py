"""How is a figure saved as a file? Matplotlib draws its description as PNG or SVG, with reproducible bytes."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize, PowerNorm
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator, StrMethodFormatter
from PIL import Image

from unrandom.core.files import write_atomically
from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look, MapPanel, Panel, ScatterPanel

MOST_TICKS = 8  # that a logarithmic axis has room for, beside another panel
WIDTH = 7.0  # inches of a grid of panels: texts can still be read when its 1,120 pixels are shrunk to 400


def save_figure(figure: Figure, path: Path) -> None:
    """Draw the first view to ``path``, a .png or .svg file."""
    with drawing_grid(path, 1, 1, width=figure.width / 100, height=figure.height / 100) as (axis,):
        panel, width = figure.first, figure.width / 100
        image = _draw(axis, panel, width)
        if image is not None:
            _add_bar(image, panel, [axis])
        _legend_below(axis, width)


def save_panels(panels: Sequence[Panel], stem: Path, *, columns: int = 2, wide_first: bool = False) -> Path:
    """Draw panels in a grid, row by row, to ``<stem>.svg`` and ``<stem>.png``; returns the path of the latter.

    With ``wide_first`` the first panel has a row of its own. Legends that agree become one, in the empty cell or above
    the panels; so do colour bars of a row that agree.
    """
    columns = min(columns, len(panels))
    rows = [list(panels[i : i + columns]) for i in range(wide_first, len(panels), columns)]
    rows = [[panels[0]], *rows] if wide_first else rows
    for suffix in (".svg", ".png"):
        path = stem.with_name(stem.name + suffix)
        with drawing_grid(path, len(rows), columns, width=WIDTH, height=1) as axes:
            cells = [axes[i : i + columns] for i in range(0, len(axes), columns)]
            if wide_first:
                cells[0][0].set_subplotspec(cells[0][0].get_gridspec()[0, :])
                for axis in cells[0][1:]:
                    axis.remove()
                cells[0] = cells[0][:1]
            for own, drawn in zip(cells, rows, strict=True):
                _draw_row(own, drawn)
            below = _add_legends(cells, rows)
            heights = [
                max(map(_height, drawn, [WIDTH / len(own)] * len(drawn)))
                for own, drawn in zip(cells, rows, strict=True)
            ]
            lines = sum(max(row) for row in below) + 1.5 * len(axes[0].figure.legends)
            axes[0].figure.set_size_inches(WIDTH, sum(heights) + 0.19 * lines)
    return path


def _draw_row(axes: Sequence[Any], panels: Sequence[Panel]) -> None:
    """Draw the panels of a row of cells; a cell without a panel stays empty."""
    scales = {_scale(panel) for panel in panels}
    shared = len(panels) > 1 and len(scales) == 1 and None not in scales
    images = [_draw(axis, panel, WIDTH / len(axes)) for axis, panel in zip(axes, panels, strict=False)]
    for axis, panel, image in zip(axes, panels, images, strict=False):
        if image is not None and not shared:
            _add_bar(image, panel, [axis])
    if shared:
        _add_bar(images[0], panels[0], axes)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()


def _height(panel: Panel, width: float) -> float:
    """The height in inches of a panel without its legend; maps of a few rows are lower."""
    usual = 2.6 if width < WIDTH else 3.7
    return min(usual, 1.1 + 0.32 * len(panel.values)) if isinstance(panel, MapPanel) else usual


def _scale(panel: Panel) -> tuple[Any, ...] | None:
    """What the colour bar of a map shows; None if it depends on the values of the panel, or if there is no bar."""
    if not isinstance(panel, MapPanel) or None in panel.limits:
        return None
    return panel.bar, panel.limits, panel.signed, panel.root


def _add_bar(image: Any, panel: Panel, axes: Sequence[Any]) -> None:
    """A colour bar beside the axes; ticks of a root scale are at the values of evenly spaced colours."""
    assert not isinstance(panel, LinePanel)
    bar = axes[0].figure.colorbar(image, ax=axes, label=panel.bar)
    if isinstance(panel, MapPanel) and panel.root:
        bar.set_ticks([image.norm.vmax * (i / 4) ** (1 / style.ROOT_EXPONENT) for i in range(5)])
        bar.formatter = StrMethodFormatter("{x:.2g}")


def _columns(labels: Sequence[str], width: float) -> int:
    """How many columns of a legend fit into a width in inches; a column is as wide as its longest label."""
    for columns in range(len(labels), 1, -1):
        parts = np.array_split(np.array([len(label) for label in labels]), columns)
        if sum(0.45 + 0.078 * part.max() for part in parts) < width - 0.2:
            return columns
    return 1


def _add_legends(cells: Sequence[Sequence[Any]], rows: Sequence[Sequence[Panel]]) -> list[list[int]]:
    """A legend below each of the panels, or one for all that has few entries more than the longest of them.

    There can be one for panels of one kind if equal labels have equal looks, and different labels different ones.
    Returns how many lines of a legend are below each panel, by row.
    """
    drawn = [
        (axis, panel) for own, panels in zip(cells, rows, strict=True) for axis, panel in zip(own, panels, strict=False)
    ]
    legends = [dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True)) for axis, _ in drawn]
    everything = {label: handle for entries in legends for label, handle in entries.items()}
    looks = {(label, _look(handle)) for entries in legends for label, handle in entries.items()}
    kinds = {type(panel) for (_, panel), entries in zip(drawn, legends, strict=True) if entries}
    agree = len(looks) == len(everything) == len({look for _, look in looks}) and len(kinds) == 1
    if agree and sum(map(bool, legends)) > 1 and len(everything) <= 1.5 * max(map(len, legends)):
        empty = cells[-1][len(rows[-1]) :]
        fitting = _columns(list(everything), WIDTH / len(cells[-1]) if empty else WIDTH)
        given = {"handles": list(everything.values()), "labels": list(everything), "ncols": fitting}
        if empty:
            empty[0].legend(loc="center", **given)
        else:
            drawn[0][0].figure.legend(loc="outside upper center", **given)
        return [[0] for _ in rows]
    return [[_legend_below(axis, WIDTH / len(own)) for axis in own] for own in cells]


def _legend_below(axis: Any, width: float) -> int:
    """Put the legend under the title of the x axis, where it covers no curve. Returns its number of lines."""
    _, labels = axis.get_legend_handles_labels()
    if not labels:
        return 0
    columns = _columns(labels, width)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=3.6, ncols=columns)
    return -(-len(labels) // columns)


def _look(handle: Any) -> tuple[Any, ...]:
    """What distinguishes the entry of a legend from others."""
    if isinstance(handle, Line2D):
        return (
            handle.get_color(),
            handle.get_linestyle(),
            handle.get_marker(),
            handle.get_alpha(),
            handle.get_linewidth(),
        )
    return tuple(handle.get_facecolor().flat)


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


def _draw(axis: Any, panel: Panel, width: float) -> Any:
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
    """Apply the description to one axis of matplotlib; the setters are those of the axes object for this axis."""
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
_STYLE = {
    "figure.constrained_layout.use": True,
    "savefig.dpi": 160,
    "svg.hashsalt": "unrandom",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlepad": 7,
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
    "legend.fontsize": 9.5,
    "legend.borderpad": 0,
    "legend.handlelength": 1.7,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.2,
    "lines.linewidth": 1.6,
    "image.cmap": style.MAP,
}
