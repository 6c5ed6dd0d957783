"""Shows which sequences are harder to predict, by the accuracy on the last number for each group of a label."""

from collections.abc import Mapping, Sequence
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look

Share = dict[str, Any]
MARKS = ("circle", "diamond", "square", "triangle-up", "cross")


def group_figure(entries: Sequence[dict[str, Any]]) -> Figure:
    """A dot and a 95 % interval for each group, with one colour per label and part of the test.

    An entry is a part of the test, or a further test of it, with its ``symbol`` and its groups. Groups are arranged
    from top to bottom; each has one row per colour.
    """
    groupings = [(entry["symbol"], grouping) for entry in entries for grouping in entry["by_group"]]
    labels = list(dict.fromkeys(grouping["label"] for _, grouping in groupings))
    several = len(labels) > 1
    series = {
        f"{symbol}, {grouping['label']}" if several else symbol: {share["group"]: share for share in grouping["groups"]}
        for symbol, grouping in groupings
    }
    groups = sorted({group: None for shares in series.values() for group in shares}, key=_first_number)
    rows: dict[tuple[str, str], int] = {}
    middles, row = [], 0
    for group in groups:
        own = [name for name, shares in series.items() if group in shares]
        rows |= {(name, group): row + i for i, name in enumerate(own)}
        middles.append(row + (len(own) - 1) / 2)
        row += len(own) + 1
    panel = LinePanel(
        "Accuracy of the last number",
        Axis(style.SHARE, style.QUARTERS, limits=(-0.02, 1.02)),
        Axis("value of the label" if several else labels[0], middles, groups, limits=(row - 1, -1)),
        [
            _dots_line(name if len(series) > 1 else "", i, shares, [rows[name, group] for group in shares])
            for i, (name, shares) in enumerate(series.items())
        ],
    )
    return Figure({"": panel}, height=110 + 15 * row)


def _first_number(group: str) -> float:
    """The key to sort groups by: 3 for ``3-4``; infinity for ∞ and for other texts, so that they come last."""
    first = group.partition("-")[0]
    return float(first) if first.replace(".", "", 1).isdigit() else float("inf")


def _dots_line(label: str, index: int, shares: Mapping[str, Share], rows: Sequence[int]) -> Line:
    values = [share["value"] for share in shares.values()]
    ends = [(share["low"], share["high"]) for share in shares.values()]
    return Line(
        values,
        rows,
        label,
        dots=True,
        look=Look(style.category(index)[0], mark=MARKS[index % len(MARKS)]),
        spans=[(value, value) if None in both else both for value, both in zip(values, ends, strict=True)],
        texts=[_counts(share) for share in shares.values()],
        hover="%{x:.1%} (%{text})",
    )


def _counts(share: Share) -> str:
    units = "".join(f", {count} {unit}" for unit, count in list(share["units"].items())[:1])
    return f"{share['correct']:,} of {share['total']:,}{units}"
