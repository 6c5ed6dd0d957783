"""How is the scaling of fixed-modulus models drawn? By position, by modulus, by bit and by multiplier."""

from pathlib import Path

from unrandom.experiments.experiment import Rows
from unrandom.experiments.rows import RowTables, as_rows, by_modulus, by_seed, seed_lines
from unrandom.experiments.scaling.elements import LEARNED_SHARE, finite_points, needed_by_modulus
from unrandom.experiments.scaling.laws import (
    ARBITRARY,
    SPECTRAL,
    known_steps,
    largest_learned,
    last_numbers,
    laws,
)
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.predictors import LookbackPredictor
from unrandom.runs.tables import Tables

CEILING = 3  # numbers after which all later ones follow, for a known modulus
PAPERS_EXPONENT = 0.25


def draw(frames: Tables, folder: Path) -> None:
    """Accuracy by position; numbers needed against m, with the paper's slope and the ceiling; accuracy by merit."""
    tables = as_rows(frames)
    save_panels(
        [
            _accuracy_panel(tables, ARBITRARY),
            _accuracy_panel(tables, SPECTRAL),
            _law_panel(tables["elements"]),
            _bit_panel(tables["bits"]),
            _merit_panel(tables),
        ],
        folder / "fm-scaling",
    )  # fmt: skip


def _accuracy_panel(tables: RowTables, group: str) -> LinePanel:
    rows = [row for row in tables["positions"] if row["group"] == group]
    lines = [
        line
        for kind, (m, own) in enumerate(by_modulus(rows).items())
        for line in seed_lines(own, "seen", "value", named_power(m), kind)
    ]
    return LinePanel(f"{group} multipliers", "numbers seen (t)", "number right (one line per seed)", lines, beside=True)


def named_power(m: int) -> str:
    """``m = 2^k`` as mathematics, for a power of two."""
    return f"m = $2^{{{m.bit_length() - 1}}}$"


def _law_panel(elements: Rows) -> LinePanel:
    """A fit is drawn over the moduli that it rests on; seeds that did not get there stand as crosses at the top."""
    arbitrary = [row for row in elements if row["group"] == ARBITRARY]
    moduli = sorted({row["modulus"] for row in arbitrary})
    top = 2 ** max(row["longest"] for row in arbitrary).bit_length()
    lines = []
    for kind, threshold in enumerate((1.0, 0.99, 0.6)):
        points = finite_points(arbitrary, threshold)
        law = laws(elements, threshold)["least"]
        fit = "" if law is None else f": $m^{{{law.exponent.value:.2f}}}$"
        lines.append(Line([m for m, _ in points], [v for _, v in points], f"{threshold:.0%}{fit}", kind, dots=True))
        if law is not None:
            fitted = sorted({m for m, _ in points})
            lines.append(Line(fitted, [law.at(m) for m in fitted], "", kind))
        missed = [m for m, of in needed_by_modulus(arbitrary, threshold).items() for v in of if v == float("inf")]
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


def _bit_panel(bits: Rows) -> LinePanel:
    """How far the low bits are known, by numbers seen, of every run; one and two bits a doubling beside."""
    lines = []
    for kind, (m, own) in enumerate(by_modulus(bits).items()):
        for of_seed in by_seed(own):
            steps = known_steps(of_seed)
            lines.append(Line([seen for seen, _ in steps], [known for _, known in steps], named_power(m), kind))
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


def _merit_panel(tables: RowTables) -> LinePanel:
    modulus = largest_learned(last_numbers(tables["positions"]), LEARNED_SHARE) or max(
        row["modulus"] for row in tables["multipliers"]
    )
    rows = [row for row in tables["multipliers"] if row["modulus"] == modulus]
    lines = []
    for kind, group in enumerate((ARBITRARY, SPECTRAL)):
        own = [row for row in rows if row["group"] == group]
        lines.append(Line([r["merit"] for r in own], [r["accuracy"] for r in own], group, kind, dots=True))
    title = f"{named_power(modulus)}, one dot per multiplier, seed"
    return LinePanel(
        title,
        "figure of merit (2 to 8 dimensions)",
        "accuracy, all positions",
        lines,
        limits=(None, None),
        beside=True,
    )
