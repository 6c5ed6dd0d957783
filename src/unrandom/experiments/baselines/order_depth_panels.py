"""Draws order by depth: cuts and patches as maps, training as lines, and the stairs of the smaller models."""

from dataclasses import replace
from math import log2

import polars as pl

from unrandom.experiments.baselines.order_panels import MODEL, stairs_panel
from unrandom.experiments.experiment import Picture, Pictures
from unrandom.experiments.scaling.law_panels import modulus_title
from unrandom.experiments.summaries import by_modulus, group_lines, named
from unrandom.figures.panels import Line, LinePanel, MapPanel
from unrandom.predictors.lookback import certain_bits_by_depth
from unrandom.runs.tables import Tables

PUBLISHED, FOLLOWED, THREE = "published", "followed", "three layers"
POOLED, EXACT = "all", "where differences are equal"
# What is cut: look-backs of the second layer; the CONTROLS are beside them (N/32, N/16: this much further back
# than it looks), and of the first.
NOTHING, LOOKED_AT, KIN = "nothing", "where it looks", "all such places"
CONTROLS = ("N/32 nearer", "N/32 further", "N/16 further", "N/2 back")
FIRST_HALF, FIRST_QUARTER = "layer 1, N/2", "layer 1, N/4"
# The places where values are patched, and the sequence that they come from
PATCHED, OTHER_HEAD, BESIDE = "where it looks", "other head", "beside"
ANOTHER, MULTIPLE = "another", "multiple"
MOVES = {"error": "errors", "difference": "differences", "changed": "at all"}


def draw(tables: Tables) -> Pictures:
    """Four figures: the published model cut and patched, the training of three seeds, and models of three layers."""
    cut, patch = (tables[name] for name in ("cut", "patch"))
    name, blocks = modulus_title(cut["modulus"][0]), cut["block"].unique(maintain_order=True).to_list()
    first, middle, last = (each for each in blocks if each not in (EXACT, POOLED))
    cut = cut.filter(pl.col("block") != EXACT)
    yield Picture(
        [
            _shares(cut.filter(what="low"), "cut", "block", "numbers seen", f"{name}, cut: bits of order 2"),
            _shares(cut.filter(what="high"), "cut", "block", "numbers seen", f"{name}, cut: bits above"),
        ],
        columns=1,
    )
    patch = patch.with_columns(patched=pl.concat_str("other", pl.lit(": "), "patch"))
    yield Picture(
        [
            _shares(
                patch.filter(block=block),
                "patched",
                "what",
                "share of guesses that move by",
                f"{name}, patched: {seen}",
            )
            for block, seen in ((EXACT, f"{first} and {last}"), (middle, middle))
        ],
        suffix="-patch",
        columns=1,
    )
    steps = tables["steps"]
    yield Picture(
        [
            _training(steps, "more", f"{name}: after N numbers and more", "numbers right"),
            _training(steps, "half", f"{name}: after N/2 to N − 1 numbers", "numbers right"),
            _training(steps, "attention", f"{name}: layer 2, N/16 modulo N/8 back", "share, head with most"),
        ],
        suffix="-training",
    )
    three = by_modulus(tables["bits"].filter(kind=THREE))
    yield Picture([_stairs(bits, m) for m, bits in three.items()], suffix="-three-layers")


def _shares(shares: pl.DataFrame, rows: str, columns: str, x: str, title: str) -> MapPanel:
    """A share by what is done (rows) and by numbers seen, or by how guesses move (columns)."""
    names = shares[columns].unique(maintain_order=True).to_list()
    wide = shares.pivot(columns, index=rows, values="value", on_columns=names).reverse()
    shown = [MOVES.get(name, name) for name in names]
    return MapPanel(title, x, "", wide.drop(rows).rows(), shown, wide[rows].to_list(), "share", written=True)


def _training(steps: pl.DataFrame, y: str, title: str, axis: str) -> LinePanel:
    seeds = named(steps.sort("seed", maintain_order=True), "seed", "seed {}")
    return LinePanel(title, "step", axis, group_lines(seeds, "step", y))


def _stairs(bits: pl.DataFrame, m: int) -> LinePanel:
    """Known bits of orders 2 and 3, of order 2 in a layer above order 2, and of the models."""
    panel = stairs_panel(f"{modulus_title(m)}, three layers", m, (2, 3), {MODEL: bits})
    seen = list(range(2, max(bits["seen"]) + 1))
    known = [min(log2(m), certain_bits_by_depth(t, 2)) for t in seen]
    return replace(panel, lines=[*panel.lines, Line(seen, known, "order 3 by depth", 5, stairs=True)])
