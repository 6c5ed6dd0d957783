"""The answers of the app: HTML whose texts are escaped; a mistake, or a fault of the program, is one sentence."""

import logging
from collections.abc import Callable, Sequence
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar

from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.figures.description import Figure
from unrandom.figures.grids import Grid
from unrandom.figures.pages import page_figure

log = logging.getLogger(__name__)
P = ParamSpec("P")
Choice = TypeVar("Choice", bound=str)

INK, GRID = "#767a80", "rgba(128, 128, 128, .25)"  # legible on light and dark pages


def answered(outputs: int) -> Callable[[Callable[P, Any]], Callable[P, Any]]:
    """A decorator: if the function raises, its answer is one sentence and ``outputs - 1`` empty outputs."""

    def decorate(function: Callable[P, Any]) -> Callable[P, Any]:
        @wraps(function)
        def answer(*arguments: P.args, **named: P.kwargs) -> Any:
            try:
                return function(*arguments, **named)
            except UserError as mistake:
                said = sentence(str(mistake), "mistake")
            except Exception:
                log.exception("a request failed")
                said = sentence("This failed, and the fault is the program's; its log has the details.", "mistake")
            return said if outputs == 1 else (said, *[None] * (outputs - 1))

        return answer

    return decorate


def chosen(value: object, choices: Sequence[Choice], name: str) -> Choice:
    """The value, if it is one of the choices: programs can send other values than the page. Raises UserError."""
    for choice in choices:
        if value == choice:
            return choice
    raise UserError(f"the {name} must be one of: {', '.join(choices)}")


def naming_command(mistake: str, command: str) -> str:
    """The mistake; if it proposes options, then with the command that has them, as the page has none."""
    return f"{mistake} (options of the command unrandom {command})" if " --" in mistake else mistake


def sentence(text: str, kind: str = "said") -> str:
    return f'<p class="{kind}">{escape(text)}</p>'


def table(head: list[str], rows: list[list[str]], classes: list[str] | None = None) -> str:
    """An HTML table that scrolls inside its box; a row may have a CSS class."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        f'<tr class="{kind}">{"".join(f"<td>{escape(cell)}</td>" for cell in row)}</tr>'
        for row, kind in zip(rows, classes or [""] * len(rows), strict=True)
    )
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def plotly_figure(figure: Figure | Grid) -> Any:
    """The first view of a figure for a page that may be light or dark."""
    from plotly.graph_objects import Figure as Plotly

    drawn: JsonObject = page_figure(figure)
    axis = {"gridcolor": GRID, "linecolor": GRID, "zeroline": False, "automargin": True}
    style = {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": INK, "size": 13},
        "template": {"layout": {"xaxis": axis, "yaxis": axis}},
    }
    return Plotly({"data": drawn["data"], "layout": {**drawn["layout"], **style}})
