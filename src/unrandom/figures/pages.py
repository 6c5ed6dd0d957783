"""How does a description come onto a page? As the JSON that plotly.js draws, with what each choice of a menu changes.

Figures are transparent and carry no theme: TEMPLATES hold the ink for a light and a dark page, and PAGE_COLOURS what
each category becomes there, as half of the palette is too pale for white or too dark for black.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look, MapPanel, Note, Panel, ScatterPanel

Tree = dict[str, Any]
SHADES = {  # of each category, on a light page and on a dark one
    style.BLUE: ("#0072B2", "#56B4E9"),
    style.VERMILLION: ("#D55E00", "#F0803C"),
    style.GREEN: ("#008A63", "#2FC79A"),
    style.PURPLE: ("#B8578F", "#DE93BE"),
    style.ORANGE: ("#AD7400", "#F0B429"),
    style.SKY: ("#2B8FCB", "#A9DCF8"),
    style.GREY: ("#7A7D82", "#9AA0A9"),
    style.YELLOW: ("#8A7F00", "#F0E442"),
}
PAGE_COLOURS = {
    theme: {colour: shades[i] for colour, shades in SHADES.items()} for i, theme in enumerate(("light", "dark"))
}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"
CLEAR = "rgba(0,0,0,0)"


def _template(ink: str, grid: str, paper: str) -> Tree:
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
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "colorway": list(style.CATEGORIES),
            "hoverlabel": {"bgcolor": paper, "bordercolor": grid, "font": {"family": FONT, "color": ink}},
            "modebar": {"bgcolor": CLEAR, "color": grid, "activecolor": ink},
            "xaxis": axis,
            "yaxis": axis,
        }
    }


TEMPLATES = {
    "light": _template("#33363b", "#e3e4e0", "#ffffff"),
    "dark": _template("#c9ccd1", "#34373d", "#1d1f23"),
}


def page_figure(figure: Figure) -> Tree:
    """The first view's ``data`` and ``layout``, and the ``menu``: the arguments of Plotly.update for each view."""
    views = {label: _drawn(panel, figure.height) for label, panel in figure.views.items()}
    traces = _changes([_by_key(view["data"]) for view in views.values()])
    layouts = _changes([dict(leaves(view["layout"])) for view in views.values()])
    menu = [{"label": label, "args": args} for label, *args in zip(views, traces, layouts, strict=True)]
    return {**next(iter(views.values())), "menu": menu}


def _by_key(traces: Sequence[Tree]) -> Tree:
    """For each dotted key, its value in every trace; null where a trace does not have it."""
    flat = [dict(leaves(trace)) for trace in traces]
    return {key: [trace.get(key) for trace in flat] for key in dict.fromkeys(key for trace in flat for key in trace)}


def _changes(trees: Sequence[Tree]) -> list[Tree]:
    """Of each tree, the keys that do not have the same value in all of them."""
    keys = dict.fromkeys(key for tree in trees for key in tree)
    differing = [key for key in keys if any(tree.get(key) != trees[0].get(key) for tree in trees)]
    return [{key: tree.get(key) for key in differing} for tree in trees]


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested keys as dotted ones, each with its value; an empty dictionary is a value."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _drawn(panel: Panel, height: int) -> Tree:
    data = _DATA[type(panel)](panel)
    across, up = (_axis(axis, isinstance(panel, MapPanel)) for axis in panel.axes)
    layout = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": across,
        "yaxis": up,
    }
    if isinstance(panel, LinePanel) and panel.marks:
        upright = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "line": {"color": style.GREY, "dash": "dot"}}
        layout["shapes"] = [{**upright, "x0": mark, "x1": mark} for mark in panel.marks]
    if isinstance(panel, LinePanel) and panel.hover:
        layout["hovermode"] = "x unified"
        across["unifiedhovertitle"] = {"text": panel.hover}
    return {"data": data, "layout": layout}


def _axis(described: Axis, bare: bool) -> Tree:
    axis: Tree = {"title": {"text": described.title}, "type": "log" if described.log else "linear"}
    low, high = described.limits
    if described.ticks:
        axis["tickvals"] = list(described.ticks)
    if described.names:
        axis["ticktext"] = list(described.names)
    if described.names or bare:
        axis["showgrid"] = False
    if low is not None and high is not None:
        axis["range"] = [log10(low), log10(high)] if described.log else [low, high]
    elif low == 0:
        axis["rangemode"] = "tozero"
    return axis


def _lines(panel: LinePanel) -> list[Tree]:
    return [*(trace for line in panel.lines for trace in _line(line)), *map(_note, panel.notes)]


def _line(line: Line) -> list[Tree]:
    """A band first, where there is one. A line that bears marks at some points only is followed by them.

    The legend then shows the latter, which are drawn with a line and a mark.
    """
    look = line.look or Look(*style.category(line.kind))
    band, curve = _band(line, look), _curve(line, look)
    if band or line.marked is not None:
        curve["legendgroup"] = line.label  # the legend shows and hides them together
    if line.marked is None:
        return [*band, curve]
    marked = [y if x in line.marked else None for x, y in zip(line.x, line.y, strict=True)]
    marks = {**curve, "y": marked, "mode": "lines+markers", "hoverinfo": "skip"}
    return [*band, {**curve, "showlegend": False}, marks]


