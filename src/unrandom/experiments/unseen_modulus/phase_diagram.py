"""Finds how many layers and heads unseen moduli need. (fig:phase_diagrams a, b)

The small run is trained with several depths and numbers of heads, at constant width and at constant width per head
(table ``accuracy``, on sequences that the best look-back of one distance does not predict). The claims test whether
fewer than three layers fail, and whether the second head gains most.
"""

from itertools import product

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Precondition, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scale import SCALES
from unrandom.experiments.summaries import each_seed
from unrandom.experiments.unseen_modulus.accuracy import (
    best_setting_accuracy,
    grid_map,
    last_number_rows,
    mean_over_moduli,
)
from unrandom.experiments.unseen_modulus.presets import comparison, small_run, variant, with_seeds
from unrandom.runs.tables import Tables, table

ENTRY = Entry(
    name="um-phase-diagram",
    section="unseen modulus",
    place=3,
    about="how many layers and heads unseen moduli need",
    minutes=94,
    figures={"fig:phase_diagrams": "accuracy by depth and number of heads, unseen modulus"},
)

DEPTHS = by_scale(smoke=(2, 3), laptop=(1, 2, 3, 4), paper=(1, 2, 3, 4, 5, 6))
HEADS = by_scale(smoke=(1, 2), laptop=(1, 2, 4, 8), paper=(1, 2, 4, 6, 8))
# (depth, heads) of constant width: all pairs; at laptop scale each depth with four heads, and three layers with each
CONSTANT: dict[Scale, tuple[tuple[int, int], ...]] = {
    **{scale: tuple(product(DEPTHS[scale], HEADS[scale])) for scale in SCALES},
    "laptop": (*((depth, 4) for depth in DEPTHS["laptop"]), (3, 1), (3, 2), (3, 8)),
}
# depths with a constant width per head, too
SCALED_DEPTHS: dict[Scale, tuple[int, ...]] = {**DEPTHS, "laptop": ()}
HEAD_WIDTH = by_scale(smoke=8, laptop=32, paper=128)  # constant width per head
AXES = ("depth", "heads")
CONSTANT_WIDTH, CONSTANT_HEAD_WIDTH = pl.col("width"), pl.col("width") / pl.col("heads")
DEEP_LAYERS = 3  # number of layers that the paper finds necessary

BEST = Precondition("last-number accuracy of the best shape, where no fixed look-back is right,", 0.5)

CLAIMS = {
    "shallow": Claim(
        statement="Fewer than three layers fail.",
        quantity="their best accuracy on the last number where no fixed look-back is right, over that of deeper models",
        wanted=at_most(0.5, "ratio"),
    ),
    "second-head": Claim(
        statement="The second head is the largest gain.",
        quantity="accuracy gained from one head to two, less the next largest gain, mean over three layers and more",
        wanted=at_least(0.02, "difference of shares"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Shapes with the small run's width, then shapes with a constant width per head; some of them coincide."""
    usual = small_run(scale)
    width = usual.config.model.d_model
    constant = [(depth, heads, width) for depth, heads in CONSTANT[scale]]
    scaled = [(depth, heads, HEAD_WIDTH[scale] * heads) for depth, heads in product(SCALED_DEPTHS[scale], HEADS[scale])]
    variants = [
        variant(
            usual,
            {"depth": depth, "heads": heads, "width": width},
            model={"depth": depth, "n_heads": heads, "d_model": width},
        )
        for depth, heads, width in constant + scaled
    ]
    return with_seeds(variants, seeds)


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"accuracy": table(last_number_rows(runs, scale))}


def _of_one(accuracy: pl.DataFrame, constant: pl.Expr) -> pl.DataFrame:
    """Keep the most frequent value of ``constant``: one width, or one width per head."""
    return accuracy.filter(constant == constant.mode().min())


def evidence(tables: Tables) -> Evidence:
    """Depths are compared at the number of heads that most of them have, heads at the depths that have several."""
    found = mean_over_moduli(_of_one(tables["accuracy"], CONSTANT_WIDTH), AXES)
    value, is_deep, gain = pl.col("value"), pl.col("depth") >= DEEP_LAYERS, pl.col("gain")
    usual = found.filter(pl.col("depth").n_unique().over("heads") == found["depth"].n_unique())
    best = usual.group_by("seed").agg(
        value.filter(~is_deep).max().fill_null(0.0).alias("shallow"), value.filter(is_deep).max().alias("deep")
    )
    several = found.filter(is_deep, pl.col("heads").n_unique().over("depth") == found["heads"].n_unique())
    by_heads = several.group_by("seed", "heads", maintain_order=True).agg(value.mean()).sort("heads")
    gains = by_heads.with_columns(value.diff().over("seed").alias("gain")).drop_nulls("gain")
    return {
        "shallow": each_seed(best.filter(pl.col("deep") > 0), (pl.col("shallow") / pl.col("deep")).first()),
        "second-head": each_seed(gains, gain.first() - gain.slice(1).max().fill_null(0.0)),
        BEST: best_setting_accuracy(found),
    }


def draw(tables: Tables) -> Pictures:
    """Constant width, and width in proportion to the heads; then each unseen modulus at constant width."""
    constant, scaled = (_of_one(tables["accuracy"], each) for each in (CONSTANT_WIDTH, CONSTANT_HEAD_WIDTH))
    sets = {"constant width": constant, "width in proportion to heads": scaled}
    for (m,), of_modulus in constant.group_by("modulus", maintain_order=True):
        sets[f"constant width, m = {m}"] = of_modulus
    panels = [
        grid_map(title, AXES, mean_over_moduli(accuracy, AXES))
        for title, accuracy in sets.items()
        if accuracy["heads"].n_unique() > 1
    ]
    yield Picture(panels)


EXPERIMENT = comparison(ENTRY, CLAIMS, runs, measure, evidence, draw, presupposes=BEST)
