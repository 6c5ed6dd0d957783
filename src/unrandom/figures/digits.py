"""Which digits does the model get right, and from when? Accuracy of each digit p^w, by numbers seen.

Where a digit repeats after a period that is known, as p^w does after p^(w+1) steps along a full-period LCG, it can be
copied from then on: that staircase is drawn over the map.
"""

from itertools import pairwise
from typing import Any

from unrandom.figures.description import Axis, Figure, MapPanel
from unrandom.figures.staircase import seen_axes

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def digit_figure(entry: dict[str, Any]) -> Figure:
    """The map of one test modulus, with the staircase and a choice of scale."""
    by_digit, seen = entry["by_digit"], entry["by_position"]["seen"]
    digits, rows = by_digit["digits"], range(len(by_digit["digits"]))
    powers = [_base_and_power(digit) for digit in digits]
    names = [f"{base}{str(power).translate(RAISED)}" for base, power in powers]
    inner = [(left + right) / 2 for left, right in pairwise(seen)]  # columns meet halfway between counts
    first, last = seen[0] - 0.5, seen[-1] + 0.5
    stairs = staircase(digits, by_digit["period"], seen[-1])
    line = " (line: one period seen)" if stairs else ""
    views = {
        words: MapPanel(
            f"Accuracy of each digit, {entry['symbol']}{line}",
            axis,
            Axis("digit (its weight)", rows, names, limits=(-0.5, len(rows) - 0.5)),
            above_chance(by_digit),
            bar="0: chance, 1: always right",
            stairs=stairs,
            edges=[first, *inner, last],
            texts=[_words(*row) for row in zip(digits, by_digit["chance"], by_digit["value"], strict=True)],
            hover="t = %{x}, digit %{text}",
        )
        for words, axis in seen_axes(powers[0][0], first, last).items()
    }
    return Figure(views, height=130 + 26 * max(len(rows), 4))


def _base_and_power(digit: str) -> tuple[int, int]:
    """``"2^3"`` is the pair (2, 3)."""
    base, power = digit.split("^")
    return int(base), int(power)


def _words(digit: str, chance: float, shares: list[float]) -> list[str]:
    return [f"{digit}: {share:.1%} right (chance {chance:.0%})" for share in shares]


def above_chance(by_digit: dict[str, Any]) -> list[list[float]]:
    """0 at chance and 1 at certainty, so that digits of different primes compare."""
    pairs = zip(by_digit["value"], by_digit["chance"], strict=True)
    return [[(share - chance) / (1 - chance) for share in row] for row, chance in pairs]


def staircase(digits: list[str], periods: list[int | None], longest: int) -> list[tuple[float | None, float | None]]:
    """The border right of which each digit has already occurred one period earlier, as one broken line.

    Rows run from -0.5 to len(digits) - 0.5; primes are separated by a gap (None). Digits have no border whose period is
    not known (None) or longer than what was seen.
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
