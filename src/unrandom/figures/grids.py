"""Shows many small panels in one figure on a page, in rows and columns, each with axes and hover texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from unrandom.core.files import JsonObject
from unrandom.figures.description import Panel

GAP = 0.06  # between cells, as a share of their width or height
MARGIN = {"l": 30, "r": 8, "t": 24, "b": 8}  # pixels; the names of rows and columns stand in the first and the third


@dataclass(frozen=True)
class Grid:
    """Panels of equal size without ticks; all rows are as long as the first. ``height`` is in pixels."""

    rows: Sequence[Sequence[Panel]]
    down: Sequence[str]  # the name of each row
    across: Sequence[str]  # the name of each column
    height: int = 400


def arranged(grid: Grid, cells: Sequence[JsonObject]) -> JsonObject:
    """The ``data`` and ``layout`` of a grid, and a ``menu`` of one view, as `pages.page_figure` returns them.

    ``cells`` are what it returns for each panel, row by row, in the order of the panels.
    """
    rows, columns = len(grid.rows), len(grid.across)
    layout: JsonObject = {"height": grid.height, "margin": MARGIN, "showlegend": False, "annotations": []}
    data = []
    for place, cell in enumerate(cells):
        row, column = divmod(place, columns)
        name = "" if place == 0 else str(place + 1)
        for trace in cell["data"]:
            data.append({**trace, "xaxis": f"x{name}", "yaxis": f"y{name}", "showscale": False})
        bare = {"showticklabels": False, "ticks": "", "showgrid": False, "zeroline": False}
        x, y = cell["layout"]["xaxis"]["range"], cell["layout"]["yaxis"]["range"]
        layout[f"xaxis{name}"] = {**bare, "range": x, "domain": _part(column, columns), "anchor": f"y{name}"}
        layout[f"yaxis{name}"] = {**bare, "range": y, "domain": _part(rows - 1 - row, rows), "anchor": f"x{name}"}
    for column, text in enumerate(grid.across):
        layout["annotations"].append(
            _named(text, sum(_part(column, columns)) / 2, 1, xanchor="center", yanchor="bottom")
        )
    for row, text in enumerate(grid.down):
        middle = sum(_part(rows - 1 - row, rows)) / 2
        layout["annotations"].append(_named(text, 0, middle, xanchor="right", yanchor="middle", textangle=-90))
    return {"data": data, "layout": layout, "menu": [{"label": "", "args": [{}, {}]}]}


def _part(place: int, of: int) -> list[float]:
    """The beginning and the end of a column or a row, as shares of the figure."""
    size = 1 / (of + GAP * (of - 1))
    begin = place * size * (1 + GAP)
    return [begin, min(begin + size, 1.0)]  # which rounding may exceed


def _named(text: str, x: float, y: float, **place: object) -> JsonObject:
    return {"text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", "showarrow": False, **place}