def _curve(line: Line, look: Look) -> Tree:
    apart = line.dots or line.crosses
    curve: Tree = {
        "type": "scatter",
        "mode": "markers" if apart else "lines+markers" if look.mark and line.marked is None else "lines",
        "x": list(line.x),
        "y": list(line.y),
        "name": line.label,
        "showlegend": bool(line.label),
        "line": {
            "color": look.colour,
            "dash": look.dash,
            "width": 2 * look.width,
            "shape": "hv" if line.stairs else "linear",
        },
        "marker": {"color": look.colour, "symbol": look.mark or ("x" if line.crosses else "circle"), "size": 8},
        "opacity": 0.4 if line.faint else 1,
        "zorder": look.layer,
        **({"hovertemplate": line.hover} if line.hover else {"hoverinfo": "skip"}),
    }
    if line.texts:
        curve["text"] = list(line.texts)
    if line.spans:
        ends = list(zip(line.x, line.spans, strict=True))
        bars = {"array": [high - x for x, (_, high) in ends], "arrayminus": [x - low for x, (low, _) in ends]}
        curve["error_x"] = {"type": "data", "symmetric": False, **bars, "thickness": 1.6, "width": 4}
    return curve


def _band(line: Line, look: Look) -> list[Tree]:
    if line.low is None or line.high is None:
        return []
    outline = {"x": [*line.x, *reversed(line.x)], "y": [*line.low, *reversed(line.high)], "line": {"width": 0}}
    filled = {"fill": "toself", "fillcolor": look.colour, "opacity": 0.18, "hoverinfo": "skip"}
    return [{"type": "scatter", "mode": "lines", **outline, **filled, "showlegend": False, "legendgroup": line.label}]


def _note(note: Note) -> Tree:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [note.x],
        "y": [note.y],
        "text": [note.words],
        "textposition": "middle right",
        "textfont": {"color": style.GREY, "size": 12},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _map(panel: MapPanel) -> list[Tree]:
    low, high = panel.limits
    cells = {
        "type": "heatmap",
        "z": [list(row) for row in panel.values],
        "zmin": low,
        "zmax": high,
        "colorscale": _faint_colours() if panel.root else "Viridis",
        "colorbar": _colour_bar(panel.bar),
        **_hover(panel.hover),
    }
    if panel.edges:
        cells["x"] = list(panel.edges)
    if panel.texts:
        cells["text"] = [list(row) for row in panel.texts]
    if panel.written:
        cells["texttemplate"] = "%{z:.2f}"
    x, y = zip(*panel.stairs, strict=True) if panel.stairs else ((), ())
    stairs = [
        {"type": "scatter", "mode": "lines", "x": x, "y": y, "hoverinfo": "skip", "showlegend": False, "line": line}
        for line in ({"color": "#1b1b1b", "width": 5}, {"color": "#ffffff", "width": 3})
    ]
    return [cells, *(stairs if x else [])]


def _faint_colours(steps: int = 17) -> list[list[Any]]:
    """Viridis against the root of the value; the colour bar still reads in values."""
    return [[(i / (steps - 1)) ** (1 / style.FAINT), colour] for i, colour in enumerate(style.viridis(steps))]


def _points(panel: ScatterPanel) -> list[Tree]:
    groups = max(panel.groups) + 1
    marker = {
        "size": 7 if len(panel.points) <= 512 else 4,
        "opacity": 0.85,
        "color": list(panel.groups),
        "colorscale": _group_colours(groups),
        "cmin": -0.5,
        "cmax": groups - 0.5,
        "colorbar": {**_colour_bar(panel.bar), "dtick": max(1, groups // 8)},
        "showscale": True,
    }
    x, y = zip(*panel.points, strict=True)
    return [{"type": "scatter", "mode": "markers", "x": x, "y": y, "marker": marker, **_hover(panel.hover)}]


def _group_colours(groups: int) -> list[list[Any]]:
    """A flat step for each group while the palette has enough colours, else viridis."""
    if groups > len(style.CATEGORIES):
        return [[i / 8, colour] for i, colour in enumerate(style.viridis(9))]
    return [[(i + end) / groups, colour] for i, colour in enumerate(style.CATEGORIES[:groups]) for end in (0, 1)]


def _colour_bar(title: str) -> Tree:
    """A slim bar whose title runs along it, so that narrow screens keep their width."""
    return {
        "title": {"text": title, "side": "right", "font": {"size": 12.5}},
        "thickness": 10,
        "outlinewidth": 0,
        "len": 1,
    }


def _hover(template: str) -> Tree:
    return {"hovertemplate": f"{template}<extra></extra>"} if template else {"hoverinfo": "skip"}


_DATA: dict[type, Any] = {LinePanel: _lines, MapPanel: _map, ScatterPanel: _points}
