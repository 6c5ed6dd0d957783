"""How many numbers must the model see? Accuracy against numbers seen, beside what would be enough in principle.

In principle: with d_i = x[i+1] - x[i], every LCG has d_1 = a d_0 (mod m), so with a known modulus three numbers
determine all later ones. With an unknown modulus the exact posterior needs about six.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import plotly.graph_objects as go

from unrandom.core.arithmetic import factorize
from unrandom.figures import style

Entry = dict[str, Any]


class Look(NamedTuple):
    """How another predictor is drawn beside the model, so that lines that coincide can be told apart."""

    colour: str
    dash: str
    symbol: str
    width: float = 1.6


LOOKS = {
    "bayes": Look(style.GREY, "solid", "circle-open", 4),  # the ceiling is wide, and lies below what coincides with it
    "algebraic": Look(style.ORANGE, "dash", "x"),
    "lookback": Look(style.GREEN, "dashdot", "triangle-up"),
    "copy": Look(style.SKY, "dot", "square-open"),
}
OTHER_LOOK = Look(style.YELLOW, "longdash", "diamond-open")
# Predictors take turns in getting a mark; there are so many turns while the count of numbers seen doubles.
MARKS_PER_DOUBLING = 3

# The height of the words about each reference step, clear of the lines, and how its line is drawn.
STEPS = ((1.045, "dash"), (0.925, "dot"))


def first_stays_above(by_position: dict[str, list[Any]], level: float) -> int | None:
    """The first count of numbers seen from which accuracy stays above ``level``; None if it ends below."""
    first = None
    for seen, value in zip(reversed(by_position["seen"]), reversed(by_position["value"]), strict=True):
        if value <= level:
            break
        first = seen
    return first


def common_base(evaluation: Sequence[Entry]) -> int:
    """The prime whose powers mark the axis: the smallest of the moduli if they share it, else 2."""
    bases = {min(factorize(entry["basis"])) for entry in evaluation if entry["basis"] is not None}
    return bases.pop() if len(bases) == 1 else 2


def scale_choices(base: int, low: float, high: float) -> list[style.Choice]:
    """Two scales for "numbers seen" from ``low`` to ``high``: powers of the prime evenly spaced, or counts."""
    marks = style.powers(base, int(high))
    apart = [mark for mark in marks if mark > high / 20]  # closer ones would overprint each other
    logarithmic = {"type": "log", "tickvals": marks, "range": [math.log10(low), math.log10(high)]}
    linear = {"type": "linear", "tickvals": apart, "range": [0, high]}
    return [
        (words, {}, {f"xaxis.{key}": value for key, value in axis.items()})
        for words, axis in (
            ("powers evenly spaced", logarithmic),
            ("numbers evenly spaced", linear),
        )
    ]


def ladder_figure(
    evaluation: Sequence[Entry], *, enough: Sequence[Entry] = (), ceilings: Sequence[Entry] = ()
) -> go.Figure:
    """One line and 95 % band for each part of the test, and other predictors' lines for the largest of them.

    Without ``ceilings``, the steps that a perfect predictor would take: ``enough``.
    """
    longest = max(entry["by_position"]["seen"][-1] for entry in evaluation)
    traces = [trace for i, entry in enumerate(evaluation) for trace in _line_and_band(entry, i)]
    if ceilings:
        traces += _ceiling_lines(_largest(ceilings), len(ceilings) > 1)
    else:
        traces += [
            trace for step, look in zip(enough, STEPS, strict=False) for trace in _reference(step, *look, longest)
        ]
    base = common_base(evaluation)
    figure = style.plain_figure(traces, x=style.SEEN, y=style.SHARE, height=420, hovermode="x unified")
    figure.update_xaxes(unifiedhovertitle_text="after %{x} numbers")
    figure.update_yaxes(range=[-0.02, 1.09], tickvals=[0, 0.25, 0.5, 0.75, 1])
    return style.with_menu(figure, scale_choices(base, 0.97, longest * 1.02))


def _largest(entries: Sequence[Entry]) -> Entry:
    """That of the largest modulus, the last where there are none."""
    return max(reversed(entries), key=lambda entry: entry["basis"] or 0)


def _line_and_band(entry: Entry, index: int) -> list[go.Scatter]:
    at, (colour, dash) = entry["by_position"], style.category(index)
    name = entry["symbol"]
    outline = go.Scatter(
        x=[*at["seen"], *reversed(at["seen"])],
        y=[*at["low"], *reversed(at["high"])],
        fill="toself",
        fillcolor=colour,
        opacity=0.18,
        line_width=0,
        hoverinfo="skip",
        showlegend=False,
        legendgroup=name,
    )
    line = go.Scatter(
        x=at["seen"],
        y=at["value"],
        mode="lines",
        name=name,
        legendgroup=name,
        line={"color": colour, "width": 2, "dash": dash},
        hovertemplate="%{y:.1%}",
    )
    return [outline, line]


def _ceiling_lines(ceiling: Entry, several: bool) -> list[go.Scatter]:
    """A line with marks for each predictor, below the model's; the modulus is named where there are several."""
    rows, where = ceiling["predictors"], f", {ceiling['symbol']}" * several
    return [trace for i, row in enumerate(rows) for trace in _line_and_marks(row, where, i, len(rows))]


