"""Tests whether long-period training sequences are needed, and enough. (fig:train-interp-appendix)

The small run is trained on all periods, on short periods alone, and on long periods alone (table ``metrics``; its
column ``data`` names the periods). Rows of full period are long: short periods belong to arbitrary (a, c), from
which the paper draws all its rows. The claims compare the accuracy on unseen moduli, and the steps that it takes, on
all test sequences, a part of which a look-back of one distance predicts.
"""

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Precondition, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale
from unrandom.experiments.summaries import column_lines, mean_or_none
from unrandom.experiments.unseen_modulus.grokking import LONG_NOT_COUNTING, SHORT, TEST, curves, step_ratios
from unrandom.experiments.unseen_modulus.presets import ARBITRARY_DATA, comparison, small_run, variant, with_seeds
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables

ENTRY = Entry(
    name="um-period-ablation",
    section="unseen modulus",
    place=2,
    about="short periods teach copying, long ones the rule",
    minutes=58,
    figures={"fig:train-interp-appendix": "training on short or long periods alone"},
)

ALL, ONLY_SHORT, ONLY_LONG = "all periods", "short periods", "long periods"

ALL_LEARNED = Precondition("best last-number accuracy with all periods", 0.5)

CLAIMS = {
    "short": Claim(
        statement="Trained on short periods alone, a model does not generalise.",
        quantity="best accuracy on the last number of unseen moduli, over that with all periods",
        wanted=at_most(0.25, "ratio"),
    ),
    "long": Claim(
        statement="Trained on long periods alone, a model generalises.",
        quantity="best accuracy on the last number of unseen moduli, over that with all periods",
        wanted=at_least(0.9, "ratio"),
    ),
    "no-plateau": Claim(
        statement="On long periods alone the plateau before generalisation is gone.",
        quantity="steps to half the final accuracy on unseen moduli, over those with all periods",
        wanted=at_most(0.9, "ratio"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    usual = small_run(scale)
    context = usual.config.data.context
    arms = {ALL: {}, ONLY_SHORT: {**ARBITRARY_DATA, "max_period": context}, ONLY_LONG: {"min_period": context + 1}}
    return with_seeds([variant(usual, {"data": periods}, data=settings) for periods, settings in arms.items()], seeds)


def measure(runs: list[Run], _scale: Scale) -> Tables:
    return {"metrics": curves(runs)}


def evidence(tables: Tables) -> Evidence:
    metrics, arms = tables["metrics"], (ALL, ONLY_SHORT, ONLY_LONG)
    best = metrics.group_by("seed", maintain_order=True).agg(
        pl.col(TEST).filter(pl.col("data") == arm).max().alias(arm) for arm in arms
    )
    complete = best.filter(pl.col(ALL) > 0).drop_nulls().sort("seed")
    curve = metrics.partition_by("data", "seed", as_dict=True)
    pairs = [(curve[ONLY_LONG, seed], curve[ALL, seed]) for seed in complete["seed"]]
    return {
        "short": (complete[ONLY_SHORT] / complete[ALL]).to_list(),
        "long": (complete[ONLY_LONG] / complete[ALL]).to_list(),
        "no-plateau": step_ratios(pairs, (TEST, TEST), 1 / 2),
        ALL_LEARNED: mean_or_none(best[ALL].drop_nulls()),
    }


def draw(tables: Tables) -> Pictures:
    """One panel per training set: training sequences by period, and unseen moduli; one line per seed."""
    groups = {SHORT: "training, short", LONG_NOT_COUNTING: "training, long, a ≠ 1", TEST: "unseen"}
    panels = []
    for periods in (ALL, ONLY_SHORT, ONLY_LONG):
        of_arm = tables["metrics"].filter(pl.col("data") == periods)
        lines = column_lines(of_arm, "step", groups)
        panels.append(LinePanel(f"trained on {periods}", "training step", "last number right", lines))
    yield Picture(panels)


EXPERIMENT = comparison(ENTRY, CLAIMS, runs, measure, evidence, draw, presupposes=ALL_LEARNED)
