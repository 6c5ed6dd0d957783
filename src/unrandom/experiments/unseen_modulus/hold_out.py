"""The cost of a stricter split, which holds out all of the test's values of a and c, and not only its pairs.

The paper keeps the test's (a, c) pairs out of training; ``data.hold_out=values`` keeps out each of its multipliers and
each of its increments, at every modulus, and so tests at most half of them. The hard run is trained with both rules and
the same seeds, and evaluated on the sequences that both rules test (table ``accuracy``, whose column ``reading`` names
the multipliers that primes are tested with) and during training (``metrics``).
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, Unknown, at_least
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale
from unrandom.experiments.summaries import each_seed, group_lines, run_columns
from unrandom.experiments.unseen_modulus.accuracy import SEQUENCES, counting_rows, tested_rows
from unrandom.experiments.unseen_modulus.grokking import TEST, curves, unseen_columns
from unrandom.experiments.unseen_modulus.presets import comparison, hard_run, variant, with_seeds
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import LCGSplit, lcg_split, lcg_task
from unrandom.tasks.lcg.split import HeldOut
from unrandom.training import RunConfig
from unrandom.training.machine import choose_device

ENTRY = Entry(
    name="um-hold-out",
    place=4,
    about="what it costs to hold out every value of the test, and not only its pairs",
    minutes=440,
)

PAIRS, VALUES = RULES = ("pairs", "values")
ROOTS, COUNTING = "as tested", "a = 1"  # multipliers of a prime: as the split tests it, or 1
HALF_ACCURACY = 0.5  # steps are counted up to this last-number accuracy

CLAIMS = {
    "more": Claim(
        statement="Holding out pairs, as the paper does, teaches more than holding out every value of the test.",
        quantity="accuracy on the last number at equal steps, pairs minus values, mean over unseen moduli",
        wanted=at_least(0.05, "difference of shares"),
    ),
    "everywhere": Claim(
        statement="With pairs held out, no unseen modulus is predicted worse than with values held out.",
        quantity="accuracy on the last number at equal steps, pairs minus values, the least over unseen moduli",
        wanted=at_least(0.0, "difference of shares"),
    ),
    "sooner": Claim(
        statement="With pairs held out, half of the last numbers are right sooner than with values held out.",
        quantity="steps to half of the last numbers, each on its own test, values over pairs",
        wanted=at_least(1.2, "ratio"),
    ),
    "readings": Claim(
        statement="Whether an unseen prime is easy depends on its multipliers: a = 1 only counts.",
        quantity="accuracy on the last number of primes with pairs held out, a = 1 minus primitive roots",
        wanted=at_least(0.3, "difference of shares"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The hard run with both rules."""
    return with_seeds([variant(hard_run(scale), {"rule": rule}, data={"hold_out": rule}) for rule in RULES], seeds)


def measure(runs: list[Run], scale: Scale) -> Tables:
    tested = [
        {**run_columns(run), "reading": ROOTS, **row}
        for run in runs
        for row in tested_rows(run.predictor(choose_device()), tested_by_both(run.config), SEQUENCES[scale], None)
    ]
    counted = [{**row, "reading": COUNTING} for row in counting_rows(runs, scale)]
    return {"accuracy": table(tested + counted), "metrics": curves(runs)}


def tested_by_both(config: RunConfig) -> LCGSplit:
    """The split of a run, with only the test values that both rules hold out."""
    by_pairs, by_values = (lcg_split(config.data.replace(hold_out=rule).split(config.split_seed)) for rule in RULES)
    both = (
        HeldOut(
            pairs.modulus,
            pairs.multipliers[np.isin(pairs.multipliers, values.multipliers)],
            pairs.increments[np.isin(pairs.increments, values.increments)],
        )
        for pairs, values in zip(by_pairs.held_out, by_values.held_out, strict=True)
    )
    return replace(by_pairs if lcg_task(config.data).hold_out == PAIRS else by_values, held_out=tuple(both))


def evidence(tables: Tables) -> Evidence:
    accuracy, gain = tables["accuracy"], pl.col(PAIRS) - pl.col(VALUES)
    by_rule = [pl.col("value").filter(pl.col("rule") == rule).first().alias(rule) for rule in RULES]
    tested = accuracy.filter(pl.col("reading") == ROOTS)
    both = tested.group_by("seed", "modulus", maintain_order=True).agg(by_rule).drop_nulls()
    return {
        "more": each_seed(both, gain.mean()),
        "everywhere": each_seed(both, gain.min()),
        "sooner": _sooner(tables["metrics"]),
        "readings": _counting_advantage(accuracy),
    }


def _sooner(metrics: pl.DataFrame) -> Finding:
    """By seed, the steps to half of the last numbers right, with values held out over with pairs held out."""
    last = metrics["step"].max()
    both = metrics.filter(pl.col("rule").n_unique().over("seed") == len(RULES))
    half_right = pl.col(TEST) >= HALF_ACCURACY
    steps = [pl.col("step").filter((pl.col("rule") == rule) & half_right).min().alias(rule) for rule in RULES]
    half = both.group_by("seed").agg(steps).sort("seed")
    limits = (half[VALUES].fill_null(last) / half[PAIRS].fill_null(last)).to_list()
    censored = {rule: half[rule].null_count() for rule in RULES}
    if not any(censored.values()):
        return limits
    why = ", ".join(
        f"{count} of {len(limits)} runs with {rule} held out never reached 50 %" for rule, count in censored.items()
    )
    return Unknown(why) if all(censored.values()) else Bound(limits, at_least=censored[VALUES] > 0, why=why)


def _counting_advantage(accuracy: pl.DataFrame) -> list[float]:
    """By seed, accuracy on primes with a = 1 minus with primitive roots, for pairs held out."""
    pairs_held_out = accuracy.filter(pl.col("rule") == PAIRS)
    primes = pairs_held_out.filter(pl.col("reading") == COUNTING)["modulus"].unique()
    counting, roots = (
        pl.col("value").filter(pl.col("reading") == multipliers).mean() for multipliers in (COUNTING, ROOTS)
    )
    return each_seed(pairs_held_out.filter(pl.col("modulus").is_in(primes.to_list())), counting - roots)


def draw(tables: Tables) -> Pictures:
    """Accuracy by step, on average and for each unseen modulus; one line per seed, one colour per rule."""
    yield Picture(list(_panels(tables["metrics"])))


def _panels(metrics: pl.DataFrame) -> Iterator[LinePanel]:
    titles = {TEST: "mean over unseen moduli"}
    titles |= {column: f"unseen m = {m}" for m, column in unseen_columns(metrics).items()}
    for column, title in titles.items():
        rules = {f"{rule} held out": metrics.filter(pl.col("rule") == rule) for rule in RULES}
        yield LinePanel(title, "training step", "last number right", group_lines(rules, "step", column))


EXPERIMENT = comparison(ENTRY, CLAIMS, runs, measure, evidence, draw)
