"""Which sequences are harder? Accuracy of the last number by period, and by how near the multiplier is to 1."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from unrandom.figures import style

Share = dict[str, Any]
Series = tuple[str, Mapping[str, Share]]  # what one colour stands for, and its share in each group


def period_figure(evaluation: Sequence[dict[str, Any]]) -> go.Figure:
    """A dot and a 95 % interval for each period group and modulus."""
    series = [
        (f"m = {entry['modulus']}", {row["group"]: row["last_number_accuracy"] for row in entry["by_period"]})
        for entry in evaluation
    ]
    return _dot_figure(series, list(dict.fromkeys(group for _, shares in series for group in shares)), "period")


def valuation_figure(evaluation: Sequence[dict[str, Any]]) -> go.Figure:
    """A dot and a 95 % interval for each v, how often a prime p of the modulus divides a − 1; a = 1 comes last."""
    rows = [(entry["modulus"], row) for entry in evaluation for row in entry["by_valuation"]]
    series = [
        (f"m = {m}, p = {prime}", {_valuation_name(row): row for n, row in rows if (n, row["prime"]) == (m, prime)})
        for m, prime in dict.fromkeys((m, row["prime"]) for m, row in rows)
    ]
    known = sorted((row for _, row in rows), key=lambda row: (row["valuation"] is None, row["valuation"]))
    return _dot_figure(series, list(dict.fromkeys(map(_valuation_name, known))), "v: how often p divides a − 1")


def _valuation_name(row: Share) -> str:
    return "a = 1" if row["valuation"] is None else f"v = {row['valuation']}"


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
    counted = f"{share['correct']:,} of {share['total']:,}"
    return f"{counted}, {share['multipliers']} multipliers" if "multipliers" in share else counted
