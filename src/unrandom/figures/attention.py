"""Where does each head look? The pattern on one sequence, and the mean weight by how far back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from unrandom.figures import style

Head = dict[str, Any]
CELLS = 600_000  # about what a page can carry in all heads together


def head_name(head: Head) -> str:
    """``layer 0 head 1``, counted from 0 as in the activation names."""
    return f"layer {head['layer']} head {head['head']}"


def tokens_shown(heads: Sequence[Head]) -> int:
    """How many leading tokens of each pattern fit on a page."""
    return min(len(heads[0]["pattern"]), int((2 * CELLS / len(heads)) ** 0.5))


def lower_half(head: Head, tokens: int) -> list[list[float]]:
    """Row q holds the weights on keys 0 ... q; keys in the future are left out."""
    return [[round(w, 4) for w in row[: q + 1]] for q, row in enumerate(head["pattern"][:tokens])]


def look_back(head: Head, tokens_per_number: int = 1) -> tuple[list[float], list[float]]:
    """Numbers back from the one being predicted (the current number is 1 back), and the mean weight there."""
    weights = head["by_distance"]
    return [(distance + 1) / tokens_per_number for distance in range(len(weights))], weights


def attention_figure(heads: Sequence[Head]) -> go.Figure:
    """The causal pattern of one head, and a choice of heads."""
    tokens = tokens_shown(heads)
    patterns = [lower_half(head, tokens) for head in heads]
    heat = go.Heatmap(
        z=patterns[0],
        zmin=0,
        zmax=_brightest(patterns[0]),
        colorscale=style.weight_colours(),
        colorbar=style.colour_bar("attention weight"),
        hovertemplate="query %{y} looks at key %{x}: %{z:.3f}<extra></extra>",
    )
    choices: list[style.Choice] = [
        (head_name(head), {"z": [pattern], "zmax": _brightest(pattern)}, {})
        for head, pattern in zip(heads, patterns, strict=True)
    ]
    figure = style.plain_figure([heat], x="key (token position)", y="query (token position)", height=460)
    figure.update_xaxes(showgrid=False, range=[-0.5, tokens - 0.5])
    figure.update_yaxes(showgrid=False, range=[tokens - 0.5, -0.5])
    return style.with_menu(figure, choices)


def distance_figure(heads: Sequence[Head], *, base: int = 2, tokens_per_number: int = 1) -> go.Figure:
    """Mean weight against how far back, with marks at the powers of the prime, and a choice of heads."""
    back, weights = look_back(heads[0], tokens_per_number)
    line = go.Scatter(
        x=back,
        y=weights,
        mode="lines",
        line={"color": style.BLUE, "width": 1.5},
        hovertemplate="%{x} back: %{y:.4f}<extra></extra>",
        showlegend=False,
    )
    at, heights = _at_powers(heads[0], base, tokens_per_number)
    dots = go.Scatter(
        x=at,
        y=heights,
        mode="markers",
        name=f"powers of {base}",
        marker={"color": style.VERMILLION, "size": 8, "symbol": "diamond"},
        hovertemplate="%{x} back: %{y:.4f}<extra></extra>",
        showlegend=True,
    )
    choices: list[style.Choice] = [
        (head_name(head), {"y": [head["by_distance"], _at_powers(head, base, tokens_per_number)[1]]}, {})
        for head in heads
    ]
    figure = style.plain_figure(
        [line, dots],
        x="numbers back from the predicted one",
        y="mean attention weight",
        height=460,
    )
    figure.update_yaxes(rangemode="tozero")
    figure.update_xaxes(type="log", tickmode="array", tickvals=at)
    return style.with_menu(figure, choices)


def _at_powers(head: Head, base: int, tokens_per_number: int) -> tuple[list[int], list[float]]:
    weights = head["by_distance"]
    at = style.powers(base, max(1, len(weights) // tokens_per_number))
    return at, [weights[power * tokens_per_number - 1] for power in at]


def _brightest(pattern: list[list[float]]) -> float:
    """The weight that gets the brightest colour: the first few queries have few keys and would outshine the rest."""
    rest = [weight for row in pattern[len(pattern) // 8 :] for weight in row]
    return max(rest, default=1.0) or 1.0


def save_attention(head: Head, path: Path) -> None:
    """Write the causal pattern of one head with matplotlib."""
    rows = lower_half(head, len(head["pattern"]))
    square = [[*row, *[float("nan")] * (len(rows) - len(row))] for row in rows]
    title = f"Attention on one sequence, {head_name(head)}"
    with style.drawing(path, width=5.4, height=4.6, title=title) as axis:
        image = axis.imshow(square, norm=style.weight_norm(_brightest(rows)), interpolation="nearest")
        axis.figure.colorbar(image, ax=axis, label="attention weight", aspect=30, pad=0.02)
        axis.set(xlabel="key (token position)", ylabel="query (token position)")
        axis.grid(False)
