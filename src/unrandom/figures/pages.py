"""Shows figures on HTML pages, as JSON for plotly.js, with the changes that each choice of a menu makes.

Figures are transparent and have no theme of their own. TEMPLATES hold the colours of text and grid for a light and a
dark page. PAGE_COLOURS replace the colours of the palette: half of these are too pale on white or too dark on black.
"""

from collections.abc import Sequence
from math import log10
from typing import Any

from unrandom.core.config import dotted_items
from unrandom.core.files import JsonObject
from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look, MapPanel, Panel, ScatterPanel
from unrandom.figures.grids import Grid, arranged

SHADES = {  # colour of a category -> its colours on a light and on a dark page
    style.BLUE: ("#0072B2", "#56B4E9"),
    style.VERMILLION: ("#D55E00", "#F0803C"),
    style.GREEN: ("#008A63", "#2FC79A"),
    style.PURPLE: ("#B8578F", "#DE93BE"),
    style.OCHRE: ("#AD7400", "#F0B429"),
    style.INDIGO: ("#3B2E8C", "#A9DCF8"),
    style.GREY: ("#7A7D82", "#9AA0A9"),
    style.WINE: ("#7A1F4B", "#F0E442"),
}
PAGE_COLOURS = {
    theme: {colour: shades[i] for colour, shades in SHADES.items()} for i, theme in enumerate(("light", "dark"))
}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"
TRANSPARENT = "rgba(0,0,0,0)"


def _template(ink: str, grid: str, paper: str) -> JsonObject:
    """A plotly template with the colours of text, grid and hover boxes."""
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
            "paper_bgcolor": TRANSPARENT,
            "plot_bgcolor": TRANSPARENT,
            "colorway": list(style.CATEGORIES),
            "hoverlabel": {"bgcolor": paper, "bordercolor": grid, "font": {"family": FONT, "color": ink}},
            "modebar": {"bgcolor": TRANSPARENT, "color": grid, "activecolor": ink},
            "xaxis": axis,
            "yaxis": axis,
        }
    }


TEMPLATES = {"light": _template("#33363b", "#e3e4e0", "#ffffff"), "dark": _template("#c9ccd1", "#34373d", "#1d1f23")}


def page_figure(figure: Figure | Grid) -> JsonObject:
    """The ``data`` and ``layout`` of the first view, and the ``menu``: arguments of Plotly.update for each view."""
    if isinstance(figure, Grid):
        return arranged(figure, [page_figure(Figure({"": panel})) for row in figure.rows for panel in row])
    views = {label: _plotly(panel, figure.height) for label, panel in figure.views.items()}
    traces = _differing_keys([_by_key(view["data"]) for view in views.values()])
    layouts = _differing_keys([dict(dotted_items(view["layout"])) for view in views.values()])
    menu = [{"label": label, "args": args} for label, *args in zip(views, traces, layouts, strict=True)]
    return {**next(iter(views.values())), "menu": menu}


def _by_key(traces: Sequence[JsonObject]) -> JsonObject:
    """The values of each dotted key in all traces; null for a trace without the key."""
    flat = [dict(dotted_items(trace)) for trace in traces]
    return {key: [trace.get(key) for trace in flat] for key in dict.fromkeys(key for trace in flat for key in trace)}


def _differing_keys(views: Sequence[JsonObject]) -> list[JsonObject]:
    """Each view reduced to the keys whose values are not the same in all views."""
    keys = dict.fromkeys(key for view in views for key in view)
    differing = [key for key in keys if any(view.get(key) != views[0].get(key) for view in views)]
    return [{key: view.get(key) for key in differing} for view in views]


def _plotly(panel: Panel, height: int) -> JsonObject:
    """Data and layout of one view. A null property means the default of plotly."""
    across, up = (_axis(axis, bare=isinstance(panel, MapPanel)) for axis in panel.axes)
    layout = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": across,
        "yaxis": up,
    }
    if isinstance(panel, LinePanel):
        vertical = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "line": {"color": style.GREY, "dash": "dot"}}
        layout["shapes"] = [{**vertical, "x0": mark, "x1": mark} for mark in panel.marks]
        layout["hovermode"] = "x unified" if panel.hover else "closest"
        across["unifiedhovertitle"] = {"text": panel.hover}
    return {"data": _DATA[type(panel)](panel), "layout": layout}


def _axis(described: Axis, *, bare: bool) -> JsonObject:
    low, high = described.limits
    has_limits = low is not None and high is not None
    return {
        "title": {"text": described.title},
        "type": "log" if described.log else "linear",
        "tickvals": list(described.ticks) or None,
        "ticktext": list(described.names) or None,
        "showgrid": not (bare or described.names),
        "range": [log10(end) if described.log else end for end in described.limits if end is not None]
        if has_limits
        else None,
        "rangemode": "tozero" if low == 0 and not has_limits else "normal",
    }


