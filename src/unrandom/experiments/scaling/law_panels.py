"""Draws the scaling of fixed-modulus models, in panels by position, modulus, bit and multiplier."""

import polars as pl

from unrandom.core.quantities import counted
from unrandom.experiments.experiment import Picture, Pictures
from unrandom.experiments.scaling.laws import (
    ARBITRARY,
    SPECTRAL,
    bit_stairs,
    largest_learned,
    last_number_accuracies,
    laws,
)
from unrandom.experiments.scaling.measurement import (
    CONTEXT_THRESHOLD,
    LEARNED_SHARE,
    needed_for,
    seeds_that_reached,
)
from unrandom.experiments.summaries import by_modulus, by_seed, median_line
from unrandom.figures.description import Look
from unrandom.figures.panels import Line, LinePanel, accuracy_panel, seen_axis
from unrandom.figures.style import GREY, WINE, power
from unrandom.predictors import LookbackPredictor
from unrandom.runs.tables import Tables

DETERMINING_CONTEXT = 3  # numbers that determine all later ones, for a known modulus
PAPERS_EXPONENT = 0.25
PAPERS_MODULUS, PAPERS_CONTEXT_NEEDED = 2**32, 192  # numbers from which on the paper's released model is right
ORDERS = (1, 2, 3, 4, 5, 6)


def draw(tables: Tables) -> Pictures:
    """Accuracy by position; context needed by m, with the paper's slope and the determining context; bits; merit."""
    panels = [
        _accuracy_panel(tables["positions"], ARBITRARY),
        _law_panel(tables["context_needed"]),
        _bit_panel(tables["bits"]),
        _merit_panel(tables),
    ]
    yield Picture(panels)
    needed = tables["context_needed"].filter(group=ARBITRARY, threshold=CONTEXT_THRESHOLD)
    yield Picture([order_panel(needed)], suffix="-orders")


def order_panel(needed: pl.DataFrame) -> LinePanel:
    """Context needed by modulus, of the runs that got there, beside what each order of look-back needs."""
    moduli = [2**w for w in range(8, 33, 2)]
    lines = [
        Line(moduli, [LookbackPredictor(m, order=order).numbers_needed() for m in moduli], f"order {order}", order)
        for order in ORDERS
    ]
    reached = seeds_that_reached(needed)
    lines.append(Line(reached["modulus"].to_list(), reached["needed"].to_list(), "models here", 0, dots=True))
    lines.append(Line([PAPERS_MODULUS], [PAPERS_CONTEXT_NEEDED], "the paper's model", 0, crosses=True))
    return LinePanel("numbers needed for 99 %, and by order", "modulus", "numbers seen", lines, moduli[::2],
                     limits=(4, 2**13), levels=[2**k for k in range(2, 13)])  # fmt: skip


def _accuracy_panel(positions: pl.DataFrame, group: str) -> LinePanel:
    moduli = {modulus_title(m): of_modulus for m, of_modulus in by_modulus(positions.filter(group=group)).items()}
    lines = [
        median_line(of_modulus, "seen", "value", title, kind) for kind, (title, of_modulus) in enumerate(moduli.items())
    ]
    return accuracy_panel(f"{group} multipliers: median of seeds (band: all)", lines)


def modulus_title(m: int) -> str:
    """The text ``m = 2¹²``, for a power of two."""
    return f"m = {power(2, m.bit_length() - 1)}"


def _law_panel(context: pl.DataFrame) -> LinePanel:
    """Context needed by modulus. A fit is drawn over its moduli; crosses: seeds that never reached the threshold."""
    arbitrary = context.filter(group=ARBITRARY)
    moduli = arbitrary["modulus"].unique().sort().to_list()
    top = 2 ** max(arbitrary["longest"]).bit_length()
    lines = []
    for kind, threshold in enumerate((1.0, 0.99, 0.6)):
        needed = needed_for(arbitrary, threshold)
        reached = seeds_that_reached(needed)
        law = laws(context, threshold)["least"]
        fit = "" if law is None else ": " + power("m", f"{law.exponent.value:.2f}")
        name = f"{threshold:.0%}{fit}"
        lines.append(Line(reached["modulus"].to_list(), reached["needed"].to_list(), name, kind, dots=True))
        if law is not None:
            fitted = reached["modulus"].unique().sort().to_list()
            lines.append(Line(fitted, [law.at(m) for m in fitted], "", kind))
        censored = needed.filter(pl.col("needed").is_infinite())["modulus"].to_list()
        height = top / 2 ** (0.12 * kind)
        lines.append(Line(censored, [height] * len(censored), "not reached" if censored else "", kind, crosses=True))
    middle = moduli[len(moduli) // 2]
    slope = [64 * (m / middle) ** PAPERS_EXPONENT for m in moduli]
    lines.append(Line(moduli, slope, "paper's slope, 1/4", 6))
    lines.append(Line(moduli, [LookbackPredictor(m).numbers_needed() for m in moduli], "look-back by hand", 3))
    lines.append(Line(moduli, [DETERMINING_CONTEXT] * len(moduli), "enough: 3", 7))
    levels = [2**k for k in range(1, top.bit_length())]
    return LinePanel("numbers needed; fit: best seed", "modulus", "numbers seen (dots: seeds)", lines, moduli,
                     limits=(2, top * 1.2), levels=levels)  # fmt: skip


def _bit_panel(bits: pl.DataFrame) -> LinePanel:
    """Number of low bits known by numbers seen, for every run, beside one and two bits per doubling."""
    lines = []
    for kind, (m, of_modulus) in enumerate(by_modulus(bits).items()):
        for of_seed in by_seed(of_modulus):
            stairs = bit_stairs(of_seed)
            lines.append(Line(stairs["seen"].to_list(), stairs["known"].to_list(), modulus_title(m), kind))
    longest = max((seen for line in lines for seen in line.x), default=1)
    seen = [2**k for k in range(9)]
    for gain, colour in ((1, GREY), (2, WINE)):
        label = f"{counted(gain, 'bit')} per doubling"
        lines.append(Line(seen, [gain * k for k in range(9)], label, look=Look(colour, "longdash")))
    title, y = "low bits known in 99 %", "bits (one line per seed)"
    return LinePanel(title, seen_axis(longest), y, lines, limits=(0, None))


def _merit_panel(tables: Tables) -> LinePanel:
    modulus = largest_learned(last_number_accuracies(tables["positions"]), LEARNED_SHARE)
    modulus = modulus or max(tables["multipliers"]["modulus"])
    lines = []
    for kind, group in enumerate((ARBITRARY, SPECTRAL)):
        of_group = tables["multipliers"].filter(modulus=modulus, group=group)
        lines.append(Line(of_group["merit"].to_list(), of_group["accuracy"].to_list(), group, kind, dots=True))
    title = f"{modulus_title(modulus)}, one dot per multiplier, seed"
    return LinePanel(
        title, "figure of merit (2 to 8 dimensions)", "accuracy, all positions", lines, limits=(None, None)
    )
