"""Does the embedding hold the digits? Its principal components coloured by residue, and what residues explain."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from unrandom.figures import style

Table = dict[str, Any]


def component_name(table: Table, index: int) -> str:
    """``PC1 (31 % of variance)``; components are counted from 0 here and from 1 on the page."""
    return f"PC{index + 1} ({table['explained'][index]:.0%} of variance)"


def moduli(table: Table) -> list[int]:
    """The moduli whose residues can colour the points."""
    return [row["modulus"] for row in table["residue_variance"]] or [2]


def _residue_colours(modulus: int) -> list[list[Any]]:
    """Flat steps of the categorical palette while it has enough colours, else viridis."""
    if modulus > len(style.CATEGORIES):
        return [[i / 8, colour] for i, colour in enumerate(style.viridis(9))]
    steps = [(i / modulus, (i + 1) / modulus, style.CATEGORIES[i]) for i in range(modulus)]
    return [[edge, colour] for low, high, colour in steps for edge in (low, high)]


def embedding_figure(table: Table, pair: tuple[int, int]) -> go.Figure:
    """Every token in the plane of two components (counted from 0), with a choice of the residue for colour."""
    x, y = pair
    choices: list[style.Choice] = [
        (f"mod {q}", {f"marker.{key}": [value] for key, value in _colouring(table, q).items()}, {})
        for q in moduli(table)
    ]
    points = go.Scatter(
        x=[row[x] for row in table["values"]],
        y=[row[y] for row in table["values"]],
        mode="markers",
        marker={
            "size": 7 if len(table["values"]) <= 512 else 4,
            "opacity": 0.85,
            **_colouring(table, moduli(table)[0]),
        },
        text=list(range(len(table["values"]))),
        hovertemplate="%{text} (residue %{marker.color})<extra></extra>",
    )
    figure = style.plain_figure([points], x=component_name(table, x), y=component_name(table, y), height=340)
    return style.with_menu(figure, choices)


def _colouring(table: Table, modulus: int) -> dict[str, Any]:
    residues = [token % modulus for token in range(len(table["values"]))]
    bar = {**style.colour_bar(f"residue mod {modulus}"), "dtick": max(1, modulus // 8)}
    return {
        "color": residues,
        "colorscale": _residue_colours(modulus),
        "cmin": -0.5,
        "cmax": modulus - 0.5,
        "colorbar": bar,
        "showscale": True,
    }


def variance_figure(table: Table, *, shuffled: bool = False) -> go.Figure:
    """Share of each component's variance explained by residues: measured, or the control with shuffled labels."""
    rows = table["residue_variance"]
    shares = [row["shuffled" if shuffled else "shares"] for row in rows]
    heat = go.Heatmap(
        x=[f"PC{i + 1}" for i in range(len(table["explained"]))],
        y=[f"mod {row['modulus']}" for row in rows],
        z=shares,
        zmin=0,
        zmax=1,
        colorscale="Viridis",
        colorbar=style.colour_bar("share of variance"),
        texttemplate="%{z:.2f}",
        hovertemplate="%{y} explains %{z:.1%} of %{x}<extra></extra>",
    )
    figure = style.plain_figure([heat], x="component", y="", height=110 + 32 * len(rows))
    figure.update_xaxes(showgrid=False)
    return figure.update_yaxes(autorange="reversed", showgrid=False)


def save_embedding(table: Table, path: Path, *, pair: tuple[int, int] = (0, 1), modulus: int = 2) -> None:
    """Write one plane of components, coloured by residue, with matplotlib."""
    x, y = pair
    with style.drawing(path, width=5.4, height=4.6, title=f"Embedding, coloured by residue mod {modulus}") as axis:
        colours: Sequence[Any] = style.CATEGORIES if modulus <= len(style.CATEGORIES) else style.viridis(modulus)
        for residue in range(modulus):
            points = table["values"][residue::modulus]
            axis.scatter(
                [point[x] for point in points],
                [point[y] for point in points],
                s=14,
                alpha=0.85,
                linewidths=0,
                color=colours[residue],
                label=str(residue),
            )
        axis.set(xlabel=component_name(table, x), ylabel=component_name(table, y))
        if modulus <= len(style.CATEGORIES):
            axis.legend(title=f"mod {modulus}", markerscale=1.5)
