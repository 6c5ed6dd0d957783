"""Tests what makes a model learn a higher order of look-back: its shape, and contexts too short for order 2.

First, depth, heads, width and context are varied. Second, models are trained in contexts that *end early*: order 2
leaves bits of the last number open there, and order 3 none (docs/order.md), so that a model that is right there uses
more than two earlier numbers. They are trained from scratch, with four layers, or from the weights of a model that has
learned order 2 in a longer context. The tables are ``cells`` (one row per run; its column ``cell`` is the name of the
variant) and ``bits`` (bits known by position); the claims compare context needed and bits known with order 2's.
"""

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from unrandom.evaluation import bits_known, context_needed
from unrandom.experiments.baselines.order_panels import stairs_panel
from unrandom.experiments.claims import Claim, Evidence, Finding, LateClaim, Precondition, Unknown, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling.law_panels import modulus_title
from unrandom.experiments.scaling.laws import lookback_ratio
from unrandom.experiments.scaling.measurement import CONTEXT_THRESHOLD, LEARNED_SHARE, evaluated_run, modulus_of
from unrandom.experiments.scaling.presets import Size, size_of, sized_run
from unrandom.experiments.summaries import by_modulus, mean_or_none, named, rows_of, seed_means, tables_by_run
from unrandom.figures.panels import LinePanel, MapPanel, Panel
from unrandom.predictors import LookbackPredictor
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus

ENTRY = Entry(
    name="fm-order-pressure",
    place=8,
    about="whether model shape, or a context too short for order 2, leads to a higher order of look-back",
    minutes=320,
)

SEQUENCES = by_scale(smoke=32, laptop=1024, paper=2048)
SCRATCH, DEEP, PARENT = "from scratch", "4 layers", "from order 2"
PLAIN = "plain"


@dataclass(frozen=True)
class Variant:
    """A model that is trained with every seed: its name, how it is trained, and whether its context ends early."""

    name: str
    size: Size
    ends_early: bool = False


@dataclass(frozen=True)
class Sizes:
    """Sizes whose shape is varied, and sizes that end early: from scratch, and from order 2."""

    shapes: tuple[Size, ...]  # The first is varied in more ways than the others.
    scratch: tuple[Size, ...]  # The first is trained with four layers, too.
    parents: tuple[Size, ...]


LONG_SMOKE, SHORT_SMOKE = (Size(exponent=8, context=context, steps=8) for context in (24, 12))
LONG_PAPER = size_of("paper", 16)
SHORT_PAPER = Size(exponent=16, context=64, steps=200_000, batch_size=512)
SIZES: dict[Scale, Sizes] = by_scale(
    smoke=Sizes(
        shapes=(Size(exponent=6, context=10, steps=8), LONG_SMOKE),
        scratch=(SHORT_SMOKE,),
        parents=(replace(SHORT_SMOKE, start=LONG_SMOKE),),
    ),
    laptop=Sizes(
        shapes=(size_of("laptop", 8), size_of("laptop", 10)),
        scratch=(
            Size(exponent=8, context=12, steps=2_400),
            Size(exponent=10, context=24, steps=2_400),
            Size(exponent=12, context=48, steps=900),
        ),
        parents=(
            Size(exponent=10, context=24, steps=1_600, start=size_of("laptop", 10)),
            Size(exponent=12, context=48, steps=900, start=size_of("laptop", 12)),
        ),
    ),
    paper=Sizes(
        shapes=(LONG_PAPER,),
        scratch=(SHORT_PAPER, Size(exponent=20, context=256, steps=200_000, batch_size=512)),
        parents=(replace(SHORT_PAPER, start=LONG_PAPER),),
    ),
)


LEARNED_PLAIN = Precondition("last-number accuracy of the plain model in a longer context", 0.9)
LEARNED_PARENT = Precondition("last-number accuracy of the models started from, the minimum", 0.9)


def _claim(statement: str, needed: Precondition) -> Claim:
    """The claim that the variants of one kind know more bits than order 2 makes certain."""
    return LateClaim(
        statement=statement,
        quantity="bits known of the last number less those that order 2 makes certain, mean over moduli",
        # more than the one further bit that order 2 gives a model that can infer v from the numbers
        wanted=at_least(1.5, "bits"),
        precondition=needed,
    )


CLAIMS = {
    "shape": Claim(
        statement="With none of these depths, heads, widths and contexts does a model need fewer numbers than order 2.",
        quantity="numbers for 99 % over those of order 2, the least over shapes that were learned",
        wanted=at_least(0.9, "ratio"),
    ),
    "from-scratch": _claim(
        "Where order 2 cannot succeed, a model trained from scratch knows more bits than order 2 makes certain.",
        LEARNED_PLAIN,
    ),
    "four-layers": _claim(
        "Where order 2 cannot succeed, a model of four layers knows more bits than order 2 makes certain.",
        LEARNED_PLAIN,
    ),
    "from-order-2": _claim(
        "Where order 2 cannot succeed, a model that has learned order 2 learns more bits than order 2 makes certain.",
        LEARNED_PARENT,
    ),
}


def variants(scale: Scale) -> list[Variant]:
    """Return every shape, and every context that ends early."""
    sizes = SIZES[scale]
    shapes = [shape for size in sizes.shapes for shape in _shapes_of(scale, size)]
    return [
        *(Variant(name, size) for name, size in (*shapes, *_more_shapes_of(scale, sizes.shapes[0]))),
        *(Variant(SCRATCH, size, ends_early=True) for size in sizes.scratch),
        Variant(DEEP, _shaped(sizes.scratch[0], depth=4), ends_early=True),
        *(Variant(PARENT, size, ends_early=True) for size in sizes.parents),
    ]


