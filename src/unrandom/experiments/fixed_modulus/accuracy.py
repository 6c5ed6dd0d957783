"""What do the fixed-modulus experiments measure in common? Accuracy by position and digit of each run, as rows."""

from typing import Any

import numpy as np

from unrandom.evaluation import Evaluation, evaluate
from unrandom.experiments.experiment import Rows
from unrandom.experiments.scale import Scale
from unrandom.runs.run import Run
from unrandom.tasks import lcg_task

SEQUENCES: dict[Scale, int] = {"smoke": 64, "laptop": 4096, "gpu": 4096, "paper": 4096}


def about(run: Run) -> dict[str, Any]:
    """The columns that every row of a run has."""
    config = run.config
    data = lcg_task(config.data)
    return {
        "run": run.id,
        "modulus": data.largest_modulus,
        "seed": config.seed,
        "recipe": f"{data.mode} data, {config.optimizer.name}",
    }


def evaluated(run: Run, sequences: int) -> Evaluation:
    """The run on unseen (a, c), full period (or equal period, for a prime)."""
    (modulus,) = lcg_task(run.config.data).moduli
    return evaluate(run.predictor(), run.split().test(modulus, sequences))


def position_rows(run: Run, tested: Evaluation) -> Rows:
    """Number accuracy after t numbers, and the product of the digit accuracies there."""
    curve, digits = tested.curve(), tested.by_digit()
    product = np.prod([tally.value for tally in digits.values()], axis=0)
    return [
        {**about(run), **{key: curve[key][t] for key in curve}, "product": float(value)}
        for t, value in enumerate(product)
    ]


def digit_rows(run: Run, tested: Evaluation) -> Rows:
    """The accuracy of every digit after t numbers."""
    return [
        {**about(run), "seen": t + 1, "digit": digit, "value": float(value)}
        for digit, tally in tested.by_digit().items()
        for t, value in enumerate(tally.value)
    ]
