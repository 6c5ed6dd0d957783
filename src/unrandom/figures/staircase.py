"""Shows how many numbers the model must see, by accuracy against numbers seen, beside the theoretical minimum.

The minimum: with d_i = x[i+1] - x[i], every LCG has d_1 = a d_0 (mod m), so with a known modulus three numbers
determine all later ones. With an unknown modulus the exact posterior needs about six.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from unrandom.core.arithmetic import factorize
from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look, Note

Entry = dict[str, Any]
# Looks of the baselines beside the model, which distinguish lines that coincide.
LOOKS = {
    "bayes": Look(style.GREY, "solid", "circle-open", 2, layer=-2),  # the ceiling: a wide line below the others
    "algebraic": Look(style.OCHRE, "dash", "x", 0.8, layer=-1),
    "lookback": Look(style.GREEN, "dashdot", "triangle-up", 0.8, layer=-1),
    "fixed-lookback": Look(style.VERMILLION, "longdash", "cross", 0.8, layer=-1),
    "copy": Look(style.INDIGO, "dot", "square-open", 0.8, layer=-1),
}
OTHER_LOOK = Look(style.WINE, "longdash", "diamond-open", 0.8, layer=-1)
# Lines get their markers alternately, so that no two overlap: this many markers per doubling of numbers seen.
MARKS_PER_DOUBLING = 3

# Height of the text about each reference step, clear of the lines, and the dash of its line.
REFERENCE_STEPS = ((1.045, "dash"), (0.925, "dot"))


def first_stays_above(by_position: dict[str, list[Any]], level: float) -> int | None:
    """The first count of numbers seen from which accuracy stays above ``level``; None if it does not end above."""
    last_first = reversed(list(zip(by_position["seen"], by_position["value"], strict=True)))
    return min((seen for seen, _ in takewhile(lambda point: point[1] > level, last_first)), default=None)


def common_base(evaluation: Sequence[Entry]) -> int:
    """The base of the axis ticks: the smallest prime factor of the moduli if it is the same for all, else 2."""
    bases = {min(factorize(entry["basis"])) for entry in evaluation if entry["basis"] is not None}
    return bases.pop() if len(bases) == 1 else 2


def seen_axis(longest: float, base: int = 2, first: float = 0.97) -> Axis:
    """A logarithmic axis for numbers seen from ``first`` to ``longest``, with ticks at powers of ``base``."""
    return Axis(style.SEEN, style.powers(base, int(longest)), limits=(first, longest), log=True)


def seen_axes(base: int, low: float, high: float) -> dict[str, Axis]:
    """A logarithmic and a linear axis for numbers seen from ``low`` to ``high``, with ticks at powers of ``base``."""
    ticks = style.powers(base, int(high))
    linear_ticks = [tick for tick in ticks if tick > high / 20]  # labels of smaller ones would overlap
    return {
        "powers evenly spaced": seen_axis(high, base, low),
        "numbers evenly spaced": Axis(style.SEEN, linear_ticks, limits=(0, high)),
    }


def accuracy_panel(title: str, lines: Sequence[Line], *, base: int = 2, marks: Sequence[float] = ()) -> LinePanel:
    """Accuracies by numbers seen, with ticks at powers of ``base``."""
    longest = max(max(line.x) for line in lines)
    return LinePanel(title, seen_axis(longest, base), style.SHARE, lines, marks=marks)


def staircase_figure(
    evaluation: Sequence[Entry], *, enough: Sequence[Entry] = (), ceilings: Sequence[Entry] = ()
) -> Figure:
    """One line with a 95 % band for each part of the test, and the lines of baselines for the largest modulus.
    Without ``ceilings`` (the baselines), the steps ``enough`` of an ideal predictor are drawn instead."""
    longest = max(entry["by_position"]["seen"][-1] for entry in evaluation)
    steps = [] if ceilings else list(zip(enough, REFERENCE_STEPS, strict=False))
    lines = [
        *(_model_line(entry, i) for i, entry in enumerate(evaluation)),
        *(_baseline_lines(_largest(ceilings), len(ceilings) > 1) if ceilings else ()),
        *(_step_line(step, dash, longest) for step, (_, dash) in steps),
    ]
    notes = [Note(step["seen"] * 1.03, height, step["text"]) for step, (height, _) in steps]
    shares = Axis(style.SHARE, style.QUARTERS, limits=(-0.02, 1.09))
    title, hover = "Accuracy of the next number, by how many numbers were seen", "after %{x} numbers"
    views = {
        name: LinePanel(title, axis, shares, lines, notes=notes, hover=hover)
        for name, axis in seen_axes(common_base(evaluation), 0.97, longest * 1.02).items()
    }
    return Figure(views, height=420)


def _largest(entries: Sequence[Entry]) -> Entry:
    """The entry of the largest modulus; the last entry if they have no moduli."""
    return max(reversed(entries), key=lambda entry: entry["basis"] or 0)


def _model_line(entry: Entry, kind: int) -> Line:
    curve = entry["by_position"]
    return Line(curve["seen"], curve["value"], entry["symbol"], kind, curve["low"], curve["high"], hover="%{y:.1%}")


def _baseline_lines(ceiling: Entry, several: bool) -> list[Line]:
    """One line with markers per baseline, below the model's line; its label names the modulus if there are several."""
    rows, suffix = ceiling["predictors"], f", {ceiling['symbol']}" * several
    return [
        replace(
            baseline_line(row["predictor"], curve["seen"], curve["value"], i, len(rows)),
            label=row["predictor"] + suffix,
            hover="%{y:.1%}",
        )
        for i, row in enumerate(rows)
        for curve in [row["by_position"]]
    ]


def baseline_line(name: str, seen: Sequence[int], values: Sequence[float], index: int, count: int) -> Line:
    """Baseline number ``index`` of ``count``: every one has its own look, and its markers where others have none."""
    marked = _marker_positions(seen[-1], index, count)
    return Line(seen, values, name, look=LOOKS.get(name, OTHER_LOOK), marked=marked)


def _marker_positions(longest: int, index: int, n_lines: int) -> list[int]:
    """The x of the markers of line ``index``: evenly spaced on a logarithmic axis, and different for each line."""
    steps = range(int(MARKS_PER_DOUBLING * math.log2(longest)) + 1)
    return list(dict.fromkeys(round(2 ** (step / MARKS_PER_DOUBLING)) for step in steps))[index::n_lines]


def _step_line(step: Entry, dash: str, longest: int) -> Line:
    """A step from 0 to the accuracy that is possible once ``step["seen"]`` numbers were seen."""
    heights = [0, step["accuracy"], step["accuracy"]]
    return Line([step["seen"], step["seen"], longest], heights, look=Look(style.GREY, dash, width=0.65))
