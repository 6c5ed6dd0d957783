"""How many layers and heads do unseen moduli need? (fig:phase_diagrams a, b)

The small run is trained with several depths and numbers of heads, at constant width and at constant width per head
(table ``accuracy``). The claims test whether fewer than three layers fail, and whether the second head gains most.
"""

from itertools import product

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Precondition, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.summaries import each_seed
from unrandom.experiments.unseen_modulus.accuracy import (
    best_setting_accuracy,
    grid_map,
    last_number_rows,
    mean_over_moduli,
)
from unrandom.experiments.unseen_modulus.presets import small_run, variant, with_seeds
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus

ENTRY = Entry(
    name="um-phase-diagram",
    about="how many layers and heads unseen moduli need",
    figures={"fig:phase_diagrams": "accuracy by depth and number of heads, unseen modulus"},
)

DEPTHS = by_scale(smoke=(2, 3), laptop=(1, 2, 3, 4), gpu=(1, 2, 3, 4, 6), paper=(1, 2, 3, 4, 5, 6))
HEADS = by_scale(smoke=(1, 2), laptop=(1, 2, 4, 8), paper=(1, 2, 4, 6, 8))
AXES = ("depth", "heads")
CONSTANT_WIDTH, CONSTANT_HEAD_WIDTH = pl.col("width"), pl.col("width") / pl.col("heads")
HEAD_WIDTH = by_scale(smoke=8, laptop=8, gpu=64, paper=128)  # constant width per head
SCALED_DEPTHS: dict[Scale, tuple[int, ...]] = {**DEPTHS, "laptop": (2, 4)}
DEEP_LAYERS = 3  # number of layers that the paper finds necessary

BEST = Precondition("last-number accuracy of the best shape", 0.9)

CLAIMS = {
    "shallow": Claim(
        statement="Fewer than three layers fail.",
        quantity="their best accuracy on the last number, over that of deeper models",
        wanted=at_most(0.5, "ratio"),
        precondition=BEST,
    ),
    "second-head": Claim(
        statement="The second head is the largest gain.",
        quantity="accuracy gained from one head to two, less the next largest gain, mean over three layers and more",
        wanted=at_least(0.02, "difference of shares"),
        precondition=BEST,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Shapes with the small run's width, then shapes with a constant width per head; some of them coincide."""
    usual = small_run(scale)
    width = usual.config.model.d_model
    constant = [(depth, heads, width) for depth, heads in product(DEPTHS[scale], HEADS[scale])]
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


def _with_every_head_count(accuracy: pl.DataFrame, constant: pl.Expr) -> pl.DataFrame:
    """Keep the depths and values of ``constant`` for which every number of heads was trained."""
    return accuracy.filter(pl.col("heads").n_unique().over(constant, "depth") == accuracy["heads"].n_unique())


def evidence(tables: Tables) -> Evidence:
    found = mean_over_moduli(_with_every_head_count(tables["accuracy"], CONSTANT_WIDTH), AXES)
    value, is_deep, gain = pl.col("value"), pl.col("depth") >= DEEP_LAYERS, pl.col("gain")
    best = found.group_by("seed").agg(
        value.filter(~is_deep).max().fill_null(0.0).alias("shallow"), value.filter(is_deep).max().alias("deep")
    )
    by_heads = found.filter(is_deep).group_by("seed", "heads", maintain_order=True).agg(value.mean()).sort("heads")
    gains = by_heads.with_columns(value.diff().over("seed").alias("gain")).drop_nulls("gain")
    return {
        "shallow": each_seed(best.filter(pl.col("deep") > 0), (pl.col("shallow") / pl.col("deep")).first()),
        "second-head": each_seed(gains, gain.first() - gain.slice(1).max().fill_null(0.0)),
        BEST: best_setting_accuracy(found),
    }


def draw(tables: Tables) -> Pictures:
    """Constant width, and width in proportion to the heads; then each unseen modulus at constant width."""
    constant, scaled = (
        _with_every_head_count(tables["accuracy"], each) for each in (CONSTANT_WIDTH, CONSTANT_HEAD_WIDTH)
    )
    sets = {"constant width": constant, "width in proportion to heads": scaled}
    for (m,), of_modulus in constant.group_by("modulus", maintain_order=True):
        sets[f"constant width, m = {m}"] = of_modulus
    panels = [grid_map(title, AXES, mean_over_moduli(accuracy, AXES)) for title, accuracy in sets.items()]
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=UnseenModulus, compares=True)
