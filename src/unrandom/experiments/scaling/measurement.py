"""What do the scaling experiments measure in common? Accuracy by position, and the numbers needed for a threshold."""

from typing import Any

import numpy as np
import polars as pl

from unrandom.evaluation import Evaluation, PowerLaw, context_needed, evaluate, power_law
from unrandom.evaluation.context_needed import THRESHOLDS
from unrandom.experiments.experiment import Rows
from unrandom.experiments.scale import Scale
from unrandom.experiments.summaries import by_modulus
from unrandom.generators.spectral import figure_of_merit
from unrandom.runs.run import Run
from unrandom.tasks import Split
from unrandom.training.machine import choose_device

SEQUENCES: dict[Scale, int] = {"smoke": 32, "laptop": 2048, "gpu": 4096, "paper": 4096}

ALMOST = 0.99  # Claims compare the numbers that are needed for this accuracy.
LEARNED_SHARE = 0.9  # A modulus counts as learned from this accuracy on the last number on.


def tested(run: Run, split: Split, modulus: int, sequences: int) -> Evaluation:
    """The run on the parameters that a split holds out for a modulus."""
    return evaluate(run.predictor(choose_device()), split.test(modulus, sequences))


def position_rows(which: dict[str, Any], evaluation: Evaluation) -> Rows:
    """Number accuracy after t numbers."""
    return [{**which, "seen": t + 1, "value": float(value)} for t, value in enumerate(evaluation.by_position.value)]


def context_rows(which: dict[str, Any], evaluation: Evaluation) -> Rows:
    """Numbers needed for each threshold, with the interval over (a, c)."""
    rows = []
    for threshold in THRESHOLDS:
        found = context_needed(evaluation, threshold)
        interval = {"needed": found.needed, "low": found.low, "high": found.high}
        rows.append({**which, "threshold": threshold, **interval, "longest": evaluation.correct.shape[1]})
    return rows


def multiplier_rows(which: dict[str, Any], evaluation: Evaluation) -> Rows:
    """Accuracy over all positions of each multiplier, and how good it is by the spectral test."""
    multipliers, rows = np.unique(evaluation.parameters.labels["a"], return_inverse=True)
    accuracy = np.bincount(rows, weights=evaluation.correct.mean(axis=1)) / np.bincount(rows)
    return [
        {**which, "multiplier": int(a), "merit": figure_of_merit(int(a), evaluation.basis), "accuracy": float(value)}
        for a, value in zip(multipliers, accuracy, strict=True)
    ]


def needed_for(context: pl.DataFrame, threshold: float) -> pl.DataFrame:
    """The rows of a threshold, with infinity where a seed never got there."""
    return context.filter(threshold=threshold).with_columns(pl.col("needed").cast(pl.Float64).fill_null(np.inf))


def reached(needed: pl.DataFrame) -> pl.DataFrame:
    """The moduli that every row is finite for. One that some seeds did not reach would look easier without them."""
    return needed.filter(pl.col("needed").is_finite().all().over("modulus"))


def law_of(needed: pl.DataFrame) -> PowerLaw | None:
    """The power law over the moduli that every row got to; None where they are too few."""
    return power_law({m: rows["needed"].to_list() for m, rows in by_modulus(reached(needed)).items()})


def points(needed: pl.DataFrame) -> pl.DataFrame:
    """Moduli and numbers of the seeds that got there, for a picture."""
    return needed.filter(pl.col("needed").is_finite()).sort("modulus", maintain_order=True)


def law_columns(law: PowerLaw | None) -> dict[str, float | int | None]:
    """A power law as columns; null where too few moduli got there."""
    if law is None:
        return {"exponent": None, "low": None, "high": None, "factor": None, "moduli": 0}
    found = law.exponent
    return {
        "exponent": found.value,
        "low": found.low,
        "high": found.high,
        "factor": law.factor,
        "moduli": found.units,
    }
