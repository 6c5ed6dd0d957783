"""Compares models with simple baselines and with the best possible predictor, the exact posterior.

Models of a fixed modulus and of unseen moduli, and baselines (copying, the look-back predictor, algebra, the exact
posterior over the parameters) predict the same test sequences. The tables are ``positions`` (accuracy by position),
``needed`` (context needed for 60, 90 and 99 %) and, for a fixed modulus, ``digits``. The claims compare the context
needed by the model and by the exact posterior, and the digits that the model knows with the look-back predictor's.
"""

import numpy as np
import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.fixed_modulus.accuracy import evaluated
from unrandom.experiments.fixed_modulus.presets import first_runs
from unrandom.experiments.summaries import best_modulus_accuracy, bound_if, predictor_lines, rows_of
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.figures.panels import accuracy_panel
from unrandom.predictors import LookbackPredictor
from unrandom.runs.comparison import CEILING, compare
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus, UnseenModulus, make_predictors
from unrandom.training.machine import choose_device

ENTRY = Entry(
    name="ceilings",
    place=10,
    about="the model against copying, look-back, algebra and the exact posterior",
    minutes=110,
)

SEQUENCES = by_scale(smoke=16, laptop=512)
MODEL = "transformer"  # the model's name among the predictors
KNOWN_DIGIT_ACCURACY = 0.9  # A digit counts as known if it is right in this share of the sequences.

FIXED = Precondition("last-number accuracy of the fixed-modulus runs", 0.9)
UNSEEN = Precondition("last-number accuracy of the unseen-modulus runs on the best modulus", 0.9)

CLAIMS = {
    "fixed-far": Claim(
        statement="For a fixed modulus, the model needs several times as many numbers as the exact posterior.",
        quantity="numbers for 99 %, model over exact posterior",
        wanted=at_least(3.0, "ratio"),
        precondition=FIXED,
    ),
    "unseen-far": Claim(
        statement="For unseen moduli, the model needs several times as many numbers as the exact posterior.",
        quantity="numbers for 60 %, model over exact posterior, mean over moduli",
        wanted=at_least(3.0, "ratio"),
        precondition=UNSEEN,
    ),
    "explained": Claim(
        statement="The model knows the digits that the look-back predictor is certain of.",
        quantity="share of digits and positions that the look-back predictor is certain of, at which the model "
        "knows them too",
        wanted=at_least(0.9, "share"),
        precondition=FIXED,
    ),
    "unexplained": Claim(
        statement="The model knows no digits of which the look-back predictor is not certain.",
        quantity="share of digits and positions that the look-back predictor is not certain of, at which the model "
        "knows them",
        wanted=at_most(0.1, "share"),
        precondition=FIXED,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Runs of a fixed modulus and of unseen moduli, which other experiments train, too."""
    settings = {  # the column ``regime`` has the name of the paper's setting
        FixedModulus.name: first_runs(scale, seeds),
        UnseenModulus.name: main_runs(scale, seeds),
    }
    return [run.labelled(regime=regime) for regime, every in settings.items() for run in every]


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: dict[str, Rows] = {"positions": [], "needed": [], "digits": []}
    for run in runs:
        data = run.config.data
        predictors = [run.predictor(choose_device()), *make_predictors(list(data.baselines()), data)]
        key_columns = {"run": run.id, "seed": run.config.seed, "regime": run.labels["regime"]}
        for compared in compare(run, predictors, part=None, sequences=SEQUENCES[scale]):
            for row in compared["predictors"]:
                of_predictor = {**key_columns, "modulus": compared["part"], "predictor": row["predictor"]}
                curve = pl.DataFrame(row["by_position"]).select("seen", "value")
                rows["positions"] += [{**of_predictor, **at} for at in curve.iter_rows(named=True)]
                rows["needed"] += [{**of_predictor, "threshold": key, **found} for key, found in row["needed"].items()]
        if run.labels["regime"] == FixedModulus.name:
            rows["digits"] += _digit_rows(run, SEQUENCES[scale])
    return {name: table(each) for name, each in rows.items()}


def _digit_rows(run: Run, sequences: int) -> Rows:
    """How often the model is right, and whether the look-back predictor is certain, for each digit and position."""
    tested = evaluated(run, sequences)
    lookback = LookbackPredictor(tested.basis)
    certain = np.array([lookback.digits_known(t) for t in range(tested.correct.shape[1])])
    key_columns, seen = {"run": run.id, "seed": run.config.seed, "modulus": tested.basis}, range(1, len(certain) + 1)
    return [
        row
        for (digit, tally), known in zip(tested.by_digit().items(), certain.T, strict=True)
        for row in rows_of({**key_columns, "digit": digit}, seen=seen, value=tally.value, certain=known)
    ]


def evidence(tables: Tables) -> Evidence:
    known = (
        tables["digits"]
        .group_by("run", "certain", maintain_order=True)
        .agg((pl.col("value") >= KNOWN_DIGIT_ACCURACY).mean())
    )
    return {
        "fixed-far": ratios(tables, FixedModulus.name, "99%"),
        "unseen-far": ratios(tables, UnseenModulus.name, "60%"),
        "explained": known.filter("certain")["value"].to_list(),
        "unexplained": known.filter(~pl.col("certain"))["value"].to_list(),
        FIXED: _best_modulus_accuracy(tables["positions"], FixedModulus.name),
        UNSEEN: _best_modulus_accuracy(tables["positions"], UnseenModulus.name),
    }


def _best_modulus_accuracy(positions: pl.DataFrame, regime: str) -> float | None:
    """The model's last-number accuracy on its best test modulus, mean over runs; None without runs."""
    of_model = positions.filter(regime=regime, predictor=MODEL)
    return None if of_model.is_empty() else best_modulus_accuracy(of_model)


def ratios(tables: Tables, regime: str, threshold: str) -> Finding:
    """By run, the context needed by the model over the exact posterior's, averaged over its test moduli.

    If the model never reaches the threshold, it needs more numbers than it was shown, and the ratio is a bound.
    """
    key_columns = ("run", "modulus")
    shown = tables["positions"].group_by(key_columns).agg(pl.col("seen").max().alias("shown"))
    needed = tables["needed"].filter(regime=regime, threshold=threshold)
    least = needed.filter(predictor=CEILING).select(*key_columns, least="numbers")
    model = needed.filter(predictor=MODEL)
    both = model.join(shown, on=key_columns, maintain_order="left").join(least, on=key_columns, maintain_order="left")
    ratio = pl.coalesce("numbers", pl.col("shown") + 1) / pl.col("least")
    limits = both.group_by("run", maintain_order=True).agg(ratio.mean().alias("ratio"))["ratio"].to_list()
    censored = model["numbers"].null_count()
    why = f"the model never reached {threshold} for {censored} of {len(model)} runs and moduli"
    return bound_if(censored, limits, why)


def draw(tables: Tables) -> Pictures:
    """Accuracy by position of every predictor: one panel per modulus; the model has one line per seed."""
    panels = []
    for (regime, modulus), positions in tables["positions"].group_by("regime", "modulus", maintain_order=True):
        title = f"{'fixed' if regime == FixedModulus.name else 'unseen'} modulus {modulus}"
        panels.append(accuracy_panel(title, predictor_lines(positions, MODEL)))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, compares=True, archived_seeds=1)
