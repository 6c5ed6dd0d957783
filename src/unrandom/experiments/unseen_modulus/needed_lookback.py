"""Which look-backs can a model use on unseen moduli? Those that training moduli have are compared with the others.

The look-back that a multiplier needs is a property of it, not of attention. The differences of a full-period sequence
repeat after r = m / gcd(m, a − 1) steps, so that x[t] is x[t−r] plus a constant shift. Which r a multiplier needs
depends on the modulus: 125 has 5 and 25, 128 the powers of two up to 32. Of the moduli up to 153, the largest training
modulus of um-128, only these two have 25 or 32, and they are held out. The hard runs are tested on sequences of all
(a, c) of full period, as no training sequence has an unseen modulus (table ``lookbacks``).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import UInt64

from unrandom.core.seeds import stream
from unrandom.experiments.claims import Claim, Evidence, Precondition, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale, by_scale
from unrandom.experiments.summaries import by_run, mean_or_none, run_columns
from unrandom.experiments.unseen_modulus.presets import hard_runs
from unrandom.figures.panels import Line, LinePanel
from unrandom.generators.full_period import draw_units, full_period_multipliers, lookback
from unrandom.runs.tables import Tables, table
from unrandom.tasks import LCGParameters, UnseenModulus, lcg_split, lcg_task
from unrandom.training.machine import choose_device

ENTRY = Entry(
    name="um-needed-lookback",
    about="which multipliers of an unseen modulus are predicted, by the look-back that they need",
)

# Number of test sequences per look-back and modulus.
SEQUENCES = by_scale(smoke=16, laptop=512)

TRAINED = Precondition("accuracy on the last number of training moduli at the look-backs that they have", 0.9)

CLAIMS = {
    "taught": Claim(
        statement="At look-backs that some training modulus has, unseen moduli are predicted.",
        quantity="accuracy on the last number, mean over unseen moduli and such look-backs",
        wanted=at_least(0.9, "share"),
        precondition=TRAINED,
        written="after",
    ),
    "missing": Claim(
        statement="At look-backs that no training modulus has, unseen moduli are predicted worse.",
        quantity="accuracy on the last number of unseen moduli, at look-backs that training has less that at others",
        wanted=at_least(0.2, "difference of shares"),
        precondition=TRAINED,
        written="after",
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"lookbacks": table(row for run in runs for row in _rows(run, SEQUENCES[scale]))}


def _rows(run: Run, sequences: int) -> Iterator[dict[str, Any]]:
    """Accuracy by look-back, up to half of the context: for each unseen modulus, and for training moduli together."""
    split, data = lcg_split(run.split()), lcg_task(run.config.data)
    multipliers = {m: _by_lookback(m) for m in (*data.moduli, *split.train_moduli)}
    predictor = run.predictor(choose_device())
    rng = stream(run.config.seed, "look-backs")
    for r in range(1, data.context // 2 + 1):
        training = [m for m in split.train_moduli if r in multipliers[m]]
        groups = {m: [m] for m in data.moduli if r in multipliers[m]} | ({0: training} if training else {})
        for m, moduli in groups.items():
            drawn = _draw(rng, {each: multipliers[each][r] for each in moduli}, sequences)
            numbers = drawn.numbers(data.context + 1)
            right = predictor.predict(numbers).numbers[:, -1] == numbers[:, -1]
            # Modulus 0 stands for the training moduli; ``taught``: some training modulus has this look-back.
            key_columns = {"modulus": m, "look-back": r, "taught": bool(training)}
            yield {**run_columns(run), **key_columns, "value": float(right.mean())}


def _by_lookback(m: int) -> dict[int, UInt64[np.ndarray, " multipliers"]]:
    """The full-period multipliers of m, by the look-back that they need."""
    found: dict[int, list[int]] = {}
    for a in full_period_multipliers(m):
        found.setdefault(lookback(m, a), []).append(a)
    return {r: np.array(each, dtype=np.uint64) for r, each in found.items()}


def _draw(
    rng: np.random.Generator, multipliers: Mapping[int, UInt64[np.ndarray, " multipliers"]], rows: int
) -> LCGParameters:
    """Full-period sequences with a uniformly drawn modulus, one of its multipliers, c and x0."""
    m = rng.choice(np.array(list(multipliers), dtype=np.uint64), rows)
    a = np.array([rng.choice(multipliers[int(each)]) for each in m], dtype=np.uint64)
    return LCGParameters(m, a, draw_units(rng, m), rng.integers(0, m, dtype=np.uint64))


def evidence(tables: Tables) -> Evidence:
    """By seed. The multiplier 1 (look-back 1) is left out, as its sequences only count."""
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
    panels = [
        LinePanel(
            f"unseen m = {m}" if m else "training moduli",
            "look-back that the multiplier needs",
            "last number right",
            list(_lines(rows.filter(pl.col("modulus") == m))),
            ticks=(1, 2, 4, 8, 16, 32),
        )
        for m in moduli
    ]
    yield Picture(panels, columns=3)


def _lines(rows: pl.DataFrame) -> Iterator[Line]:
    """One line per seed, and crosses where no training modulus has the look-back."""
    for of_run in by_run(rows):
        yield Line(of_run["look-back"].to_list(), of_run["value"].to_list(), "", 0)
        missing = of_run.filter(~pl.col("taught"))
        if len(missing):
            x, y = missing["look-back"].to_list(), missing["value"].to_list()
            yield Line(x, y, "no training modulus has it", 1, crosses=True)


EXPERIMENT = Experiment(ENTRY, CLAIMS, hard_runs, measure, evidence, draw, task=UnseenModulus, archived_seeds=3)
