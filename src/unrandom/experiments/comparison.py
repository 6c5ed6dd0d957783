"""How far is a run from what is possible? Its model beside other predictors, on one test set."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unrandom.core.errors import UserError
from unrandom.evaluation import Evaluation, bits_known, elements_needed, evaluate
from unrandom.evaluation.elements import THRESHOLDS
from unrandom.experiments.runs import Run
from unrandom.predictors import Predictor
from unrandom.tasks import SequenceSet

CEILING = "bayes"

Tree = dict[str, Any]


def compare(run: Run, predictors: Sequence[Predictor], *, modulus: int | None, sequences: int) -> list[Tree]:
    """For each test modulus of the run (or the one given), a row a predictor, all on the same sequences.

    Numbers needed are those from which accuracy stays above a threshold, with the interval over multipliers and
    increments, and over those that ``bayes`` needs, if it is among them. UserError for a modulus that the run does not
    test.
    """
    split, data = run.split(), run.config.data
    if modulus is not None and modulus not in data.test_moduli:
        raise UserError(f"{modulus} is no test modulus of this run; those are {', '.join(map(str, data.test_moduli))}")
    compared = []
    for m in data.test_moduli if modulus is None else (modulus,):
        test = SequenceSet.of(split.test_parameters(m, sequences), data.context + 1)
        rows = [predictor_row(evaluate(predictor, test), predictor.assumes) for predictor in predictors]
        compared.append({"modulus": m, "sequences": sequences, "predictors": with_ratios(rows)})
    return compared


def predictor_row(tested: Evaluation, assumes: str) -> Tree:
    """One predictor on one test set, as JSON values."""
    needed = {threshold: elements_needed(tested, threshold) for threshold in THRESHOLDS}
    return {
        "predictor": tested.predictor,
        "assumes": assumes,
        "last_number_accuracy": tested.last_number_tree(),
        "number_accuracy": float(np.round(tested.number_accuracy.value, 6)),
        "abstained": tested.abstained,
        "needed": {
            f"{threshold:.0%}": {"numbers": found.needed, "low": found.low, "high": found.high}
            for threshold, found in needed.items()
        },
        "by_position": tested.curve(),
        "bits_known": np.round(bits_known(tested), 4).tolist(),
    }


def with_ratios(rows: list[Tree]) -> list[Tree]:
    """The rows with numbers needed over those of the ceiling; null where either never gets there."""
    ceiling = next((row for row in rows if row["predictor"] == CEILING), None)
    for row in rows:
        for threshold, found in row["needed"].items():
            least = None if ceiling is None else ceiling["needed"][threshold]["numbers"]
            found["over_ceiling"] = round(found["numbers"] / least, 3) if least and found["numbers"] else None
    return rows
