"""Which sequences are harder? Accuracy of the last number in the groups that a label tells apart."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from unrandom.figures import style

Share = dict[str, Any]
Series = tuple[str, Mapping[str, Share]]  # what one colour stands for, and its share in each group


def group_figure(entries: Sequence[dict[str, Any]]) -> go.Figure:
    """A dot and a 95 % interval for each group, in a colour for each label and part of the test.

    An entry is a part, or what else was tested beside it, with its ``symbol`` and its groups.
    """
    groupings = [(entry["symbol"], grouping) for entry in entries for grouping in entry["by_group"]]
    labels = list(dict.fromkeys(grouping["label"] for _, grouping in groupings))
    series = [
        (
            symbol if len(labels) == 1 else f"{symbol}, {grouping['label']}",
            {group["group"]: group for group in grouping["groups"]},
        )
        for symbol, grouping in groupings
    ]
    groups = dict.fromkeys(group for _, shares in series for group in shares)
    return _dot_figure(
        series, sorted(groups, key=_first_number), labels[0] if len(labels) == 1 else "value of the label"
    )


def _first_number(group: str) -> float:
    """What groups are ordered by: ``3-4`` begins with 3, and ∞ is last, as is what is no number."""
    first = group.partition("-")[0]
    return float(first) if first.replace(".", "", 1).isdigit() else float("inf")


def _dot_figure(series: Sequence[Series], groups: list[str], y: str) -> go.Figure:
    """Groups from top to bottom; within each, a row for each of the series that has it."""
    rows: dict[tuple[str, str], float] = {}
    middles, row = [], 0
    for group in groups:
        own = [name for name, shares in series if group in shares]
        rows |= {(name, group): row + i for i, name in enumerate(own)}
        middles.append(row + (len(own) - 1) / 2)
        row += len(own) + 1
    figure = style.plain_figure(
        [_dots(each, rows, i) for i, each in enumerate(series)],
        x=style.SHARE,
        y=y,
        height=110 + 15 * row,
        showlegend=len(series) > 1,
    )
    figure.update_yaxes(tickvals=middles, ticktext=groups, range=[row - 1, -1], showgrid=False)
    return figure.update_xaxes(range=[-0.02, 1.02], tickvals=[0, 0.25, 0.5, 0.75, 1])


def _dots(series: Series, rows: Mapping[tuple[str, str], float], index: int) -> go.Scatter:
    name, shares = series
    return go.Scatter(
        x=[share["value"] for share in shares.values()],
        y=[rows[name, group] for group in shares],
        error_x={
            "array": [0 if share["high"] is None else share["high"] - share["value"] for share in shares.values()],
            "arrayminus": [0 if share["low"] is None else share["value"] - share["low"] for share in shares.values()],
            "thickness": 1.6,
            "width": 4,
        },
        text=[_counts(share) for share in shares.values()],
        mode="markers",
        name=name,
        marker={
            "color": style.category(index)[0],
            "symbol": ("circle", "diamond", "square", "triangle-up", "cross")[index % 5],
            "size": 9,
        },
        hovertemplate="%{x:.1%} (%{text})",
    )


def _counts(share: Share) -> str:
    units = "".join(f", {count} {called}" for called, count in list(share["units"].items())[:1])
    return f"{share['correct']:,} of {share['total']:,}{units}"