def _line_and_marks(row: Entry, where: str, index: int, of: int) -> list[go.Scatter]:
    """The legend shows the second trace, as it has the line and the mark."""
    look, at = LOOKS.get(row["predictor"], OTHER_LOOK), row["by_position"]
    marked = _marked(at["seen"][-1], index, of)
    drawn = {"color": look.colour, "width": look.width, "dash": look.dash}
    line = go.Scatter(x=at["seen"], y=at["value"], mode="lines", line=drawn, hovertemplate="%{y:.1%}", showlegend=False)
    marks = go.Scatter(
        x=at["seen"],
        y=[value if seen in marked else None for seen, value in zip(at["seen"], at["value"], strict=True)],
        mode="lines+markers",
        line=drawn,
        marker={"symbol": look.symbol, "size": 8},
        hoverinfo="skip",
    )
    name = row["predictor"] + where
    below = -2 if look.dash == "solid" else -1
    return [trace.update(name=name, legendgroup=name, zorder=below) for trace in (line, marks)]


def _marked(longest: int, index: int, of: int) -> set[int]:
    """Where one of several lines bears its mark: evenly on a logarithmic axis, and never where another one does."""
    steps = range(int(MARKS_PER_DOUBLING * math.log2(longest)) + 1)
    places = dict.fromkeys(round(2 ** (step / MARKS_PER_DOUBLING)) for step in steps)
    return set(list(places)[index::of])


def _reference(step: Entry, words_at: float, dash: str, longest: int) -> list[go.Scatter]:
    corner = go.Scatter(
        x=[step["seen"], step["seen"], longest],
        y=[0, step["accuracy"], step["accuracy"]],
        mode="lines",
        line={"color": style.GREY, "width": 1.3, "dash": dash},
    )
    words = go.Scatter(
        x=[step["seen"] * 1.03],
        y=[words_at],
        mode="text",
        text=[step["words"]],
        textposition="middle right",
        textfont={"color": style.GREY, "size": 12},
    )
    return [trace.update(hoverinfo="skip", showlegend=False) for trace in (corner, words)]


def save_ladder(evaluation: Sequence[Entry], path: Path, *, enough: Sequence[Entry] = ()) -> None:
    """Write the ladder with matplotlib."""
    longest = max(entry["by_position"]["seen"][-1] for entry in evaluation)
    base = common_base(evaluation)
    with style.drawing(path, title="Accuracy of the next number, by how many numbers were seen") as axis:
        for i, entry in enumerate(evaluation):
            at, (colour, dash), name = entry["by_position"], style.category(i), entry["symbol"]
            axis.fill_between(at["seen"], at["low"], at["high"], color=colour, alpha=0.18, linewidth=0)
            axis.plot(at["seen"], at["value"], style.FILE_DASHES[dash], color=colour, label=name)
        for step, (words_at, dash) in zip(enough, STEPS, strict=False):
            seen, corner = step["seen"], [0, step["accuracy"], step["accuracy"]]
            axis.plot([seen, seen, longest], corner, style.FILE_DASHES[dash], color=style.GREY, linewidth=1.1)
            axis.text(seen * 1.05, words_at, step["words"], va="center", color=style.GREY)
        axis.set_xscale("log", base=base)
        axis.set_xticks(style.powers(base, longest), [str(x) for x in style.powers(base, longest)])
        axis.minorticks_off()
        axis.set(xlabel=style.SEEN, ylabel=style.SHARE, ylim=(-0.02, 1.09), xlim=(0.95, longest * 1.05))
        axis.legend(loc="best")
