"""Tests whether depth is needed at every width. (fig:critical-depth-appendix)

The small run is trained with several depths and widths; learning rate and weight decay are tuned for each, on
validation moduli (tables ``accuracy`` and ``chosen``). The claims compare fewer than three layers with more, and the
widths with each other.
"""

from itertools import product

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.summaries import each_seed
from unrandom.experiments.unseen_modulus.accuracy import (
    best_setting_accuracy,
    grid_map,
    last_number_rows,
    over_seeds,
    relative_spread,
    tuned,
)
from unrandom.experiments.unseen_modulus.phase_diagram import BEST, DEEP_LAYERS
from unrandom.experiments.unseen_modulus.presets import PAPERS_1024, optimizers, small_run, variant, with_seeds
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus

ENTRY = Entry(
    name="um-critical-depth",
    section="unseen modulus",
    place=4,
    about="depth against width, each grid point tuned on moduli of its own",
    minutes=74,
    figures={"fig:critical-depth-appendix": "accuracy by depth and width"},
)

DEPTHS = by_scale(smoke=(2, 3), laptop=(2, 4), paper=(2, 3, 4, 6, 8))
# (width, heads): at laptop scale every head is 32 wide, at paper scale 128
WIDTHS: dict[Scale, tuple[tuple[int, int], ...]] = by_scale(
    smoke=((8, 2), (16, 2)),
    laptop=((64, 2), (128, 4)),
    paper=((512, 4), (768, 6), (1024, 8), (1280, 10)),
)
AXES = ("depth", "width")
TUNED = ("rate", "weight decay")

CLAIMS = {
    "three-layers": Claim(
        statement="Fewer than three layers fail at every width, each tuned on validation moduli.",
        quantity="their accuracy on the last number, over that of deeper models, largest over widths",
        wanted=at_most(0.5, "ratio"),
    ),
    "width": Claim(
        statement="Width matters little.",
        quantity="accuracy on the last number, (largest − smallest) / largest over widths, the depth of each chosen on "
        "validation moduli",
        wanted=at_most(0.2, "ratio"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    usual = variant(small_run(scale), {}, data=PAPERS_1024 if scale == "paper" else {})
    combinations = product(WIDTHS[scale], DEPTHS[scale], optimizers(scale).items())
    variants = [
        variant(
            usual,
            {"depth": depth, "width": width, "rate": rate, "weight decay": decay},
            model={"depth": depth, "d_model": width, "n_heads": heads},
            optimizer=optimizer,
        )
        for (width, heads), depth, ((rate, decay), optimizer) in combinations
    ]
    return with_seeds(variants, seeds)


def measure(runs: list[Run], scale: Scale) -> Tables:
    accuracy = table(last_number_rows(runs, scale, with_validation=True))
    chosen = over_seeds(tuned(accuracy, AXES, TUNED), [*AXES, *TUNED])
    return {"accuracy": accuracy, "chosen": chosen.rename({"value": "accuracy"})}


def evidence(tables: Tables) -> Evidence:
    accuracy, is_deep = tables["accuracy"], pl.col("depth") >= DEEP_LAYERS
    shallow, deep = (tuned(accuracy.filter(those), ["width"], ["depth", *TUNED]) for those in (~is_deep, is_deep))
    both = deep.join(shallow, on=["width", "seed"], suffix=" of shallow").filter(pl.col("value") > 0)
    return {
        "three-layers": each_seed(both, (pl.col("value of shallow") / pl.col("value")).max()),
        "width": each_seed(deep, relative_spread()),
        BEST: best_setting_accuracy(tuned(accuracy, AXES, TUNED)),
    }


def draw(tables: Tables) -> Pictures:
    """Test accuracy of the settings that were chosen on the validation moduli."""
    found = tuned(tables["accuracy"], AXES, TUNED)
    yield Picture([grid_map("rate and weight decay tuned", AXES, found)])


EXPERIMENT = Experiment(
    ENTRY, CLAIMS, runs, measure, evidence, draw, task=UnseenModulus, compares=True, presupposes=BEST
)
