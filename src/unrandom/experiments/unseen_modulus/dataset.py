"""Varies the training set, which needs many moduli, but few multipliers and increments (fig:dataset-composition).

The numbers of moduli, multipliers and increments are varied one at a time, and beyond the paper the share of every
batch that has full period. The table ``accuracy`` has the last-number accuracy on unseen moduli, which claims compare.
"""

from typing import Any

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Precondition, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.summaries import each_seed
from unrandom.experiments.unseen_modulus.accuracy import (
    best_setting_accuracy,
    last_number_rows,
    mean_over_moduli,
    over_seeds,
    relative_spread,
)
from unrandom.experiments.unseen_modulus.presets import ARBITRARY_DATA, Settings, small_run, variant, with_seeds
from unrandom.figures.panels import Line, LinePanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus, lcg_task

ENTRY = Entry(
    name="um-dataset",
    section="unseen modulus",
    place=6,
    about="how many training moduli, multipliers and increments are needed, and which mix",
    minutes=78,
    figures={"fig:dataset-composition": "accuracy by composition of the training set"},
)

MIX = "full-period share"
# Each axis and its field in the data configuration. The value None stands for all that exist.
TITLES = {
    "n_m": "training moduli",
    "n_a": "multipliers of each",
    "n_c": "increments of each",
    MIX: "share of full period",
}
AXES = {"n_m": "n_m", "n_a": "n_a", "n_c": "n_c", MIX: "full_period_share"}
VALUES: dict[Scale, dict[str, tuple[Any, ...]]] = by_scale(
    smoke={"n_m": (8, 16), "n_a": (4, 8), "n_c": (4, 8), MIX: (0.0, 0.5)},
    laptop={"n_m": (8, 32), "n_a": (), "n_c": (), MIX: (0.0,)},  # Balanced rows draw from all multipliers.
    paper={"n_m": (64, 128, 256, 512, 1024), "n_a": (16, 64, 128, 256), "n_c": (16, 64, 128, 256), MIX: ()},
)
ALL = "all"

BEST = Precondition("last-number accuracy with the best training set", 0.5)

CLAIMS = {
    "moduli": Claim(
        statement="More training moduli help.",
        quantity="accuracy on unseen moduli gained from the fewest moduli to the most, over the larger of the two",
        wanted=at_least(0.2, "ratio"),
    ),
    "multipliers": Claim(
        statement="More multipliers for each modulus hardly help.",
        quantity="accuracy on unseen moduli, (largest − smallest) / largest over n_a",
        wanted=at_most(0.1, "ratio"),
    ),
    "increments": Claim(
        statement="More increments for each modulus hardly help.",
        quantity="accuracy on unseen moduli, (largest − smallest) / largest over n_c",
        wanted=at_most(0.1, "ratio"),
    ),
    "quarter": Claim(
        statement="m_test / 4 training moduli are enough.",
        quantity="accuracy on unseen moduli with the smallest n_m ≥ m_test / 4, over the best",
        wanted=at_least(0.9, "ratio"),
    ),
    "mix": Claim(
        statement="Drawing half of every batch or more from full-period parameters helps.",
        quantity="accuracy on unseen moduli gained, over the larger of the two",
        wanted=at_least(0.1, "ratio"),
        origin="beyond",
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Vary each axis by itself, from the small run, which belongs to every axis: its label ``axis`` is empty."""
    data = lcg_task(small_run(scale).config.data)
    settings = {axis: _text(getattr(data, field)) for axis, field in AXES.items()}
    labels = {"largest": max(data.moduli), "axis": "", **settings}
    usual = variant(small_run(scale), labels)
    variants = [
        variant(usual, {"axis": axis, axis: _text(value)}, data=_settings(axis, value))
        for axis, values in VALUES[scale].items()
        for value in values
    ]
    return with_seeds([usual, *variants], seeds)


def _settings(axis: str, value: Any) -> Settings:
    return ARBITRARY_DATA if (axis, value) == (MIX, 0.0) else {AXES[axis]: value}


def _text(value: Any) -> str:
    return ALL if value is None else str(value)


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"accuracy": table(last_number_rows(runs, scale))}


def _curve(accuracy: pl.DataFrame, axis: str) -> pl.DataFrame:
    """Accuracy by the value of one axis (as text and as a number) and seed, in order; it includes the unvaried run."""
    points = mean_over_moduli(accuracy.filter(pl.col("axis").is_in([axis, ""])), [axis])
    return points.with_columns(pl.col(axis).replace(ALL, "inf").cast(pl.Float64).alias("number")).sort("number", "seed")


def evidence(tables: Tables) -> Evidence:
    accuracy = tables["accuracy"]
    several = {axis: _curve(accuracy, axis).filter(pl.len().over("seed") > 1) for axis in AXES}
    return {
        "moduli": each_seed(several["n_m"], _gain()),
        "multipliers": each_seed(several["n_a"], relative_spread()),
        "increments": each_seed(several["n_c"], relative_spread()),
        "quarter": each_seed(several["n_m"], _relative_to_best(accuracy["largest"][0] / 4)),
        "mix": each_seed(several[MIX], _gain()),
        BEST: best_setting_accuracy(mean_over_moduli(accuracy, list(AXES))),
    }


def _gain() -> pl.Expr:
    """The gain from the first to the last value of a curve, over the larger of the two; 0 if both are 0."""
    first, last = pl.col("value").first(), pl.col("value").last()
    larger = pl.max_horizontal(first, last)
    return pl.when(larger > 0).then((last - first) / larger).otherwise(0.0)


def _relative_to_best(least: float) -> pl.Expr:
    """Accuracy with the smallest n_m ≥ ``least`` (else the largest n_m), over the best accuracy; 0 if that is 0."""
    value = pl.col("value")
    at = pl.coalesce(value.filter(pl.col("number") >= least).first(), value.last())
    return pl.when(value.max() > 0).then(at / value.max()).otherwise(0.0)


def draw(tables: Tables) -> Pictures:
    """One panel per axis with several values, evenly spaced: the mean over seeds, and every seed faint."""
    panels = []
    for axis in AXES:
        curve = _curve(tables["accuracy"], axis)
        if curve["number"].n_unique() == 1:
            continue
        means = over_seeds(curve, [axis])
        places = list(range(len(means)))
        lines = [Line(places, means["value"].to_list(), "mean over seeds", 0)]
        lines += [
            Line(places, points["value"].to_list(), "single seeds", 1, faint=True)
            for points in curve.partition_by("seed")
        ]
        panels.append(LinePanel(TITLES[axis], axis, "last number right", lines, names=means[axis].to_list()))
    yield Picture(panels)


EXPERIMENT = Experiment(
    ENTRY, CLAIMS, runs, measure, evidence, draw, task=UnseenModulus, compares=True, presupposes=BEST
)
