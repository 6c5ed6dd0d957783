"""How is the scaling of fixed-modulus models drawn? By position, by modulus, by bit and by multiplier."""

from pathlib import Path

import polars as pl

from unrandom.experiments.scaling.laws import (
    ARBITRARY,
    SPECTRAL,
    known_steps,
    largest_learned,
    last_numbers,
    laws,
)
from unrandom.experiments.scaling.measurement import LEARNED_SHARE, needed_for, points
from unrandom.experiments.summaries import by_modulus, by_seed, seed_lines
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.predictors import LookbackPredictor
from unrandom.runs.tables import Tables

CEILING = 3  # numbers after which all later ones follow, for a known modulus
PAPERS_EXPONENT = 0.25


def draw(tables: Tables, folder: Path) -> None:
    """Accuracy by position; numbers needed against m, with the paper's slope and the ceiling; accuracy by merit."""
    panels = [
        _accuracy_panel(tables["positions"], ARBITRARY),
        _accuracy_panel(tables["positions"], SPECTRAL),
        _law_panel(tables["context_needed"]),
        _bit_panel(tables["bits"]),
        _merit_panel(tables),
    ]
    save_panels(panels, folder / "fm-scaling")


def _accuracy_panel(positions: pl.DataFrame, group: str) -> LinePanel:
    lines = [
        line
        for kind, (m, own) in enumerate(by_modulus(positions.filter(group=group)).items())
        for line in seed_lines(own, "seen", "value", named_power(m), kind)
    ]
    return LinePanel(f"{group} multipliers", "numbers seen (t)", "number right (one line per seed)", lines, beside=True)


def named_power(m: int) -> str:
    """``m = 2^k`` as mathematics, for a power of two."""
    return f"m = $2^{{{m.bit_length() - 1}}}$"


def _law_panel(context: pl.DataFrame) -> LinePanel:
    """A fit is drawn over the moduli that it rests on; seeds that did not get there stand as crosses at the top."""
    arbitrary = context.filter(group=ARBITRARY)
    moduli = arbitrary["modulus"].unique().sort().to_list()
    top = 2 ** max(arbitrary["longest"]).bit_length()
    lines = []
    for kind, threshold in enumerate((1.0, 0.99, 0.6)):
        needed = needed_for(arbitrary, threshold)
        there = points(needed)
        law = laws(context, threshold)["least"]
        fit = "" if law is None else f": $m^{{{law.exponent.value:.2f}}}$"
        name = f"{threshold:.0%}{fit}"
        lines.append(Line(there["modulus"].to_list(), there["needed"].to_list(), name, kind, dots=True))
        if law is not None:
            fitted = there["modulus"].unique().sort().to_list()
            lines.append(Line(fitted, [law.at(m) for m in fitted], "", kind))
        missed = needed.filter(pl.col("needed").is_infinite())["modulus"].to_list()
        place = top / 2 ** (0.12 * kind)
        lines.append(Line(missed, [place] * len(missed), "not reached" if missed else "", kind, crosses=True))
    middle = moduli[len(moduli) // 2]
    slope = [64 * (m / middle) ** PAPERS_EXPONENT for m in moduli]
    lines.append(Line(moduli, slope, "paper's slope, 1/4", 6))
    lines.append(Line(moduli, [LookbackPredictor(m).numbers_needed() for m in moduli], "look-back by hand", 3))
    lines.append(Line(moduli, [CEILING] * len(moduli), "enough: 3", 7))
    levels = [2**k for k in range(1, top.bit_length())]
    return LinePanel("numbers needed; fit: best seed", "modulus", "numbers seen (one dot per seed)", lines, moduli,
                     limits=(2, top * 1.2), levels=levels, beside=True)  # fmt: skip


def _bit_panel(bits: pl.DataFrame) -> LinePanel:
    """How far the low bits are known, by numbers seen, of every run; one and two bits a doubling beside."""
    lines = []
    for kind, (m, own) in enumerate(by_modulus(bits).items()):
        for of_seed in by_seed(own):
            steps = known_steps(of_seed)
            lines.append(Line(steps["seen"].to_list(), steps["known"].to_list(), named_power(m), kind))
    seen = [2**k for k in range(9)]
    lines.append(Line(seen, list(range(9)), "1 bit per doubling", 6))
    lines.append(Line(seen, list(range(0, 18, 2)), "2 bits per doubling", 7))
    return LinePanel(
        "low bits known in 99 %",
        "numbers seen (t)",
        "bits (one line per seed)",
        lines,
        seen,
        limits=(0, None),
        beside=True,
    )


def _merit_panel(tables: Tables) -> LinePanel:
    modulus = largest_learned(last_numbers(tables["positions"]), LEARNED_SHARE)
    modulus = modulus or max(tables["multipliers"]["modulus"])
    lines = []
    for kind, group in enumerate((ARBITRARY, SPECTRAL)):
        own = tables["multipliers"].filter(modulus=modulus, group=group)
        lines.append(Line(own["merit"].to_list(), own["accuracy"].to_list(), group, kind, dots=True))
    title = f"{named_power(modulus)}, one dot per multiplier, seed"
    return LinePanel(
        title,
        "figure of merit (2 to 8 dimensions)",
        "accuracy, all positions",
        lines,
        limits=(None, None),
        beside=True,
    )
