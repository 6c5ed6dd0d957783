"""Tests whether the range of good learning rates and weight decays shrinks as m grows. (fig:hparams-shrink-appendix)

A grid of both is trained for smaller and larger moduli (table ``accuracy``). Test moduli, the range of training moduli
and the context change with the size; the architecture and the number of steps do not.
"""

from itertools import product

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Precondition, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.summaries import each_seed, seed_means
from unrandom.experiments.unseen_modulus.accuracy import (
    best_setting_accuracy,
    grid_map,
    last_number_rows,
    mean_over_moduli,
    tuned,
)
from unrandom.experiments.unseen_modulus.presets import SIZES, Settings, optimizers, small_run, variant, with_seeds
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus, lcg_task

ENTRY = Entry(
    name="um-hyperparameters",
    section="unseen modulus",
    place=5,
    about="the area of good learning rates and weight decays, by size of modulus",
    minutes=230,
    figures={"fig:hparams-shrink-appendix": "accuracy by learning rate and weight decay"},
)

AXES = ("rate", "weight decay")
SIZE = "largest modulus"
CHANGES: dict[Scale, Settings] = by_scale(smoke={}, laptop={}, paper={"model": {"depth": 6}})
GOOD_SHARE = 0.8  # A setting is good if it has this share of the best setting's accuracy.

BEST = Precondition("last-number accuracy of the best setting, the least over sizes of modulus", 0.5)

CLAIMS = {
    "shrinks": Claim(
        statement=f"The area of good settings (at least {GOOD_SHARE:.0%} of the best accuracy) shrinks as m grows.",
        quantity="share of settings that are good, largest over smallest m",
        wanted=at_most(0.9, "ratio"),
    ),
    "chosen": Claim(
        statement="The setting chosen on validation moduli is about as good as the best on the test moduli.",
        quantity="accuracy on the last number, chosen over best, mean over sizes of modulus",
        wanted=at_least(0.95, "ratio"),
        origin="beyond",
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    variants = []
    for size, ((rate, decay), optimizer) in product(SIZES[scale], optimizers(scale, wide=True).items()):
        labels = {"rate": rate, "weight decay": decay}
        run = variant(small_run(scale), labels, data=size, optimizer=optimizer, **CHANGES[scale])
        data = lcg_task(run.config.data)
        variants.append(run.labelled(**{SIZE: max(data.moduli), "context": data.context}))
    return with_seeds(variants, seeds)


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"accuracy": table(last_number_rows(runs, scale, with_validation=True))}


def evidence(tables: Tables) -> Evidence:
    found, value = mean_over_moduli(tables["accuracy"], [SIZE, *AXES]), pl.col("value")
    best = found.group_by(SIZE, "seed").agg(
        value.max().alias("best"), (value >= GOOD_SHARE * value.max()).mean().alias("area")
    )
    smallest, largest = (best.filter(pl.col(SIZE) == size) for size in (best[SIZE].min(), best[SIZE].max()))
    areas = smallest.join(largest, on="seed", suffix=" of largest").filter(pl.lit(best[SIZE].n_unique() > 1))
    chosen = tuned(tables["accuracy"], [SIZE], AXES).join(best.filter(pl.col("best") > 0), on=[SIZE, "seed"])
    return {
        "shrinks": each_seed(areas, (pl.col("area of largest") / pl.col("area")).first()),
        "chosen": seed_means(chosen.with_columns(value / pl.col("best"))),
        BEST: min(best_setting_accuracy(of_size) or 0.0 for of_size in found.partition_by(SIZE)),
    }


def draw(tables: Tables) -> Pictures:
    """One heat map per size of modulus, mean over seeds."""
    found = mean_over_moduli(tables["accuracy"], [SIZE, *AXES]).sort(SIZE, maintain_order=True)
    sizes = found.group_by(SIZE, maintain_order=True)
    yield Picture([grid_map(f"m up to {size}", AXES, of_size) for (size,), of_size in sizes])


EXPERIMENT = Experiment(
    ENTRY, CLAIMS, runs, measure, evidence, draw, task=UnseenModulus, compares=True, presupposes=BEST
)
