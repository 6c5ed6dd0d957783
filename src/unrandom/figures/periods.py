"""Is a sequence harder when its period is longer? Accuracy of the last number by group of periods."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from unrandom.figures import style


def period_figure(evaluation: Sequence[dict[str, Any]]) -> go.Figure:
    """A dot and a 95 % interval for each period group and modulus."""
    groups = list(dict.fromkeys(row["group"] for entry in evaluation for row in entry["by_period"]))
    offsets = [0.2 * (i - (len(evaluation) - 1) / 2) for i in range(len(evaluation))]
    traces = [
        _dots(entry, groups, offset, i) for i, (entry, offset) in enumerate(zip(evaluation, offsets, strict=True))
    ]
    figure = style.plain_figure(
        traces,
        x=style.SHARE,
        y="period",
        height=110 + (22 + 12 * len(evaluation)) * len(groups),
        showlegend=len(evaluation) > 1,
    )
    figure.update_yaxes(
        tickvals=list(range(len(groups))), ticktext=groups, range=[len(groups) - 0.5, -0.5], showgrid=False
    )
    return figure.update_xaxes(range=[-0.02, 1.02], tickvals=[0, 0.25, 0.5, 0.75, 1])


def _dots(entry: dict[str, Any], groups: list[str], offset: float, index: int) -> go.Scatter:
    rows = entry["by_period"]
    shares = [row["last_number_accuracy"] for row in rows]
    return go.Scatter(
        x=[share["value"] for share in shares],
        y=[groups.index(row["group"]) + offset for row in rows],
        error_x={
            "array": [share["high"] - share["value"] for share in shares],
            "arrayminus": [share["value"] - share["low"] for share in shares],
            "thickness": 1.6,
            "width": 4,
        },
        text=[f"{share['correct']:,} of {share['total']:,}" for share in shares],
        mode="markers",
        name=f"m = {entry['modulus']}",
        marker={
            "color": style.category(index)[0],
            "symbol": ("circle", "diamond", "square", "triangle-up", "cross")[index % 5],
            "size": 9,
        },
        hovertemplate="%{x:.1%} (%{text})",
    )
