"""What does the stricter split cost? Unseen moduli with the test's pairs held out, or with all of its values.

The paper keeps the test's (a, c) pairs out of training; ``data.hold_out=values`` keeps out each of its multipliers and
each of its increments, at every modulus, and so tests at most half of them. Both are judged on what both test; the rest
of a seed is the same.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, Unknown
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows, by_run
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.accuracy import SEQUENCES, about, counting_rows, curve_lines, tested_rows
from unrandom.experiments.unseen_modulus.grokking import TEST, metrics_rows
from unrandom.experiments.unseen_modulus.presets import hard_runs
from unrandom.figures.panels import LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import LCGSplit, UnseenModulus, lcg_split, lcg_task
from unrandom.tasks.lcg.split import HeldOut
from unrandom.training import RunConfig
from unrandom.training.machine import choose_device

KEY = "data.hold_out"
PAIRS, VALUES = "pairs", "values"
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
    return hard_runs(scale, seeds, [{KEY: PAIRS}, {KEY: VALUES}])


def measure(runs: list[Run], scale: Scale) -> RowTables:
    rules = {run.id: lcg_task(run.config.data).hold_out for run in runs}
    tested = [
        {**about(run), "reading": ROOTS, **row}
        for run in runs
        for row in tested_rows(run.predictor(choose_device()), tested_by_both(run.config), SEQUENCES[scale])
    ]
    counted = [{**row, "reading": COUNTING} for row in counting_rows(runs, scale)]
    tables = {"accuracy": tested + counted, "metrics": metrics_rows(runs)}
    return {name: [{"rule": rules[row["run"]], **row} for row in rows] for name, rows in tables.items()}


def tested_by_both(config: RunConfig) -> LCGSplit:
    """The split of a run, with as much to test as either rule tests."""
    one, other = (
        lcg_split(config.override([f"{KEY}={rule}"]).data.split(config.split_seed)) for rule in (PAIRS, VALUES)
    )
    both = (
        HeldOut(
            mine.modulus,
            mine.multipliers[np.isin(mine.multipliers, theirs.multipliers)],
            mine.increments[np.isin(mine.increments, theirs.increments)],
        )
        for mine, theirs in zip(one.held_out, other.held_out, strict=True)
    )
    return replace(one if lcg_task(config.data).hold_out == PAIRS else other, held_out=tuple(both))


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    gains = [_gains(tables["accuracy"], seed) for seed in _seeds(tables["accuracy"])]
    complete = [gain for gain in gains if gain]
    return Evidence(
        {
            "more": [float(np.mean(gain)) for gain in complete],
            "everywhere": [min(gain) for gain in complete],
            "sooner": _sooner(tables["metrics"]),
            "readings": _readings(tables["accuracy"]),
        }
    )


def _seeds(rows: Rows) -> list[int]:
    return sorted({row["seed"] for row in rows})


def _gains(rows: Rows, seed: int) -> list[float]:
    """Of one seed, the accuracy with pairs held out minus that with values, for each modulus that both have."""
    pairs, values = (
        {
            row["modulus"]: row["value"]
            for row in rows
            if (row["seed"], row["rule"], row["reading"]) == (seed, rule, ROOTS)
        }
        for rule in (PAIRS, VALUES)
    )
    return [value - values[modulus] for modulus, value in pairs.items() if modulus in values]


def _sooner(metrics: Rows) -> Finding:
    """For each seed, the steps to half of the last numbers with values held out over those with pairs."""
    last = max(row["step"] for row in metrics)
    half: dict[tuple[int, str], int | None] = {}  # the step at which half are right, for each seed and rule
    for rows in by_run(metrics).values():
        there = next((row["step"] for row in rows if row[TEST] >= HALF), None)
        half[rows[0]["seed"], rows[0]["rule"]] = there
    seeds = [seed for seed in _seeds(metrics) if {(seed, PAIRS), (seed, VALUES)} <= set(half)]
    limits = [(half[seed, VALUES] or last) / (half[seed, PAIRS] or last) for seed in seeds]
    late = {rule: sum(half[seed, rule] is None for seed in seeds) for rule in (PAIRS, VALUES)}
    if not any(late.values()):
        return limits
    why = ", ".join(
        f"{count} of {len(limits)} runs with {rule} held out never got there" for rule, count in late.items()
    )
    return Unknown(why) if all(late.values()) else Bound(limits, at_least=late[VALUES] > 0, why=why)


def _readings(rows: Rows) -> list[float]:
    """For each seed with pairs held out, the accuracy on primes with a = 1 minus that with primitive roots."""
    found = []
    for seed in _seeds(rows):
        own = [row for row in rows if (row["seed"], row["rule"]) == (seed, PAIRS)]
        counting = [row["value"] for row in own if row["reading"] == COUNTING]
        primes = {row["modulus"] for row in own if row["reading"] == COUNTING}
        roots = [row["value"] for row in own if row["reading"] == ROOTS and row["modulus"] in primes]
        if counting and roots:
            found.append(float(np.mean(counting) - np.mean(roots)))
    return found


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Accuracy by step for the mean and for each unseen modulus; a line a seed, a colour a rule."""
    save_panels(list(_panels(tables["metrics"])), folder / "um-hold-out", columns=3)


def _panels(metrics: Rows) -> Iterator[LinePanel]:
    moduli = [key for key in metrics[0] if key.startswith("unseen ")]
    for key, title in ((TEST, "mean over unseen moduli"), *((key, f"unseen m = {key.split()[1]}") for key in moduli)):
        lines = [
            line
            for kind, rule in enumerate((PAIRS, VALUES))
            for line in curve_lines([row for row in metrics if row["rule"] == rule], key, f"{rule} held out", kind)
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
    kept_seeds=3,
)
