"""Measures scaling: accuracy by position, and context needed for accuracy thresholds, as table rows.

A threshold is *reached* if accuracy stays above it from some position on. A modulus is *learned* from a last-number
accuracy of LEARNED_SHARE on; a run is *successful* from ``seeds.SUCCESS_ACCURACY`` on.
"""

from typing import Any

import numpy as np
import polars as pl

from unrandom.evaluation import Evaluation, PowerLaw, context_needed, evaluate, power_law
from unrandom.evaluation.context_needed import THRESHOLDS
from unrandom.experiments.experiment import Rows, Run, by_scale
from unrandom.experiments.summaries import by_modulus, rows_of
from unrandom.generators.spectral import figure_of_merit
from unrandom.tasks import Examples, Split, lcg_task
from unrandom.training.machine import choose_device

SEQUENCES = by_scale(smoke=32, laptop=2048, paper=4096)

CONTEXT_THRESHOLD = 0.99  # Claims compare the context needed for this accuracy.
LEARNED_SHARE = 0.9  # from this last-number accuracy on, a modulus counts as learned


def modulus_of(run: Run) -> int:
    """The modulus of a run of a fixed one."""
    (modulus,) = lcg_task(run.config.data).moduli
    return modulus


def test_examples(run: Run, sequences: int, name: str) -> Examples:
    """Sequences of the run's modulus with the parameters that its split holds out, drawn by ``name``."""
    return run.split().test(modulus_of(run), sequences, name=name)


def evaluated_run(run: Run, split: Split, modulus: int, sequences: int) -> Evaluation:
    """Evaluate the run on sequences with the parameters that a split holds out for a modulus."""
    return evaluate(run.predictor(choose_device()), split.test(modulus, sequences))


def position_rows(key_columns: dict[str, Any], evaluation: Evaluation) -> Rows:
    """Number accuracy after t numbers, one row per t."""
    value = evaluation.by_position.value
    return rows_of(key_columns, seen=range(1, len(value) + 1), value=value)


def context_rows(key_columns: dict[str, Any], evaluation: Evaluation) -> Rows:
    """Context needed for each threshold, with the interval over (a, c); null if the run never reaches it."""
    rows = []
    for threshold in THRESHOLDS:
        found = context_needed(evaluation, threshold)
        interval = {"needed": found.needed, "low": found.low, "high": found.high}
        rows.append({**key_columns, "threshold": threshold, **interval, "longest": evaluation.correct.shape[1]})
    return rows


def multiplier_rows(key_columns: dict[str, Any], evaluation: Evaluation) -> Rows:
    """Accuracy over all positions of each multiplier, and its figure of merit in the spectral test."""
    multipliers, rows = np.unique(evaluation.parameters.labels["a"], return_inverse=True)
    accuracy = np.bincount(rows, weights=evaluation.correct.mean(axis=1)) / np.bincount(rows)
    merit = [figure_of_merit(a, evaluation.basis) for a in multipliers.tolist()]
    return rows_of(key_columns, multiplier=multipliers, merit=merit, accuracy=accuracy)


def needed_for(context: pl.DataFrame, threshold: float) -> pl.DataFrame:
    """Keep the rows of a threshold; the context needed is infinite where a seed never reached it."""
    return context.filter(threshold=threshold).with_columns(pl.col("needed").cast(pl.Float64).fill_null(np.inf))


def moduli_reached_by_all(needed: pl.DataFrame) -> pl.DataFrame:
    """Keep the moduli that every seed reached. Without the seeds that did not, a modulus would look easier."""
    return needed.filter(pl.col("needed").is_finite().all().over("modulus"))


def fit_power_law(needed: pl.DataFrame) -> PowerLaw | None:
    """Fit a power law over the moduli that every seed reached; None if they are too few."""
    return power_law({m: rows["needed"].to_list() for m, rows in by_modulus(moduli_reached_by_all(needed)).items()})


def seeds_that_reached(needed: pl.DataFrame) -> pl.DataFrame:
    """Keep the seeds that reached the threshold (``needed`` is neither null nor infinite), sorted by modulus."""
    return needed.filter(pl.col("needed").cast(pl.Float64).is_finite()).sort("modulus", maintain_order=True)


def law_columns(law: PowerLaw | None) -> dict[str, float | int | None]:
    """Return a power law as table columns; null, with ``moduli`` 0, if too few moduli were reached."""
    if law is None:
        return {"exponent": None, "low": None, "high": None, "factor": None, "moduli": 0}
    found = law.exponent
    return {"exponent": found.value, "low": found.low, "high": found.high, "factor": law.factor, "moduli": found.units}
