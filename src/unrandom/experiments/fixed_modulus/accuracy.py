"""What do the fixed-modulus experiments measure in common? Accuracy by position and digit of each run, as rows."""

from typing import Any

import numpy as np
import polars as pl

from unrandom.core.arithmetic import factorize
from unrandom.evaluation import Evaluation, evaluate
from unrandom.experiments.experiment import Rows
from unrandom.experiments.fixed_modulus.presets import labels
from unrandom.experiments.scale import Scale
from unrandom.experiments.summaries import about
from unrandom.runs.run import Run
from unrandom.tasks import lcg_task

SEQUENCES: dict[Scale, int] = {"smoke": 64, "laptop": 4096, "gpu": 4096, "paper": 4096}

POWER_OF_TWO = pl.col("modulus").bitwise_count_ones() == 1  # whether the modulus of a row is one
PRIMES = pl.col("modulus").map_elements(lambda m: len(factorize(m)), pl.Int64)  # how many divide the modulus of a row


def columns(run: Run) -> dict[str, Any]:
    """The columns that every row of a run has; a run of the user's own has no labels but those of its configuration."""
    return about(run) if run.labels else {**about(run), **labels(run.config)}


def evaluated(run: Run, sequences: int) -> Evaluation:
    """The run on unseen (a, c), full period (or equal period, for a prime)."""
    (modulus,) = lcg_task(run.config.data).moduli
    return evaluate(run.predictor(), run.split().test(modulus, sequences))


def position_rows(run: Run, tested: Evaluation) -> Rows:
    """Number accuracy after t numbers, and the product of the digit accuracies there."""
    curve, digits = tested.curve(), tested.by_digit()
    product = np.prod([tally.value for tally in digits.values()], axis=0)
    return [
        {**columns(run), **{key: curve[key][t] for key in curve}, "product": float(value)}
        for t, value in enumerate(product)
    ]


def digit_rows(run: Run, tested: Evaluation) -> Rows:
    """The accuracy of every digit after t numbers."""
    return [
        {**columns(run), "seen": t + 1, "digit": digit, "value": float(value)}
        for digit, tally in tested.by_digit().items()
        for t, value in enumerate(tally.value)
    ]
