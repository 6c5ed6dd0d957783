"""Tests whether the accuracy by position depends on (a, c). (figapp:accuracy_vs_token_ac_m=2048)

The table ``pairs`` has the accuracy of one-layer models for single test pairs (a, c), each over many x0. The claim
bounds the range over pairs of the accuracy at a position.
"""

import numpy as np
import polars as pl

from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Evidence, LateClaim, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, Scale, by_scale
from unrandom.experiments.fixed_modulus.accuracy import columns
from unrandom.experiments.fixed_modulus.presets import first_runs
from unrandom.experiments.summaries import by_run, rows_of
from unrandom.figures.panels import Line, accuracy_panel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import Examples, FixedModulus, LCGParameters, lcg_split

ENTRY = Entry(
    name="fm-invariance",
    section="fixed modulus",
    place=3,
    about="whether the curve is the same for every (a, c)",
    minutes=6.2,
    figures={"figapp:accuracy_vs_token_ac_m=2048": "accuracy by position for single (a, c)"},
)

PAIRS = by_scale(smoke=4, laptop=24, overnight=8, paper=24)
STARTS_PER_PAIR = by_scale(smoke=16, laptop=256, overnight=2048)  # values of x0; from laptop scale on, all

CLAIMS = {
    "on-top": LateClaim(
        statement="The curves of single (a, c) lie on top of each other.",
        quantity="largest range over pairs of the accuracy at one position, each pair measured on every x0",
        wanted=at_most(0.05, "share"),
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    """Accuracy by position for single test pairs (a, c), over many x0."""
    rows: Rows = []
    for run in runs:
        (held,) = lcg_split(run.split()).held_out
        predictor = run.predictor()
        rng = stream(run.config.seed, "pairs")
        for pair in range(PAIRS[scale]):
            a, c = rng.choice(held.multipliers), rng.choice(held.increments)
            count = min(STARTS_PER_PAIR[scale], held.modulus)
            x0 = rng.permutation(held.modulus)[:count].astype(np.uint64)
            parameters = LCGParameters(held.modulus, np.full(count, a), np.full(count, c), x0)
            tested = evaluate(predictor, Examples.of(parameters, run.config.data.context + 1)).by_position
            key_columns = {**columns(run), "pair": pair, "a": int(a), "c": int(c)}
            seen = range(1, len(tested.total) + 1)
            rows += rows_of(key_columns, seen=seen, correct=tested.correct, total=tested.total)
    return {"pairs": table(rows)}


def _shares(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.with_columns(share=pl.col("correct") / pl.col("total"))


def evidence(tables: Tables) -> Evidence:
    spread = pl.col("share").max() - pl.col("share").min()
    by_position = _shares(tables["pairs"]).group_by("run", "seen", maintain_order=True).agg(spread.alias("spread"))
    ranges = by_position.group_by("run", maintain_order=True).agg(pl.col("spread").max())
    return {"on-top": ranges["spread"].to_list()}


def draw(tables: Tables) -> Pictures:
    """One panel per run, one line per pair."""
    panels = []
    for of_run in by_run(_shares(tables["pairs"])):
        lines = [
            Line(pair["seen"].to_list(), pair["share"].to_list(), "a pair (a, c)", 0, faint=True)
            for pair in of_run.partition_by("pair", maintain_order=True)
        ]
        title = f"m = {of_run['modulus'][0]}, seed {of_run['seed'][0]}"
        panels.append(accuracy_panel(title, lines))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, first_runs, measure, evidence, draw, task=FixedModulus, archived_seeds=1)