def _lines(panel: LinePanel) -> list[JsonObject]:
    notes = {
        "type": "scatter",
        "mode": "text",
        "x": [note.x for note in panel.notes],
        "y": [note.y for note in panel.notes],
        "text": [note.text for note in panel.notes],
        "textposition": "middle right",
        "textfont": {"color": style.GREY, "size": 12},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return [*(trace for line in panel.lines for trace in _line(line)), *([notes] if panel.notes else [])]


def _line(line: Line) -> list[JsonObject]:
    """The traces of a line: its band if it has one, then the curve, then markers if only some points have them.

    In the last case, the legend shows the entry of the markers, with line and marker.
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


def _curve(line: Line, look: Look) -> JsonObject:
    points_only = line.dots or line.crosses
    shape = "hv" if line.stairs else "linear"
    ends = list(zip(line.x, line.spans, strict=True)) if line.spans else []
    bars = {"array": [high - x for x, (_, high) in ends], "arrayminus": [x - low for x, (low, _) in ends]}
    return {
        "type": "scatter",
        "mode": "markers" if points_only else "lines+markers" if look.mark and line.marked is None else "lines",
        "x": list(line.x),
        "y": list(line.y),
        "error_x": {"type": "data", "symmetric": False, **bars, "thickness": 1.6, "width": 4} if ends else None,
        "name": line.label,
        "showlegend": bool(line.label),
        "line": {"color": look.colour, "dash": look.dash, "width": 2 * look.width, "shape": shape},
        "marker": {"color": look.colour, "symbol": look.mark or ("x" if line.crosses else "circle"), "size": 8},
        "opacity": 0.4 if line.faint else 1,
        "zorder": look.layer,
        "text": list(line.texts) or None,
        **_hover(line.hover),
    }


def _band(line: Line, look: Look) -> list[JsonObject]:
    if line.low is None or line.high is None:
        return []
    outline = {"x": [*line.x, *reversed(line.x)], "y": [*line.low, *reversed(line.high)], "line": {"width": 0}}
    filled = {"fill": "toself", "fillcolor": look.colour, "opacity": 0.18, "hoverinfo": "skip"}
    return [{"type": "scatter", "mode": "lines", **outline, **filled, "showlegend": False, "legendgroup": line.label}]


def _map(panel: MapPanel) -> list[JsonObject]:
    low, high = panel.ends
    # Only the colours are rescaled; the colour bar shows the values.
    exponent = 1 / style.ROOT_EXPONENT if panel.root else 1
    colours = style.colours(17, style.SIGNED_MAP if panel.signed else style.MAP)
    cells = {
        "type": "heatmap",
        "name": "",
        "x": list(panel.edges) or None,
        "z": [list(row) for row in panel.values],
        "zmin": low,
        "zmax": high,
        "colorscale": [[(i / 16) ** exponent, colour] for i, colour in enumerate(colours)],
        "colorbar": _colour_bar(panel.bar),
        "text": [list(row) for row in panel.texts] or None,
        "texttemplate": "%{z:.2f}" if panel.written else None,
        **_hover(panel.hover),
    }
    path = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "showlegend": False}
    path |= {"x": [x for x, _ in panel.stairs], "y": [y for _, y in panel.stairs]}
    looks = ({"color": "#ffffff", "width": 5}, {"color": "#1b1b1b", "width": 2})
    return [cells, *({**path, "line": look} for look in looks if panel.stairs)]


def _points(panel: ScatterPanel) -> list[JsonObject]:
    groups = max(panel.groups) + 1
    if groups > len(style.CATEGORIES):
        colours = [[i / 8, colour] for i, colour in enumerate(style.colours(9))]
    else:  # one uniform colour per group
        steps = enumerate(style.CATEGORIES[:groups])
        colours = [[(i + end) / groups, colour] for i, colour in steps for end in (0, 1)]
    marker = {
        "size": 7 if len(panel.points) <= 512 else 4,
        "opacity": 0.85,
        "color": list(panel.groups),
        "colorscale": colours,
        "cmin": -0.5,
        "cmax": groups - 0.5,
        "colorbar": {**_colour_bar(panel.bar), "dtick": max(1, groups // 8)},
        "showscale": True,
    }
    x, y = zip(*panel.points, strict=True)
    return [{"type": "scatter", "mode": "markers", "name": "", "x": x, "y": y, "marker": marker, **_hover(panel.hover)}]


def _colour_bar(title: str) -> JsonObject:
    """A narrow colour bar with its title along the side, to save width on small screens."""
    vertical_title = {"text": title, "side": "right", "font": {"size": 12.5}}
    return {"title": vertical_title, "thickness": 10, "outlinewidth": 0, "len": 1}


def _hover(template: str) -> JsonObject:
    return {"hovertemplate": template} if template else {"hoverinfo": "skip"}


_DATA: dict[type, Any] = {LinePanel: _lines, MapPanel: _map, ScatterPanel: _points}
