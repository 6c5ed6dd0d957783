"""What does every figure share? Colours safe for colour-blind readers, fonts, axes, and how a file is written.

Categories take Okabe and Ito's palette (its black is a grey here, to be seen on a dark page), maps take viridis.
Figures are transparent; TEMPLATES hold the ink for a light and a dark page, and PAGE_COLOURS what each category becomes
there, as half of the palette is too pale for white or too dark for black.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
import plotly.graph_objects as go
from matplotlib.colors import PowerNorm, to_hex
from matplotlib.figure import Figure
from PIL import Image

from unrandom.core.files import write_atomically

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, GREY, YELLOW = "#E69F00", "#56B4E9", "#8A8A8A", "#F0E442"
CATEGORIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY, YELLOW)
PAGE_COLOURS = {
    "light": {
        BLUE: "#0072B2",
        VERMILLION: "#D55E00",
        GREEN: "#008A63",
        PURPLE: "#B8578F",
        ORANGE: "#AD7400",
        SKY: "#2B8FCB",
        GREY: "#7A7D82",
        YELLOW: "#8A7F00",
    },
    "dark": {
        BLUE: "#56B4E9",
        VERMILLION: "#F0803C",
        GREEN: "#2FC79A",
        PURPLE: "#DE93BE",
        ORANGE: "#F0B429",
        SKY: "#A9DCF8",
        GREY: "#9AA0A9",
        YELLOW: "#F0E442",
    },
}
FILE_DASHES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}  # plotly's names, matplotlib's marks
MAP = "viridis"
FAINT = 0.5  # maps of weights take the square root of the weight for their colour, so that faint lines show

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"
SEEN = "numbers seen (t)"
SHARE = "accuracy (share of sequences)"


# A button: its label, what it sets in the traces, and in the layout.
Choice = tuple[str, dict[str, Any], dict[str, Any]]


def _template(ink: str, grid: str, paper: str) -> dict[str, Any]:
    axis = {
        "gridcolor": grid,
        "linecolor": grid,
        "tickcolor": grid,
        "zeroline": False,
        "automargin": True,
        "title": {"standoff": 10, "font": {"size": 13}},
    }
    return {
        "layout": {
            "font": {"family": FONT, "size": 12.5, "color": ink},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(CATEGORIES),
            "hoverlabel": {"bgcolor": paper, "bordercolor": grid, "font": {"family": FONT, "color": ink}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": grid, "activecolor": ink},
            "xaxis": axis,
            "yaxis": axis,
        }
    }


TEMPLATES = {
    "light": _template("#33363b", "#e3e4e0", "#ffffff"),
    "dark": _template("#c9ccd1", "#34373d", "#1d1f23"),
}


def plain_figure(traces: Sequence[Any], *, x: str, y: str, height: int = 380, **layout: Any) -> go.Figure:
    """A plotly figure in the house style; its axis titles name the quantity and its unit."""
    house = go.Layout(
        template=TEMPLATES["light"],
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        xaxis_title_text=x,
        yaxis_title_text=y,
        **layout,
    )
    return go.Figure(list(traces), house)


def category(index: int) -> tuple[str, str]:
    """The colour and the dash of the index-th line."""
    return CATEGORIES[index % len(CATEGORIES)], tuple(FILE_DASHES)[index % len(FILE_DASHES)]


def viridis(steps: int) -> list[str]:
    """``steps`` > 1 colours evenly along the map, as #rrggbb."""
    return [to_hex(matplotlib.colormaps[MAP](i / (steps - 1))) for i in range(steps)]


def weight_colours(steps: int = 17) -> list[list[Any]]:
    """Viridis against the square root of the weight (plotly); the colour bar still reads in weights."""
    return [[(i / (steps - 1)) ** (1 / FAINT), colour] for i, colour in enumerate(viridis(steps))]


def weight_norm(brightest: float) -> PowerNorm:
    """The same scale for matplotlib."""
    return PowerNorm(FAINT, vmin=0, vmax=brightest, clip=True)


def colour_bar(title: str) -> dict[str, Any]:
    """A slim bar whose title runs along it, so that narrow screens keep their width."""
    return {
        "title": {"text": title, "side": "right", "font": {"size": 12.5}},
        "thickness": 10,
        "outlinewidth": 0,
        "len": 1,
    }


def with_menu(figure: go.Figure, choices: Sequence[Choice]) -> go.Figure:
    """Add a row of buttons; the layout of the first one holds to begin with."""
    buttons = [{"label": label, "method": "update", "args": [traces, layout]} for label, traces, layout in choices]
    figure.update_layout({key.replace(".", "_"): value for key, value in choices[0][2].items()})
    return figure.update_layout(
        updatemenus=[{"type": "buttons", "direction": "right", "x": 0, "y": 1.2, "buttons": buttons}]
    )


def powers(base: int, longest: int) -> list[int]:
    """1, base, base^2, ... up to and including ``longest``."""
    found = [1]
    while found[-1] * base <= longest:
        found.append(found[-1] * base)
    return found


@contextmanager
def drawing(path: Path, *, width: float = 7.2, height: float = 4.0, title: str = "") -> Iterator[Any]:
    """A matplotlib axis, written to ``path`` (.png or .svg) at the end; the same drawing gives the same bytes."""
    with drawing_grid(path, 1, 1, width=width, height=height) as (axis,):
        axis.set_title(title, loc="left")
        yield axis


@contextmanager
def drawing_grid(path: Path, rows: int, columns: int, *, width: float, height: float) -> Iterator[list[Any]]:
    """Matplotlib axes, row by row, written to ``path`` at the end."""
    if path.suffix not in (".png", ".svg"):
        raise ValueError(f"{path.name}: figures are written as .png or .svg")
    with matplotlib.rc_context(_FILE_STYLE):
        figure = Figure(figsize=(width, height))
        yield list(figure.subplots(rows, columns, squeeze=False).flat)
        buffer = BytesIO()
        if path.suffix == ".svg":
            figure.savefig(buffer, format="svg", metadata={"Date": None})
        else:
            figure.savefig(buffer, format="png")
            buffer = _with_palette(buffer)
    write_atomically(path, buffer.getvalue())


def _with_palette(png: BytesIO) -> BytesIO:
    """The picture in 256 colours of its own, which takes a third of the bytes."""
    whole = Image.open(png).convert("RGB")  # Figures are opaque.
    # Of Pillow's methods this one changes single colours least, so that colour maps stay smooth.
    few = whole.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    small = BytesIO()
    few.save(small, "PNG", optimize=True)
    return small


_FILE_STYLE = {
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
    "image.cmap": MAP,
}
