"""Draws the order of look-back: bits known beside the theory, attention and cuts by line, and context needed."""

from collections.abc import Iterator, Mapping, Sequence
from math import log2

import polars as pl

from unrandom.core.arithmetic import valuation
from unrandom.experiments.experiment import Picture, Pictures
from unrandom.experiments.scaling.law_panels import PAPERS_MODULUS, modulus_title, order_panel
from unrandom.experiments.summaries import by_modulus, by_run, median_line
from unrandom.figures.panels import Line, LinePanel, seen_axis
from unrandom.figures.style import power
from unrandom.predictors import LookbackPredictor
from unrandom.predictors.lookback import best_lines, certain_digits
from unrandom.runs.tables import Tables

# Every order has the same colour in all panels: the order is the colour index. Models have indices from 0 on, so that a
# model may share a colour with an order; the legend tells them apart.
STAIRS_ORDERS = (1, 2, 3, 4)
MODEL = "model: median of seeds (band: all)"
LINES = ("s", "2s", "3s", "4s")
CUTS = {"nothing": "nothing", **{str(i): line for i, line in enumerate(LINES, 1)}, "another": "no line"}
LOOKBACK_LABEL = "look-back (4s: what order 2 needs)"
# The paper's released model at three counts of numbers seen: its figure fig:fixp_scale (a), for Steele and
# Vigna's multipliers and for arbitrary ones.
PAPERS_SHARES = {
    "arbitrary multipliers": {64: 0.15, 128: 0.64, 192: 1.0},
    "spectrally good multipliers (v = 2)": {64: 0.02, 128: 0.28, 192: 1.0},
}
PAPERS_ORDERS = (4, 5, 6)
ALL_MULTIPLIERS = "all"
VALUATIONS = {"v = 2": 2, "v = 3": 3, "v ≥ 4": 4}  # groups of multipliers by v = v_2(a − 1): name, least v


def draw(tables: Tables) -> Pictures:
    """Three figures: known bits by position, attention and cuts by line, context needed as predicted and measured."""
    bits = by_modulus(tables["bits"])
    yield Picture([_stairs(of_modulus, m) for m, of_modulus in bits.items()])
    lines = [*(_attention(tables["attention"], layer) for layer in (0, 1)), _cuts(tables["cut"])]
    yield Picture(lines, suffix="-lines")
    largest = max(bits)
    predicted = [order_panel(tables["needed"]), _by_valuation(bits[largest], largest), *_paper_panels()]
    yield Picture(predicted, suffix="-predicted")


def _lookback_line(m: int, order: int, longest: int) -> Line:
    """The bits that a look-back of this order makes certain, by numbers seen."""
    predictor = LookbackPredictor(m, order=order)
    seen = list(range(1, longest + 1))
    known = [float(predictor.digits_known(t - 1).sum()) for t in seen]
    return Line(seen, known, f"order {order}", order, stairs=True)


def stairs_panel(title: str, m: int, orders: Sequence[int], models: Mapping[str, pl.DataFrame]) -> LinePanel:
    """Known bits by numbers seen: of look-back predictors, and the median of every group of models."""
    longest = max(max(bits["seen"]) for bits in models.values())
    lines = [_lookback_line(m, order, longest) for order in orders]
    lines += [
        median_line(bits, "seen", "bits", label, kind, stairs=True) for kind, (label, bits) in enumerate(models.items())
    ]
    return _bits_panel(title, m, longest, lines)


def _bits_panel(title: str, m: int, longest: int, lines: Sequence[Line]) -> LinePanel:
    return LinePanel(title, seen_axis(longest), "low bits known", lines, limits=(0, log2(m) * 1.04), whole=True)


def _stairs(bits: pl.DataFrame, m: int) -> LinePanel:
    models = {MODEL: bits.filter(group=ALL_MULTIPLIERS)}
    return stairs_panel(modulus_title(m), m, STAIRS_ORDERS, models)


def _attention(attention: pl.DataFrame, layer: int) -> LinePanel:
    """The attention share of the head that attends to a line most, for each run and line."""
    lines, x = [], list(range(len(LINES)))
    for kind, (m, of_modulus) in enumerate(by_modulus(attention.filter(layer=layer)).items()):
        for of_run in by_run(of_modulus):
            most = of_run.group_by("multiple").agg(pl.col("share").max()).sort("multiple")["share"].to_list()
            lines.append(Line(x, most, modulus_title(m), kind, dots=True))
        lines.append(Line([x[0], x[-1]], [of_modulus["chance"][0]] * 2, "chance", kind, faint=True))
    title = f"layer {layer + 1}: the head that looks there most"
    return LinePanel(title, LOOKBACK_LABEL, "share of attention", lines, names=LINES)


def _cuts(cut: pl.DataFrame) -> LinePanel:
    """Accuracy with each look-back cut, at the positions where order 2 is certain of all bits."""
    names = cut["cut"].unique(maintain_order=True).to_list()
    lines = []
    for kind, (m, of_modulus) in enumerate(by_modulus(cut).items()):
        left = of_modulus.pivot("cut", index="run", values="accuracy", on_columns=names).select(names)
        lines += [Line(list(range(len(names))), row, modulus_title(m), kind, dots=True) for row in left.iter_rows()]
    shown = [CUTS[name] for name in names]
    return LinePanel("one look-back cut off", LOOKBACK_LABEL, "numbers right", lines, names=shown)


def _by_valuation(bits: pl.DataFrame, m: int) -> LinePanel:
    """Known bits by v = v_2(a − 1), beside order 2's if v is known.

    Known v gives one bit more: the lowest wrong bit of the guess is then known, and can be flipped (docs/order.md).
    """
    longest = max(bits["seen"])
    seen = list(range(1, longest + 1))
    lines = []
    for kind, (group, v) in enumerate(VALUATIONS.items()):
        known = [min(_certain_bits(v, t) + 1.0, log2(m)) for t in seen]
        lines.append(Line(seen, known, f"order 2, v = {v} known", kind, stairs=True, faint=True))
        lines.append(median_line(bits.filter(group=group), "seen", "bits", f"model, {group}", kind, stairs=True))
    return _bits_panel(f"{modulus_title(m)}, by how often 2 divides a − 1", m, longest, lines)


def _certain_bits(v: int, seen: int) -> int:
    lines = best_lines(2, seen, order=2, v=v)
    return certain_digits(lines.order, valuation(lines.stride, 2), v)


def _paper_panels() -> Iterator[LinePanel]:
    """The share of multipliers for which each order is right, and the accuracy of the paper's model."""
    seen = list(range(16, 257))
    for title, measured in PAPERS_SHARES.items():
        least = "v = 2" in title
        lines = []
        for order in PAPERS_ORDERS:
            shares = [LookbackPredictor(PAPERS_MODULUS, order=order).share_right(t - 1) for t in seen]
            # For the multipliers of the least v, a guess is right only if it is right for every multiplier.
            right = [float(share == 1 if least else share) for share in shares]
            lines.append(Line(seen, right, f"order {order}", order, stairs=True))
        lines.append(Line(list(measured), list(measured.values()), "the paper's model", 0, crosses=True))
        yield LinePanel(f"m = {power(2, 32)}, {title}", seen_axis(256, first=16), "numbers right", lines)
