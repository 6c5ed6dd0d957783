"""Tests whether a prime modulus is harder than a power of two. (fig:prime_modulus; appendix on prime moduli)

A prime has only one digit, which repeats no earlier than the sequence, so nothing can be copied before that. Two-layer
models of a prime and of a power of two are compared after equal training. The tables are ``positions`` (accuracy by
position), ``metrics`` (by training step) and ``rules`` (which multipliers each test has).
"""

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Precondition, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale
from unrandom.experiments.fixed_modulus.accuracy import SEQUENCES, columns, evaluated, position_rows
from unrandom.experiments.fixed_modulus.presets import prime_runs
from unrandom.experiments.summaries import group_lines, last_position, mean_or_none, named
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus, lcg_task

ENTRY = Entry(
    name="fm-primes",
    section="fixed modulus",
    place=8,
    about="a prime modulus against a power of two at equal steps",
    minutes=23,
    figures={"fig:prime_modulus": "a prime fixed modulus beside a power of two"},
)

METRICS = {"step": "step", "test": "last_number_accuracy", "training": "train_long_period_accuracy"}
POWER = Precondition("accuracy on the power of two", 0.9)

CLAIMS = {
    "power": Claim(
        statement="Two layers learn the power of two.",
        quantity="accuracy on the last number for unseen (a, c) of full period",
        wanted=at_least(0.95, "share"),
        precondition=None,
        origin="beyond",
    ),
    "prime": Claim(
        statement="The same model does not learn the prime in the same steps.",
        quantity="accuracy on the last number for unseen multipliers that are primitive roots (period m − 1)",
        wanted=at_most(0.5, "share"),
        precondition=POWER,
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    positions = [row for run in runs for row in position_rows(run, evaluated(run, SEQUENCES[scale]))]
    metrics = [
        {**columns(run), **{name: row[key] for name, key in METRICS.items()}}
        for run in runs
        for row in run.folder.read_metrics()
    ]
    rules = [{**columns(run), "test_multipliers": lcg_task(run.config.data).test_multipliers} for run in runs]
    return {"positions": table(positions), "metrics": table(metrics), "rules": table(rules)}


def evidence(tables: Tables) -> Evidence:
    rules = tables["rules"].select("run", "test_multipliers")
    last = last_position(tables["positions"]).join(rules, on="run", maintain_order="left")
    roots = pl.col("test_multipliers") == "primitive-root"
    power, prime = (last.filter(kind)["value"].to_list() for kind in (~roots, roots))
    return {"power": power, "prime": prime, POWER: mean_or_none(power)}


def draw(tables: Tables) -> Pictures:
    """Test and long-period training accuracy by step, as in the paper; one line per seed."""
    moduli = named(tables["metrics"], "modulus", "m = {}")
    panels = []
    for key, title in {"test": "unseen (a, c)", "training": "long-period training sequences"}.items():
        lines = group_lines(moduli, "step", key)
        panels.append(LinePanel(f"last number, {title}", "training step", "accuracy (share right)", lines))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, prime_runs, measure, evidence, draw, task=FixedModulus)
