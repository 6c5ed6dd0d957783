"""Draws the pictures of the first pages, docs/images/*.png, from the saved tables of experiments.

    python docs/draw_pictures.py

The pictures of models are of `fm-2048-fast`, the model of modulus 2048, but for the first: its accuracy and the bits
that it knows by numbers seen, where its head looks, and which digits are right with all of its attention, and with that
to one number alone. ``context-needed`` has the models of all powers of two; the glossary's the bits of one sequence of
full period, and of one that skips.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from unrandom.evaluation.known_bits import KNOWN_ACCURACY
from unrandom.experiments.baselines.order_panels import STAIRS_ORDERS, stairs_panel
from unrandom.experiments.fixed_modulus.lookback_ablation import ONE_KEY
from unrandom.experiments.reproduce import saved_tables
from unrandom.experiments.scaling.law_panels import order_panel
from unrandom.experiments.scaling.laws import ARBITRARY
from unrandom.experiments.scaling.measurement import CONTEXT_THRESHOLD
from unrandom.experiments.summaries import by_run, matrix
from unrandom.figures import style
from unrandom.figures.description import Axis, Line, LinePanel, Look, MapPanel
from unrandom.figures.digits import digit_map
from unrandom.figures.files import save_figure, save_panels
from unrandom.figures.staircase import staircase_figure
from unrandom.generators.lcg import LCG
from unrandom.generators.residues import digits_of

ROOT = Path(__file__).parents[1]
IMAGES, RESULTS = ROOT / "docs" / "images", ROOT / "results"
MODULUS, RUN = 2048, "fm-2048-fast-887de595"  # of seed 0
SHOWN = 128  # numbers of the sequence
THREE = 3  # numbers determine all that follow
ENOUGH = {"seen": THREE, "accuracy": 1, "text": "three numbers would do"}


def table(experiment: str, name: str) -> pl.DataFrame:
    """The rows of modulus 2048 in a table of an experiment."""
    return saved_tables(RESULTS / "overnight" / experiment)[name].filter(modulus=MODULUS)


def staircases() -> None:
    """Accuracy by numbers seen, with its 95 % interval, of the first seed."""
    for name, scale, modulus in (("staircase", "laptop", 256), ("staircase-2048", "overnight", MODULUS)):
        positions = saved_tables(RESULTS / scale / "fm-staircase")["positions"].filter(modulus=modulus, seed=0)
        curve = positions.select("seen", "value", "low", "high").to_dict(as_series=False)
        entry = {"symbol": f"m = {modulus}", "basis": modulus, "by_position": curve}
        save_figure(staircase_figure([entry], enough=[ENOUGH]), IMAGES / f"{name}.png")


def look_back() -> None:
    """Where the head looks; and the accuracy of digits with all attention, and with that to one number alone."""
    digits = table("fm-lookback-ablation", "digits").filter(run=RUN)
    panels = [
        where_it_looks(),
        digits_right("All attention: every bit is right in the end", digits.filter(keep="all")),
        digits_right("Looking only 2ᵏ back: the k low bits stay right", digits.filter(keep=ONE_KEY, renormalised=True)),
    ]
    save_png(panels, "look-back", wide_first=True)


def where_it_looks() -> MapPanel:
    """The weights of the head on one sequence: numbers seen run downwards, what was seen last is on the right."""
    weights = matrix(table("fm-attention", "example").filter(run=RUN), ["query"], "key", "weight")[:SHOWN]
    rows = [list(reversed(row[:seen])) for seen, row in enumerate(weights, 1)]  # by look-back, from 1
    backs, seen = style.powers(2, SHOWN), [1, *range(SHOWN // 4, SHOWN + 1, SHOWN // 4)]
    backs.remove(2)  # its tick is too near to that of 1
    return MapPanel(
        "Where the head looks, on one sequence modulo 2048: 2ᵏ numbers back",
        Axis("numbers back from the next one", [i - 1 for i in backs], [str(i) for i in backs], (SHOWN - 0.5, -0.5)),
        Axis(style.SEEN, [t - 1 for t in seen], [str(t) for t in seen], (SHOWN - 0.5, -0.5)),
        rows,
        bar="attention weight",
        limits=(0, max(max(row) for row in rows[SHOWN // 8 :])),
        root=True,
    )


def digits_right(title: str, accuracy: pl.DataFrame) -> MapPanel:
    """The accuracy of each bit by numbers seen."""
    values = [of_digit["value"].to_list() for of_digit in accuracy.partition_by("digit", maintain_order=True)]
    return digit_map(
        title, [str(digit) for digit in digits_of(MODULUS)], values, accuracy["seen"].unique().sort().to_list()
    )


def bits_known() -> None:
    """Low bits that are right in nearly all sequences, beside those that look-back of orders 1 to 4 makes certain."""
    known = (pl.col("value") >= KNOWN_ACCURACY).cum_min().over("run", "seen")  # all lower bits are known, too
    model = table("fm-staircase", "digits").with_columns(known=known).group_by("run", "seed", "seen")
    bits = model.agg(bits=pl.col("known").sum().cast(pl.Float64)).sort("run", "seen")
    title = "Low bits of the next number that are known, modulus 2048"
    name = f"model: median of {len(by_run(bits))} seeds, and range"
    panel = stairs_panel(title, MODULUS, STAIRS_ORDERS, {name: bits})
    *orders, measured = panel.lines
    longest, most = float(max(bits["seen"])), float(len(digits_of(MODULUS)))
    names = [f"from at most {order} earlier number{'s' * (order > 1)} (order {order})" for order in STAIRS_ORDERS]
    lines = [
        Line([1, THREE, longest], [0, most, most], "algebra", look=Look(style.GREY, "longdash"), stairs=True),
        *(replace(line, label=name) for line, name in zip(orders, names, strict=True)),
        replace(measured, look=Look(style.BLUE, width=1.8)),
    ]
    save_png([replace(panel, lines=lines)], "bits-known")


def context_needed() -> None:
    """Numbers needed by modulus, of the models of two scales, beside what each order of look-back needs."""
    tables = [saved_tables(RESULTS / scale / "fm-scaling")["context_needed"] for scale in ("laptop", "overnight")]
    needed = pl.concat(tables).unique(["run", "group", "threshold"], maintain_order=True)
    panel = order_panel(needed.filter(group=ARBITRARY, threshold=CONTEXT_THRESHOLD))
    title = "Numbers needed for .99 of the next ones, by modulus; lines: what follows from 1 to 6 earlier numbers"
    save_png([replace(panel, title=title)], "context-needed")


def skipping() -> None:
    """The bits of a sequence of full period modulo 256, and of one with the same multiplier that skips by 8."""
    full = LCG(m=256, a=77, c=91)
    skips = LCG(m=256, a=77, c=(8 * 27 + 5 * (1 - 77)) % 256)
    panels = [bits_of("Full period: the bit of weight 2ʷ repeats after 2ʷ⁺¹ numbers", full, 0)]
    panels.append(bits_of("Skipping by 8: the low bits stand still, and the fourth is the first to move", skips, 5))
    save_png(panels, "skipping")


def bits_of(title: str, lcg: LCG, x0: int, length: int = 64) -> MapPanel:
    """The bits of the first numbers of a sequence modulo a power of two."""
    digits = digits_of(lcg.m)
    rows = [[x >> bit & 1 for x in lcg.orbit(x0, length)] for bit in range(len(digits))]
    numbers = [0, *range(8, length, 8)]
    return MapPanel(
        title,
        Axis("number (t)", numbers, [str(t) for t in numbers], (-0.5, length - 0.5)),
        Axis(style.DIGIT, range(len(digits)), [style.power(2, bit) for bit in range(len(digits))]),
        rows,
        bar="bit",
        limits=(0, 1),
    )


def save_png(panels: Sequence[LinePanel | MapPanel], name: str, *, wide_first: bool = False) -> None:
    save_panels(panels, IMAGES / name, wide_first=wide_first).with_suffix(".svg").unlink()


if __name__ == "__main__":
    for draw in (staircases, look_back, bits_known, context_needed, skipping):
        draw()
