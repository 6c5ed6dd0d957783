"""Which digits does the model predict, and after how many numbers? Shown as accuracy by digit and numbers seen.

A digit that repeats after a known period (p^(w+1) steps for p^w along a full-period LCG) can be copied from then on.
The staircase drawn over the map shows these periods.
"""

from itertools import pairwise
from typing import Any

from unrandom.figures.description import Axis, Figure, MapPanel
from unrandom.figures.staircase import seen_axes

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def digit_figure(entry: dict[str, Any]) -> Figure:
    """The map of one part of the test, with the staircase and a choice of x scale."""
    by_digit, seen = entry["by_digit"], entry["by_position"]["seen"]
    digits, rows = by_digit["digits"], range(len(by_digit["digits"]))
    powers = [_base_and_power(digit) for digit in digits]
    names = [f"{base}{str(power).translate(SUPERSCRIPTS)}" for base, power in powers]
    inner = [(left + right) / 2 for left, right in pairwise(seen)]  # borders of columns, halfway between counts
    first, last = seen[0] - 0.5, seen[-1] + 0.5
    stairs = staircase(digits, by_digit["period"], seen[-1])
    line = " (line: one period seen)" if stairs else ""
    views = {
        name: MapPanel(
            f"Accuracy of each digit, {entry['symbol']}{line}",
            axis,
            Axis("digit (its weight)", rows, names, limits=(-0.5, len(rows) - 0.5)),
            above_chance(by_digit),
            bar="0: chance, 1: always right",
            stairs=stairs,
            edges=[first, *inner, last],
            texts=[_hover_texts(*row) for row in zip(digits, by_digit["chance"], by_digit["value"], strict=True)],
            hover="t = %{x}, digit %{text}",
        )
        for name, axis in seen_axes(powers[0][0], first, last).items()
    }
    return Figure(views, height=130 + 26 * max(len(rows), 4))


def _base_and_power(digit: str) -> tuple[int, int]:
    """The pair (2, 3) for ``"2^3"``."""
    base, power = digit.split("^")
    return int(base), int(power)


def _hover_texts(digit: str, chance: float, shares: list[float]) -> list[str]:
    return [f"{digit}: {share:.1%} right (chance {chance:.0%})" for share in shares]


def above_chance(by_digit: dict[str, Any]) -> list[list[float]]:
    """Accuracy rescaled to 0 at chance and 1 at certainty, so that digits of different primes are comparable."""
    pairs = zip(by_digit["value"], by_digit["chance"], strict=True)
    return [[(share - chance) / (1 - chance) for share in row] for row, chance in pairs]


def staircase(digits: list[str], periods: list[int | None], longest: int) -> list[tuple[float | None, float | None]]:
    """Corners (x, y) of the line right of which each digit has already occurred one period earlier.

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
