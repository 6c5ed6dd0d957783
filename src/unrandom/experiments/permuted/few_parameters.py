"""Finds how few multipliers and increments suffice: models train on some of each, and are tested on others.

The follow-up trains on 1,024 multipliers and 1,024 increments of each modulus. ``few`` has the last-number accuracy on
unseen values by how many training had of each, for two sizes of the state. With all of them, training has twice as many
increments as ``multipliers``, or slightly more.
"""

from typing import Any

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.presets import SIZES, configured, permuted_experiment, permuted_task, with_seeds
from unrandom.experiments.summaries import each_seed, group_lines, named, tables_by_run
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables

ENTRY = Entry(
    name="pcg-few-parameters",
    place=17,
    about="how few multipliers and increments in training suffice",
    minutes=310,
)

COUNTS = by_scale(smoke=(2, None), laptop=(2, 4, 8, 16, 32, None))  # None: all that are not held out

CLAIMS = {
    "few-suffice": Claim(
        statement="Sixteen multipliers and increments are as good as all.",
        quantity="last-number accuracy on unseen values, with 16 of each over with all, mean over sizes",
        wanted=at_least(0.9, "ratio"),
    ),
    "two-do-not": Claim(
        statement="Two multipliers and increments are not enough.",
        quantity="last-number accuracy on unseen values, with 2 of each over with all, mean over sizes",
        wanted=at_most(0.5, "ratio"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """One model for each count and each of the two smallest sizes, with equal counts of multipliers and increments."""
    return [
        spec
        for size in SIZES[scale][:2]
        for count in COUNTS[scale]
        for spec in with_seeds(
            f"pcg-{size.state_bits}",
            configured(scale, size, n_a=count, n_c=count),
            seeds,
            state_bits=size.state_bits,
            count=count,
        )
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: {"few": [_measured(run)]})


def _measured(run: Run) -> dict[str, Any]:
    task = permuted_task(run)
    every = 2 ** (task.state_bits - 2) - task.n_test_a  # the multipliers that are not held out
    used = every if task.n_a is None else task.n_a
    accuracy = run.folder.read_metrics()[-1]["last_number_accuracy"]
    return {"multipliers": used, "all": task.n_a is None, "share": used / every, "accuracy": accuracy}


def evidence(tables: Tables) -> Evidence:
    few = tables["few"]
    whole = few.filter("all").select("state_bits", "seed", pl.col("accuracy").alias("whole"))
    beside = few.join(whole, on=["state_bits", "seed"], maintain_order="left")
    ratio = (pl.col("accuracy") / pl.col("whole")).mean()
    return {key: each_seed(beside.filter(count=n), ratio) for key, n in {"few-suffice": 16, "two-do-not": 2}.items()}


def draw(tables: Tables) -> Pictures:
    """Accuracy by the number of multipliers and increments in training, for each size."""
    few = tables["few"].with_columns(run=pl.format("{} {}", "state_bits", "seed")).sort("state_bits", "multipliers")
    lines = group_lines(named(few, "state_bits", "{} bits of state"), "multipliers", "accuracy")
    ticks, x = sorted(set(few["multipliers"])), "multipliers in training, and increments"
    yield Picture([LinePanel("unseen values", x, "last number right", lines, ticks)])


EXPERIMENT = permuted_experiment(ENTRY, CLAIMS, runs, measure, evidence, draw)
