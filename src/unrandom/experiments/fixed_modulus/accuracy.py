"""Accuracy of fixed-modulus models by position and by digit, as table rows for several experiments."""

from typing import Any

import numpy as np
import polars as pl

from unrandom.core.arithmetic import factorize
from unrandom.evaluation import Evaluation, evaluate
from unrandom.experiments.experiment import Rows, Run, by_scale
from unrandom.experiments.fixed_modulus.presets import labels
from unrandom.experiments.summaries import run_columns
from unrandom.tasks import lcg_task

SEQUENCES = by_scale(smoke=64, laptop=4096)

IS_POWER_OF_TWO = pl.col("modulus").bitwise_count_ones() == 1  # whether the row's modulus is a power of two
# number of distinct primes that divide the row's modulus
PRIME_COUNT = pl.col("modulus").map_elements(lambda m: len(factorize(m)), pl.Int64)


def columns(run: Run) -> dict[str, Any]:
    """The columns that identify a run in table rows. A user's run has no labels; its configuration gives them."""
    return run_columns(run) if run.labels else {**run_columns(run), **labels(run.config)}


def evaluated(run: Run, sequences: int) -> Evaluation:
    """Evaluate the run on unseen (a, c) of full period (for a prime: with primitive roots)."""
    (modulus,) = lcg_task(run.config.data).moduli
    return evaluate(run.predictor(), run.split().test(modulus, sequences))


def position_rows(run: Run, tested: Evaluation) -> Rows:
    """Number accuracy after t numbers, and the product of the digit accuracies there; one row per t."""
    curve, digits = tested.curve(), tested.by_digit()
    product = np.prod([tally.value for tally in digits.values()], axis=0)
    return [
        {**columns(run), **{key: curve[key][t] for key in curve}, "product": float(value)}
        for t, value in enumerate(product)
    ]


def digit_rows(run: Run, tested: Evaluation) -> Rows:
    """Accuracy of every digit after t numbers; one row per digit and t."""
    return [
        {**columns(run), "seen": t + 1, "digit": digit, "value": float(value)}
        for digit, tally in tested.by_digit().items()
        for t, value in enumerate(tally.value)
    ]
