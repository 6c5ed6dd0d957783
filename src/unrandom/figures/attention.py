"""Shows where each head attends, by its pattern on one sequence, and by its mean weight at each distance."""

from collections.abc import Sequence
from typing import Any

from unrandom.figures import style
from unrandom.figures.description import Axis, Figure, Line, LinePanel, Look, MapPanel
from unrandom.figures.grids import Grid

Head = dict[str, Any]
MAX_CELLS = 600_000  # cells of the patterns of all heads on one page, to bound its size


def tokens_shown(heads: Sequence[Head]) -> int:
    """The number of first tokens of each pattern that are shown on a page."""
    return min(len(heads[0]["pattern"]), int((2 * MAX_CELLS / len(heads)) ** 0.5))


def attention_figure(heads: Sequence[Head], tokens: int) -> Figure:
    """The attention pattern of each head on the first ``tokens`` tokens, one view per head."""
    return Figure({_name(head): _pattern(head, tokens) for head in heads}, height=460, width=540)


def attention_grid(heads: Sequence[Head], tokens: int, *, cell: int = 150) -> Grid:
    """The patterns of all heads on the first ``tokens`` tokens, small, layers down and heads across.

    ``heads`` have the keys ``layer``, ``head`` and ``pattern``, and are in this order, the same number for each layer.
    Each pattern has a colour scale of its own. ``cell`` is the height of a row in pixels.
    """
    layers = list(dict.fromkeys(head["layer"] for head in heads))
    rows = [[_pattern(head, tokens, named=True) for head in heads if head["layer"] == layer] for layer in layers]
    across = [f"head {i}" for i in range(len(rows[0]))]
    return Grid(rows, [f"layer {layer}" for layer in layers], across, height=40 + cell * len(rows))


def _name(head: Head) -> str:
    """The name of a view, e.g. ``layer 0 head 1``, counted from 0 as in the names of taps."""
    return f"layer {head['layer']} head {head['head']}"


def _pattern(head: Head, tokens: int, *, named: bool = False) -> MapPanel:
    """A map whose row q holds the weights of query q on keys 0 ... q; its hover text may name the head."""
    rows = [[round(w, 4) for w in row[: q + 1]] for q, row in enumerate(head["pattern"][:tokens])]
    # The first queries have few keys and so large weights: they are ignored for the scale of the colours.
    brightest = max((weight for row in rows[len(rows) // 8 :] for weight in row), default=1.0) or 1.0
    return MapPanel(
        f"Attention on one sequence, {_name(head)}",
        Axis("key (token position)", limits=(-0.5, tokens - 0.5)),
        Axis("query (token position)", limits=(tokens - 0.5, -0.5)),
        rows,
        bar="attention weight",
        limits=(0, brightest),
        root=True,
        hover=f"{_name(head)}: " * named + "query %{y} looks at key %{x}: %{z:.3f}",
    )


def distance_figure(
    heads: Sequence[Head], *, base: int = 2, modulus: int | None = None, tokens_per_number: int = 1
) -> Figure:
    """Mean weight against look-back, with markers at the powers of ``base`` or, if it is given, at the divisors of a
    ``modulus``; one view per head.
    """
    views = {_name(head): _by_distance(head, base, modulus, tokens_per_number) for head in heads}
    return Figure(views, height=460, width=540)


def _by_distance(head: Head, base: int, modulus: int | None, tokens_per_number: int) -> LinePanel:
    """Mean weight against look-back in numbers; the newest number is 1 back from the predicted one."""
    weights, hover = head["by_distance"], "%{x} back: %{y:.4f}"
    back = [(distance + 1) / tokens_per_number for distance in range(len(weights))]
    longest = max(1, len(weights) // tokens_per_number)
    powers = style.powers(base, longest)
    marked, name = powers, f"powers of {base}"
    if modulus is not None:
        marked, name = [r for r in range(1, longest + 1) if modulus % r == 0], f"divisors of {modulus}"
    peaks = [weights[r * tokens_per_number - 1] for r in marked]
    lines = [
        Line(back, weights, look=Look(style.BLUE, width=0.75), hover=hover),
        Line(marked, peaks, name, look=Look(style.VERMILLION, mark="diamond"), dots=True, hover=hover),
    ]
    numbers = Axis("numbers back from the predicted one", powers, log=True)
    weight = Axis("mean attention weight", limits=(0, None))
    return LinePanel(f"Attention by how far back, {_name(head)}", numbers, weight, lines)