def _shapes_of(scale: Scale, size: Size) -> list[tuple[str, Size]]:
    """The plain model, and variants in depth, heads and width."""
    model = sized_run(scale, size, 0).config.model
    return [
        (PLAIN, size),
        ("1 layer", _shaped(size, depth=1)),
        (DEEP, _shaped(size, depth=4)),
        ("twice the heads", _shaped(size, n_heads=2 * model.n_heads)),
        ("half the width", _shaped(size, d_model=model.d_model // 2)),
    ]


def _more_shapes_of(scale: Scale, size: Size) -> list[tuple[str, Size]]:
    """Variants with one head, with fewer and more numbers, and with half the heads, smaller batches and more steps."""
    model = sized_run(scale, size, 0).config.model
    longer = replace(size, steps=6 * size.steps, batch_size=size.batch_size // 4)
    return [
        ("1 head", _shaped(size, n_heads=1)),
        ("half the numbers", replace(size, context=size.context // 2)),
        ("twice the numbers", replace(size, context=2 * size.context - 1)),
        ("half the heads, longer", _shaped(longer, n_heads=model.n_heads // 2)),
    ]


def _shaped(size: Size, **model: Any) -> Size:
    return replace(size, changes={**size.changes, "model": {**size.changes.get("model", {}), **model}})


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Every variant with every seed."""
    return [
        sized_run(scale, variant.size, seed).labelled(cell=variant.name, ends_early=variant.ends_early)
        for variant in variants(scale)
        for seed in range(seeds)
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: _measured(run, SEQUENCES[scale]))


def _measured(run: Run, sequences: int) -> dict[str, Rows]:
    modulus = modulus_of(run)
    evaluation = evaluated_run(run, run.split(), modulus, sequences)
    known, longest = bits_known(evaluation), evaluation.correct.shape[1]
    cell = {
        "longest": longest,
        "last": float(evaluation.last_number_accuracy.value),
        "needed": context_needed(evaluation, CONTEXT_THRESHOLD).needed,
        "bits": float(known[-1]),
        "of_order_2": int(LookbackPredictor(modulus).digits_known(longest - 1).sum()),
        "parent": _accuracy_of_parent(run),
    }
    return {"cells": [cell], "bits": rows_of({}, seen=range(1, len(known) + 1), bits=known)}


def _accuracy_of_parent(run: Run) -> float | None:
    """The last-number accuracy of the run that this run's weights come from; None if it started from random ones."""
    return float(run.ancestors()[-1].result()["last_number_accuracy"]) if run.config.start is not None else None


def evidence(tables: Tables) -> Evidence:
    measured = tables["cells"]
    more = measured.filter("ends_early").with_columns(value=pl.col("bits") - pl.col("of_order_2"))
    return {
        "shape": _least_ratio(measured.filter(~pl.col("ends_early"))),
        "from-scratch": seed_means(more.filter(cell=SCRATCH)),
        "four-layers": seed_means(more.filter(cell=DEEP)),
        "from-order-2": seed_means(more.filter(cell=PARENT)),
        LEARNED_PLAIN: mean_or_none(measured.filter(cell=PLAIN)["last"]),
        LEARNED_PARENT: min(measured["parent"].drop_nulls()),
    }


def _least_ratio(shapes: pl.DataFrame) -> Finding:
    """By seed, the least ratio of context needed to order 2's, over the shapes that every seed has learned."""
    learned = shapes.filter((pl.col("last") >= LEARNED_SHARE).all().over("modulus", "cell"))
    return Unknown("no shape was learned by every seed") if learned.is_empty() else lookback_ratio(learned, pl.Expr.min)


def draw(tables: Tables) -> Pictures:
    """Context needed by shape; then known bits in each context that ends early, beside orders 2 and 3."""
    shapes = by_modulus(tables["cells"].filter(~pl.col("ends_early")))
    early = by_modulus(tables["bits"].filter("ends_early"))
    panels: list[Panel] = [_shapes(measured, m) for m, measured in shapes.items()]
    panels += [_stairs(bits, m) for m, bits in early.items()]
    yield Picture(panels, columns=1)


def _shapes(measured: pl.DataFrame, m: int) -> MapPanel:
    """Context needed by shape (rows) and seed (columns); blank if the run never reached the accuracy."""
    seeds = measured["seed"].unique().sort().to_list()
    wide = measured.pivot("seed", index="cell", values="needed", on_columns=seeds).reverse()
    values = wide.drop("cell").cast(pl.Float64).fill_null(float("nan")).rows()
    two, three = (LookbackPredictor(m, order=order).numbers_needed() for order in (2, 3))
    title = f"{modulus_title(m)}: needed (order 2: {two})"
    columns, names = [f"seed {seed}" for seed in seeds], wide["cell"].to_list()
    return MapPanel(
        title, "", "", values, columns, names, "numbers (blank: never)", limits=(three, 2 * two), written=True
    )


def _stairs(bits: pl.DataFrame, m: int) -> LinePanel:
    """Known bits of orders 2 and 3 and of the variants of one modulus."""
    title = f"{modulus_title(m)} with {max(bits['seen'])} numbers"
    return stairs_panel(title, m, (2, 3), named(bits, "cell"))


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=FixedModulus, compares=True)
