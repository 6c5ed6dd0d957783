"""Saves figures as PNG or SVG: matplotlib draws their description, with reproducible bytes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import StrMethodFormatter
from PIL import Image

from unrandom.core.files import write_atomically
from unrandom.figures import style
from unrandom.figures.description import Figure, LinePanel, MapPanel, Panel
from unrandom.figures.drawing import WIDTH, draw


def save_figure(figure: Figure, path: Path) -> None:
    """Draw the first view to ``path``, a .png or .svg file."""
    with drawing_grid(path, 1, 1, width=figure.width / 100, height=figure.height / 100) as (axis,):
        panel, width = figure.first, figure.width / 100
        image = draw(axis, panel, width)
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
    images = [draw(axis, panel, WIDTH / len(axes)) for axis, panel in zip(axes, panels, strict=False)]
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
    """The values of a map's colour bar; None if it depends on the values of the panel, or if there is no bar."""
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
    """The number of columns of a legend that fit into a width in inches; a column is as wide as its longest label."""
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
    """Yield matplotlib axes, row by row, and save the drawing to ``path`` at the end; sizes are in inches. Raises
    ValueError unless the suffix is .png or .svg."""
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
