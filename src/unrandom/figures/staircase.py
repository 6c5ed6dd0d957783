"""How many numbers must the model see? Accuracy against numbers seen, beside what would be enough in principle.

In principle: with d_i = x[i+1] - x[i], every LCG has d_1 = a d_0 (mod m), so with a known modulus three numbers
determine all later ones. With an unknown modulus the exact posterior needs about six.
"""

import math
from collections.abc import Sequence
from typing import Any

from unrandom.core.arithmetic import factorize
from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look, Note

Entry = dict[str, Any]
# How other predictors are drawn beside the model, so that lines that coincide can be told apart.
LOOKS = {
    "bayes": Look(style.GREY, "solid", "circle-open", 2, layer=-2),  # the ceiling is wide, and lies below the others
    "algebraic": Look(style.ORANGE, "dash", "x", 0.8, layer=-1),
    "lookback": Look(style.GREEN, "dashdot", "triangle-up", 0.8, layer=-1),
    "copy": Look(style.SKY, "dot", "square-open", 0.8, layer=-1),
}
OTHER_LOOK = Look(style.YELLOW, "longdash", "diamond-open", 0.8, layer=-1)
# Predictors take turns in getting a mark; there are so many turns while the count of numbers seen doubles.
MARKS_PER_DOUBLING = 3

# The height of the words about each reference step, clear of the lines, and how its line is drawn.
STEPS = ((1.045, "dash"), (0.925, "dot"))


def first_stays_above(by_position: dict[str, list[Any]], level: float) -> int | None:
    """The first count of numbers seen from which accuracy stays above ``level``; None if it ends below."""
    first = None
    for seen, value in zip(reversed(by_position["seen"]), reversed(by_position["value"]), strict=True):
        if value <= level:
            break
        first = seen
    return first


def common_base(evaluation: Sequence[Entry]) -> int:
    """The prime whose powers mark the axis: the smallest of the moduli if they share it, else 2."""
    bases = {min(factorize(entry["basis"])) for entry in evaluation if entry["basis"] is not None}
    return bases.pop() if len(bases) == 1 else 2


def seen_axes(base: int, low: float, high: float) -> dict[str, Axis]:
    """Two scales for "numbers seen" from ``low`` to ``high``: powers of the prime evenly spaced, or counts."""
    marks = style.powers(base, int(high))
    apart = [mark for mark in marks if mark > high / 20]  # closer ones would overprint each other
    return {
        "powers evenly spaced": Axis(style.SEEN, marks, limits=(low, high), log=True),
        "numbers evenly spaced": Axis(style.SEEN, apart, limits=(0, high)),
    }


def staircase_figure(
    evaluation: Sequence[Entry], *, enough: Sequence[Entry] = (), ceilings: Sequence[Entry] = ()
) -> Figure:
    """One line and 95 % band for each part of the test, and other predictors' lines for the largest of them.

    Without ``ceilings``, the steps that a perfect predictor would take: ``enough``.
    """
    longest = max(entry["by_position"]["seen"][-1] for entry in evaluation)
    steps = [] if ceilings else list(zip(enough, STEPS, strict=False))
    lines = [
        *(_model_line(entry, i) for i, entry in enumerate(evaluation)),
        *(_ceiling_lines(_largest(ceilings), len(ceilings) > 1) if ceilings else ()),
        *(_corner(step, dash, longest) for step, (_, dash) in steps),
    ]
    notes = [Note(step["seen"] * 1.03, words_at, step["text"]) for step, (words_at, _) in steps]
    shares = Axis(style.SHARE, style.QUARTERS, limits=(-0.02, 1.09))
    title, hover = "Accuracy of the next number, by how many numbers were seen", "after %{x} numbers"
    views = {
        words: LinePanel(title, axis, shares, lines, notes=notes, hover=hover)
        for words, axis in seen_axes(common_base(evaluation), 0.97, longest * 1.02).items()
    }
    return Figure(views, height=420)


def _largest(entries: Sequence[Entry]) -> Entry:
    """That of the largest modulus, the last where there are none."""
    return max(reversed(entries), key=lambda entry: entry["basis"] or 0)


def _model_line(entry: Entry, kind: int) -> Line:
    at = entry["by_position"]
    return Line(at["seen"], at["value"], entry["symbol"], kind, at["low"], at["high"], hover="%{y:.1%}")


def _ceiling_lines(ceiling: Entry, several: bool) -> list[Line]:
    """A line with marks for each predictor, below the model's; the modulus is named where there are several."""
    rows, where = ceiling["predictors"], f", {ceiling['symbol']}" * several
    return [
        Line(
            at["seen"],
            at["value"],
            row["predictor"] + where,
            look=LOOKS.get(row["predictor"], OTHER_LOOK),
            marked=_marked(at["seen"][-1], i, len(rows)),
            hover="%{y:.1%}",
        )
        for i, row in enumerate(rows)
        for at in [row["by_position"]]
    ]


def _marked(longest: int, index: int, of: int) -> list[int]:
    """Where one of several lines bears its mark: evenly on a logarithmic axis, and never where another one does."""
    steps = range(int(MARKS_PER_DOUBLING * math.log2(longest)) + 1)
    places = dict.fromkeys(round(2 ** (step / MARKS_PER_DOUBLING)) for step in steps)
    return list(places)[index::of]


def _corner(step: Entry, dash: str, longest: int) -> Line:
    """Up to what is known once so many numbers were seen, and from there on."""
    heights = [0, step["accuracy"], step["accuracy"]]
    return Line([step["seen"], step["seen"], longest], heights, look=Look(style.GREY, dash, width=0.65))
