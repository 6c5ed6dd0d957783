"""Compares look-backs that training moduli have with others that only unseen moduli need.

The look-back that a multiplier needs is a property of it, not of attention. The differences of a full-period sequence
repeat after r = m / gcd(m, a − 1) steps, so that x[t] is x[t−r] plus a constant shift. Which r a multiplier needs
depends on the modulus: 125 has 5 and 25, 128 the powers of two up to 32. Of the moduli up to 153, the largest training
modulus of um-128, only these two have 25 or 32, and they are held out. The hard runs are tested on sequences of all
(a, c) of full period, as no training sequence has an unseen modulus (table ``lookbacks``).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Evidence, LateClaim, Precondition, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale, by_scale
from unrandom.experiments.summaries import by_run, mean_or_none, run_columns
from unrandom.experiments.unseen_modulus.accuracy import last_number_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import sequences_by_lookback
from unrandom.experiments.unseen_modulus.lookback import NEEDED
from unrandom.experiments.unseen_modulus.presets import hard_runs
from unrandom.figures.panels import Line, LinePanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus, lcg_split, lcg_task
from unrandom.training.machine import choose_device

ENTRY = Entry(
    name="um-needed-lookback",
    place=5,
    about="which multipliers of an unseen modulus are predicted, by the look-back that they need",
    minutes=220,
)

# Number of test sequences per look-back and modulus.
SEQUENCES = by_scale(smoke=16, laptop=512)

TRAINED = Precondition("accuracy on the last number of training moduli at the look-backs that they have", 0.9)

CLAIMS = {
    "taught": LateClaim(
        statement="At look-backs that some training modulus has, unseen moduli are predicted.",
        quantity="accuracy on the last number, mean over unseen moduli and such look-backs",
        wanted=at_least(0.9, "share"),
        precondition=TRAINED,
    ),
    "missing": LateClaim(
        statement="At look-backs that no training modulus has, unseen moduli are predicted worse.",
        quantity="accuracy on the last number of unseen moduli, at look-backs that training has less that at others",
        wanted=at_least(0.2, "difference of shares"),
        precondition=TRAINED,
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"lookbacks": table(row for run in runs for row in _rows(run, SEQUENCES[scale]))}


def _rows(run: Run, sequences: int) -> Iterator[dict[str, Any]]:
    """Accuracy by look-back, up to half of the context: for each unseen modulus, and for training moduli together."""
    split, data = lcg_split(run.split()), lcg_task(run.config.data)
    predictor, rng = run.predictor(choose_device()), stream(run.config.seed, "look-backs")
    lookbacks, length = range(1, data.context // 2 + 1), data.context + 1
    training = sequences_by_lookback(rng, split.train_moduli, lookbacks, sequences, length)
    groups = {m: sequences_by_lookback(rng, [m], lookbacks, sequences, length) for m in data.moduli} | {0: training}
    for m, by_lookback in groups.items():
        for r, drawn in by_lookback.items():
            # Modulus 0 stands for the training moduli; ``taught``: some training modulus has this look-back.
            key_columns = {"modulus": m, "look-back": r, "taught": r in training}
            yield {**run_columns(run), **key_columns, **last_number_columns(evaluate(predictor, drawn))}


def evidence(tables: Tables) -> Evidence:
    """By seed, without the multiplier 1 (look-back 1): its sequences only count."""
    rows = tables["lookbacks"].filter(pl.col("look-back") > 1)
    found: dict[str, list[float]] = {"taught": [], "missing": []}
    for of_run in by_run(rows.filter(pl.col("modulus") > 0)):
        taught, missing = (of_run["value"].filter(those).to_list() for those in (of_run["taught"], ~of_run["taught"]))
        if taught:
            found["taught"].append(float(np.mean(taught)))
        if taught and missing:
            found["missing"].append(float(np.mean(taught) - np.mean(missing)))
    training = rows.filter(pl.col("modulus") == 0)["value"].to_list()
    return {**found, TRAINED: mean_or_none(training)}


def draw(tables: Tables) -> Pictures:
    """Accuracy by look-back: one panel for the training moduli, one per unseen modulus; one line per seed."""
    rows = tables["lookbacks"]
    moduli = rows.filter(pl.col("look-back") > 1)["modulus"].unique().sort()
    panels, ticks = [], (1, 2, 4, 8, 16, 32)
    for m in moduli:
        title, lines = f"unseen m = {m}" if m else "training moduli", list(_lines(rows.filter(modulus=m)))
        panels.append(LinePanel(title, NEEDED, "last number right", lines, ticks=ticks))
    yield Picture(panels)


def _lines(rows: pl.DataFrame) -> Iterator[Line]:
    """One line per seed, and crosses where no training modulus has the look-back."""
    for of_run in by_run(rows):
        yield Line(of_run["look-back"].to_list(), of_run["value"].to_list(), "one line per seed", 0)
        missing = of_run.filter(~pl.col("taught"))
        if len(missing):
            x, y = missing["look-back"].to_list(), missing["value"].to_list()
            yield Line(x, y, "no training modulus has it", 1, crosses=True)


EXPERIMENT = Experiment(ENTRY, CLAIMS, hard_runs, measure, evidence, draw, task=UnseenModulus, archived_seeds=3)
