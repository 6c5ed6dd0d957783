"""Which digits does the model get right, and from when? Accuracy of each digit p^w, by numbers seen.

Along a full-period sequence the digit p^w repeats after p^(w+1) steps, so it can be copied from t = p^(w+1) on:
that staircase is drawn over the map.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from unrandom.figures import style
from unrandom.figures.ladder import scale_choices

COLOUR = "0: chance, 1: always right"
Staircase = tuple[list[float | None], list[float | None]]


def base_and_power(digit: str) -> tuple[int, int]:
    """``"2^3"`` is the pair (2, 3)."""
    base, power = digit.split("^")
    return int(base), int(power)


def edges(seen: list[int]) -> list[float]:
    """Column borders: halfway between neighbouring counts."""
    inner = [(left + right) / 2 for left, right in pairwise(seen)]
    return [seen[0] - 0.5, *inner, seen[-1] + 0.5]


def above_chance(by_digit: dict[str, Any]) -> list[list[float]]:
    """0 at chance and 1 at certainty, so that digits of different primes compare."""
    pairs = zip(by_digit["value"], by_digit["chance"], strict=True)
    return [[(share - chance) / (1 - chance) for share in row] for row, chance in pairs]


def staircase(digits: list[str], longest: int) -> Staircase:
    """The border right of which each digit has already occurred one period earlier, as one broken line.

    Rows run from -0.5 to len(digits) - 0.5; primes are separated by None, and so are digits whose period is
    longer than what was seen.
    """
    x: list[float | None] = []
    y: list[float | None] = []
    previous = 0
    for row, digit in enumerate(digits):
        base, power = base_and_power(digit)
        start = base ** (power + 1)
        if start <= longest:
            gap = [] if base == previous else [None]
            x += [*gap, start - 0.5, start - 0.5]
            y += [*gap, row - 0.5, row + 0.5]
        previous = base
    return x, y


def digit_figure(entry: dict[str, Any]) -> go.Figure:
    """The map of one test modulus, with the staircase and a choice of scale."""
    by_digit, seen = entry["by_digit"], entry["by_position"]["seen"]
    digits, rows = by_digit["digits"], list(range(len(by_digit["digits"])))
    x, y = staircase(digits, seen[-1])
    heat = go.Heatmap(
        x=edges(seen),
        y=[row - 0.5 for row in [*rows, len(rows)]],
        z=above_chance(by_digit),
        text=[_words(*row) for row in zip(digits, by_digit["chance"], by_digit["value"], strict=True)],
        zmin=0,
        zmax=1,
        colorscale="Viridis",
        colorbar=style.colour_bar(COLOUR),
        hovertemplate="t = %{x}, digit %{text}<extra></extra>",
    )
    base = base_and_power(digits[0])[0]
    figure = style.plain_figure(
        [heat, *(_stairs(x, y, width, colour) for width, colour in ((5, "#1b1b1b"), (3, "#ffffff")))],
        x=style.SEEN,
        y="digit (its weight)",
        height=130 + 26 * max(len(rows), 4),
        showlegend=False,
    )
    weights = [f"{p}<sup>{w}</sup>" for p, w in map(base_and_power, digits)]
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(tickvals=rows, ticktext=weights, showgrid=False, range=[-0.5, len(rows) - 0.5])
    return style.with_menu(figure, scale_choices(base, seen[0] - 0.5, seen[-1] + 0.5))


def _words(digit: str, chance: float, shares: list[float]) -> list[str]:
    return [f"{digit}: {share:.1%} right (chance {chance:.0%})" for share in shares]


def _stairs(x: list[float | None], y: list[float | None], width: int, colour: str) -> go.Scatter:
    return go.Scatter(x=x, y=y, mode="lines", line={"color": colour, "width": width}, hoverinfo="skip")


def save_digits(entry: dict[str, Any], path: Path) -> None:
    """Write the map of one test modulus with matplotlib."""
    by_digit, seen = entry["by_digit"], entry["by_position"]["seen"]
    digits = by_digit["digits"]
    base = base_and_power(digits[0])[0]
    borders = [row - 0.5 for row in range(len(digits) + 1)]
    x, y = staircase(digits, seen[-1])
    title = f"Accuracy of each digit, {entry['symbol']} (line: one period seen)"
    with style.drawing(path, height=1.6 + 0.24 * len(digits), title=title) as axis:
        mesh = axis.pcolormesh(edges(seen), borders, above_chance(by_digit), vmin=0, vmax=1, rasterized=True)
        for width, colour in ((3.4, "#1b1b1b"), (1.7, "#ffffff")):
            gaps = [[float("nan") if v is None else v for v in line] for line in (x, y)]
            axis.plot(*gaps, color=colour, linewidth=width, solid_joinstyle="miter")
        axis.figure.colorbar(mesh, ax=axis, label=COLOUR, aspect=30, pad=0.02)
        axis.set_xscale("log", base=base)
        axis.set_xticks(style.powers(base, seen[-1]), [str(t) for t in style.powers(base, seen[-1])])
        axis.minorticks_off()
        axis.set_yticks(range(len(digits)), [f"${p}^{{{w}}}$" for p, w in map(base_and_power, digits)])
        axis.set(xlabel=style.SEEN, ylabel="digit (its weight)", xlim=(seen[0] - 0.5, seen[-1] + 0.5))
        axis.grid(False)
