"""What does the stricter split cost? Unseen moduli with the test's pairs held out, or with all of its values.

The paper keeps the test's (a, c) pairs out of training; ``data.hold_out=values`` keeps out each of its multipliers and
each of its increments, at every modulus, and so tests at most half of them. Both are judged on what both test; the rest
of a seed is the same.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, Unknown
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.scale import Scale
from unrandom.experiments.summaries import about, each_seed, seed_lines
from unrandom.experiments.unseen_modulus.accuracy import SEQUENCES, counting_rows, tested_rows
from unrandom.experiments.unseen_modulus.grokking import TEST, curves, unseen_columns
from unrandom.experiments.unseen_modulus.presets import hard_run, variant, with_seeds
from unrandom.figures.panels import LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables, table
from unrandom.tasks import LCGSplit, UnseenModulus, lcg_split, lcg_task
from unrandom.tasks.lcg.split import HeldOut
from unrandom.training import RunConfig
from unrandom.training.machine import choose_device

PAIRS, VALUES = RULES = ("pairs", "values")
ROOTS, COUNTING = "as tested", "a = 1"  # the readings of a prime
HALF = 0.5  # of last numbers right: what the steps are counted to

CLAIMS = (
    Claim(
        key="more",
        statement="Holding out pairs, as the paper does, teaches more than holding out every value of the test.",
        quantity="accuracy on the last number at equal steps, pairs minus values, mean over unseen moduli",
        unit="difference of shares",
        threshold=0.05,
        precondition=None,
        origin="beyond",
    ),
    Claim(
        key="everywhere",
        statement="No unseen modulus is the worse for it.",
        quantity="accuracy on the last number at equal steps, pairs minus values, the least over unseen moduli",
        unit="difference of shares",
        threshold=0.0,
        precondition=None,
        origin="beyond",
    ),
    Claim(
        key="sooner",
        statement="Half of the last numbers are right sooner.",
        quantity="steps to half of the last numbers, each on its own test, values over pairs",
        unit="ratio",
        threshold=1.2,
        precondition=None,
        origin="beyond",
    ),
    Claim(
        key="readings",
        statement="Whether an unseen prime is easy depends on its multipliers: a = 1 only counts.",
        quantity="accuracy on the last number of primes with pairs held out, a = 1 minus primitive roots",
        unit="difference of shares",
        threshold=0.3,
        precondition=None,
        origin="beyond",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """By both rules."""
    return with_seeds([variant(hard_run(scale), {"rule": rule}, data={"hold_out": rule}) for rule in RULES], seeds)


def measure(runs: list[Run], scale: Scale) -> Tables:
    tested = [
        {**about(run), "reading": ROOTS, **row}
        for run in runs
        for row in tested_rows(run.predictor(choose_device()), tested_by_both(run.config), SEQUENCES[scale])
    ]
    counted = [{**row, "reading": COUNTING} for row in counting_rows(runs, scale)]
    return {"accuracy": table(tested + counted), "metrics": curves(runs)}


def tested_by_both(config: RunConfig) -> LCGSplit:
    """The split of a run, with as much to test as either rule tests."""
    one, other = (lcg_split(config.data.replace(hold_out=rule).split(config.split_seed)) for rule in RULES)
    both = (
        HeldOut(
            mine.modulus,
            mine.multipliers[np.isin(mine.multipliers, theirs.multipliers)],
            mine.increments[np.isin(mine.increments, theirs.increments)],
        )
        for mine, theirs in zip(one.held_out, other.held_out, strict=True)
    )
    return replace(one if lcg_task(config.data).hold_out == PAIRS else other, held_out=tuple(both))


def evidence(tables: Tables) -> Evidence:
    accuracy, gain = tables["accuracy"], pl.col(PAIRS) - pl.col(VALUES)
    by_rule = [pl.col("value").filter(pl.col("rule") == rule).first().alias(rule) for rule in RULES]
    tested = accuracy.filter(pl.col("reading") == ROOTS)
    both = tested.group_by("seed", "modulus", maintain_order=True).agg(by_rule).drop_nulls()
    return Evidence(
        {
            "more": each_seed(both, gain.mean()),
            "everywhere": each_seed(both, gain.min()),
            "sooner": _sooner(tables["metrics"]),
            "readings": _readings(accuracy),
        }
    )


def _sooner(metrics: pl.DataFrame) -> Finding:
    """For each seed, the steps to half of the last numbers with values held out over those with pairs."""
    last = metrics["step"].max()
    both = metrics.filter(pl.col("rule").n_unique().over("seed") == len(RULES))
    half_right = pl.col(TEST) >= HALF
    steps = [pl.col("step").filter((pl.col("rule") == rule) & half_right).min().alias(rule) for rule in RULES]
    half = both.group_by("seed").agg(steps).sort("seed")
    limits = (half[VALUES].fill_null(last) / half[PAIRS].fill_null(last)).to_list()
    late = {rule: half[rule].null_count() for rule in RULES}
    if not any(late.values()):
        return limits
    why = ", ".join(
        f"{count} of {len(limits)} runs with {rule} held out never got there" for rule, count in late.items()
    )
    return Unknown(why) if all(late.values()) else Bound(limits, at_least=late[VALUES] > 0, why=why)


def _readings(accuracy: pl.DataFrame) -> list[float]:
    """For each seed with pairs held out, the accuracy on primes with a = 1 minus that with primitive roots."""
    own = accuracy.filter(pl.col("rule") == PAIRS)
    primes = own.filter(pl.col("reading") == COUNTING)["modulus"].unique()
    counting, roots = (pl.col("value").filter(pl.col("reading") == reading).mean() for reading in (COUNTING, ROOTS))
    return each_seed(own.filter(pl.col("modulus").is_in(primes.to_list())), counting - roots)


def draw(tables: Tables, folder: Path) -> None:
    """Accuracy by step for the mean and for each unseen modulus; a line a seed, a colour a rule."""
    save_panels(list(_panels(tables["metrics"])), folder / "um-hold-out", columns=3)


def _panels(metrics: pl.DataFrame) -> Iterator[LinePanel]:
    titles = {TEST: "mean over unseen moduli"}
    titles |= {column: f"unseen m = {m}" for m, column in unseen_columns(metrics).items()}
    for column, title in titles.items():
        lines = [
            line
            for kind, rule in enumerate(RULES)
            for line in seed_lines(metrics.filter(pl.col("rule") == rule), "step", column, f"{rule} held out", kind)
        ]
        yield LinePanel(title, "training step", "last number right", lines)


EXPERIMENT = Experiment(
    name="um-hold-out",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
    archived_seeds=3,
)
