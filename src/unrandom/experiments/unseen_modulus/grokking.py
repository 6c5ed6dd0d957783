"""Unseen moduli are learned with the long-period training sequences, after the short ones (fig:training b).

The table ``metrics`` has what the main runs saved in training, and the runs that they start from. The claims compare
the steps at which groups of sequences reach half of their final accuracy, in training from random weights; whether they
are judged rests on the accuracy of all these runs.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from unrandom.evaluation.intervals import over_step_ratios
from unrandom.experiments.claims import Claim, Evidence, Finding, LateClaim, Unknown, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale
from unrandom.experiments.summaries import by_run, column_lines, run_columns
from unrandom.experiments.unseen_modulus.presets import main_experiment, main_runs
from unrandom.figures.panels import LinePanel
from unrandom.runs.spec import with_ancestors
from unrandom.runs.tables import Tables, table

ENTRY = Entry(
    name="um-grokking",
    section="unseen modulus",
    place=1,
    about="unseen moduli are learned with the long-period training sequences",
    minutes=200,
    figures={"fig:training": "accuracy by training step, fixed and unseen modulus"},
)

TEST, SHORT = "last_number_accuracy", "train_short_period_accuracy"
# Both are the accuracy on long periods; LONG_NOT_COUNTING leaves out a = 1, where the sequence merely counts.
LONG, LONG_NOT_COUNTING = "train_long_period_accuracy", "train_rule_accuracy"
UNSEEN = "unseen "  # prefix of a modulus in the name of the column with its accuracy
MIN_FINAL_ACCURACY = 0.1  # A group with a lower accuracy at the end of training was not learned.

CLAIMS = {
    "solved": Claim(
        statement="Numbers modulo unseen m are predicted.",
        quantity="accuracy on the last number at the end of training, mean over unseen moduli",
        wanted=at_least(0.9, "share"),
        precondition=None,
    ),
    "short-first": Claim(
        statement="Short-period training sequences are half learned before long-period ones.",
        quantity="steps to half the final accuracy: long periods (without a = 1, mere counting) over short ones",
        wanted=at_least(1.2, "ratio"),
    ),
    "short-begin": LateClaim(
        statement="Short-period training sequences begin to be learned before long-period ones.",
        quantity="steps to a quarter of the final accuracy: long periods (without a = 1, mere counting) over short "
        "ones",
        wanted=at_least(1.2, "ratio"),
    ),
    "together": Claim(
        statement="Unseen moduli are learned with the long-period training sequences.",
        quantity="steps to half the final accuracy: unseen moduli over long periods (without a = 1, mere counting)",
        wanted=at_most(1.25, "ratio"),
    ),
}


def curves(runs: Sequence[Run]) -> pl.DataFrame:
    """The metrics saved in training, one row per evaluated step, with one accuracy column per unseen modulus."""
    return table(
        {
            **run_columns(run),
            **{key: row.get(key) for key in ("step", TEST, SHORT, LONG, LONG_NOT_COUNTING, "train_loss", "test_loss")},
            **{f"{UNSEEN}{m}": tested["last_number_accuracy"] for m, tested in row["test_moduli"].items()},
        }
        for run in runs
        for row in run.folder.read_metrics()
    )


def unseen_columns(metrics: pl.DataFrame) -> dict[str, str]:
    """Map unseen moduli (as text) to the columns with their accuracies."""
    return {column.removeprefix(UNSEEN): column for column in metrics.columns if column.startswith(UNSEEN)}


def step_ratios(curves: Iterable[tuple[pl.DataFrame, pl.DataFrame]], keys: tuple[str, str], share: float) -> Finding:
    """Steps to ``share`` of the final accuracy, the first curve's over the second's, for each pair.

    ``keys`` are the columns of both. A step is the first evaluated one, and the finding an interval that covers the
    steps between. Unknown if a group of some pair was not learned.
    """
    steps, grid = [], 0.0
    for pair in curves:
        steps.append([_step_to(curve, key, share) for curve, key in zip(pair, keys, strict=True)])
        grid = max(grid, *(max(np.diff(curve["step"].to_numpy()), default=0) for curve in pair))
    missing = sum(None in pair for pair in steps)
    if missing:
        return Unknown(f"in {missing} of {len(steps)} runs a group was not learned, or not measured apart from a = 1")
    known = [(first, second) for first, second in steps if first is not None and second is not None]
    return over_step_ratios(known, float(grid)) if known else []


def _step_to(curve: pl.DataFrame, key: str, share: float) -> float | None:
    """The first evaluated step with ``share`` of the final accuracy; None if the group was not learned."""
    accuracy = curve[key].cast(pl.Float64).fill_null(0.0)
    if accuracy[-1] < MIN_FINAL_ACCURACY:
        return None
    return float(curve["step"].filter(accuracy >= accuracy[-1] * share)[0])


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The main runs, and before them the runs that they start from."""
    return with_ancestors(main_runs(scale, seeds))


def measure(runs: list[Run], _scale: Scale) -> Tables:
    """The metrics, with the steps that the weights were trained ``before`` the run."""
    before = {run.id: sum(each.config.steps for each in run.ancestors()) for run in runs}
    return {"metrics": curves(runs).with_columns(before=pl.col("run").replace_strict(before))}


def evidence(tables: Tables) -> Evidence:
    metrics, before = tables["metrics"], pl.col("before")
    curves = [(curve, curve) for curve in by_run(metrics.filter(before == 0))]
    last = by_run(metrics.filter(before == before.max().over("seed")))
    return {
        "solved": [curve[TEST][-1] for curve in last],
        "short-first": step_ratios(curves, (LONG_NOT_COUNTING, SHORT), 1 / 2),
        "short-begin": step_ratios(curves, (LONG_NOT_COUNTING, SHORT), 1 / 4),
        "together": step_ratios(curves, (TEST, LONG_NOT_COUNTING), 1 / 2),
    }


def draw(tables: Tables) -> Pictures:
    """Left: the three groups of the paper; right: each unseen modulus. One line per run."""
    metrics = tables["metrics"].with_columns(pl.col("step") + pl.col("before"))
    groups = {SHORT: "training, short period", LONG: "training, long period, a = 1 too", TEST: "unseen moduli"}
    if metrics[LONG_NOT_COUNTING].count():  # older metrics do not separate a = 1 from the rest
        groups = {SHORT: groups[SHORT], LONG_NOT_COUNTING: "training, long period, a ≠ 1", TEST: groups[TEST]}
    moduli = {column: f"m = {m}" for m, column in unseen_columns(metrics).items()}
    yield Picture(
        [
            LinePanel(title, "training step", "accuracy (share right)", column_lines(metrics, "step", labels))
            for title, labels in (("last number", groups), ("last number by unseen modulus", moduli))
        ]
    )


EXPERIMENT = main_experiment(ENTRY, CLAIMS, runs=runs, measure=measure, evidence=evidence, draw=draw, archived_seeds=0)
