"""Shows which digits the model predicts, as accuracy by digit and numbers seen.

A digit that repeats after a known period (p^(w+1) steps for p^w along a full-period LCG) can be copied from then on.
The staircase drawn over the map shows these periods. In every map of digits, accuracy is rescaled: chance is 0 and
white, certainty is 1 and blue, and what is wrong more often than by chance is negative and red.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, MapPanel
from unrandom.figures.staircase import seen_axes, seen_axis


def digit_figure(entry: dict[str, Any]) -> Figure:
    """The map of one part of the test, with the staircase and a choice of x scale."""
    by_digit, seen = entry["by_digit"], entry["by_position"]["seen"]
    title = f"Accuracy of each digit, {entry['symbol']}"
    texts = [_hover_texts(*row) for row in zip(by_digit["digits"], by_digit["chance"], by_digit["value"], strict=True)]
    panel = digit_map(title, by_digit["digits"], by_digit["value"], seen, by_digit["period"])
    line = " (line: one period seen)" if panel.stairs else ""
    shown = replace(panel, title=title + line, texts=texts, hover="t = %{x}, digit %{text}")
    axes = seen_axes(_base_and_power(by_digit["digits"][0])[0], panel.edges[0], panel.edges[-1])
    views = {name: replace(shown, x=axis) for name, axis in axes.items()}
    return Figure(views, height=130 + 26 * max(len(by_digit["digits"]), 4))


def digit_map(
    title: str,
    digits: Sequence[str],
    values: Sequence[Sequence[float]],
    seen: Sequence[int],
    periods: Sequence[int | None] = (),
) -> MapPanel:
    """A map of accuracies above chance: one row per digit (``"2^7"``), one column per count of numbers ``seen``.

    ``values`` are plain accuracies, from 0 to 1. The staircase is drawn where ``periods`` are given.
    """
    weights = [_base_and_power(digit) for digit in digits]
    inner = [(left + right) / 2 for left, right in pairwise(seen)]  # borders of columns, halfway between counts
    edges = [seen[0] - 0.5, *inner, seen[-1] + 0.5]
    return MapPanel(
        title,
        seen_axis(edges[-1], weights[0][0], edges[0]),
        Axis(style.DIGIT, range(len(digits)), [style.power(*weight) for weight in weights], (-0.5, len(digits) - 0.5)),
        above_chance(values, [1 / base for base, _ in weights]),
        bar=style.ABOVE_CHANCE,
        limits=(-1, 1),
        signed=True,
        stairs=staircase(digits, periods, seen[-1]) if periods else (),
        edges=edges,
    )


def _base_and_power(digit: str) -> tuple[int, int]:
    """The pair (2, 3) for ``"2^3"``."""
    base, power = digit.split("^")
    return int(base), int(power)


def _hover_texts(digit: str, chance: float, shares: list[float]) -> list[str]:
    return [f"{digit}: {share:.1%} right (chance {chance:.0%})" for share in shares]


def above_chance(values: Sequence[Sequence[float]], chances: Sequence[float]) -> list[list[float]]:
    """Accuracy rescaled to 0 at chance and 1 at certainty, so that digits of different primes are comparable."""
    return [[(share - chance) / (1 - chance) for share in row] for row, chance in zip(values, chances, strict=True)]


def staircase(
    digits: Sequence[str], periods: Sequence[int | None], longest: int
) -> list[tuple[float | None, float | None]]:
    """Corners (x, y) of a line; right of it, each digit has already occurred one period earlier.

    Row i of the map spans y from i - 0.5 to i + 0.5. Lines of different primes are separated by a gap (None). Digits
    whose period is unknown (None) or longer than ``longest`` have no line.
    """
    corners: list[tuple[float | None, float | None]] = []
    previous = 0
    for row, (digit, period) in enumerate(zip(digits, periods, strict=True)):
        base, _ = _base_and_power(digit)
        if period is not None and period <= longest:
            if base != previous:
                corners.append((None, None))
            corners += [(period - 0.5, row - 0.5), (period - 0.5, row + 0.5)]
        previous = base
    return corners
