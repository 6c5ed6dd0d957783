"""Evaluates a run's model and baseline predictors on the same test set."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from unrandom.core.errors import UserError, check_counts
from unrandom.core.files import JsonObject
from unrandom.evaluation import Evaluation, bits_known, context_needed, evaluate
from unrandom.evaluation.context_needed import THRESHOLDS
from unrandom.predictors import Predictor
from unrandom.runs.run import Run
from unrandom.runs.tables import table
from unrandom.tasks import Part

CEILING = "bayes"


def compare(run: Run, predictors: Sequence[Predictor], *, part: Part | None, sequences: int) -> list[JsonObject]:
    """For each part of the run's test (or the one given), one row per predictor, all on the same sequences.

    The context needed is the first position from which accuracy stays above a threshold, with an interval over units
    of the sequences, and its ratio to ``bayes``'s, if that is among the predictors. Raises UserError for a part
    that the run does not test, and for no sequences.
    """
    check_counts(sequences=sequences)
    split, task = run.split(), run.config.data
    if part is not None and part not in split.parts:
        one, several = task.part_name
        raise UserError(f"{part} is not a test {one}; this run's test {several}: {', '.join(map(str, split.parts))}")
    compared = []
    for each in split.parts if part is None else (part,):
        test = split.test(each, sequences)
        rows = [predictor_row(evaluate(predictor, test), predictor.assumes) for predictor in predictors]
        named = {"part": each, "name": task.part_text(each), "symbol": task.part_symbol(each)}
        compared.append(
            {**named, "basis": test.parameters.basis, "sequences": sequences, "predictors": with_ratios(rows)}
        )
    return compared


def predictor_row(tested: Evaluation, assumes: str) -> JsonObject:
    needed = {threshold: context_needed(tested, threshold) for threshold in THRESHOLDS}
    return {
        "predictor": tested.predictor,
        "assumes": assumes,
        "last_number_accuracy": tested.last_number_json(),
        "number_accuracy": float(np.round(tested.number_accuracy.value, 6)),
        "abstained": tested.abstained,
        "needed": {
            f"{threshold:.0%}": {"numbers": found.needed, "low": found.low, "high": found.high}
            for threshold, found in needed.items()
        },
        "by_position": tested.curve(),
        "bits_known": np.round(bits_known(tested), 4).tolist() if tested.digits else None,
    }


def with_ratios(rows: list[JsonObject]) -> list[JsonObject]:
    """The rows with the ratio of context needed to the ceiling's; None where either never reaches the threshold."""
    ceiling = next((row for row in rows if row["predictor"] == CEILING), None)
    for row in rows:
        for threshold, found in row["needed"].items():
            least = None if ceiling is None else ceiling["needed"][threshold]["numbers"]
            found["over_ceiling"] = round(found["numbers"] / least, 3) if least and found["numbers"] else None
    return rows


def accuracy_table(compared: Sequence[JsonObject]) -> pl.DataFrame:
    """The result of `compare` as a table: one row per part of the test, predictor and position.

    Columns: ``part``, ``predictor``, ``seen`` (numbers before the guess), ``accuracy``, and the ends ``low`` and
    ``high`` of its 95 % interval.
    """
    rows = ((entry["part"], row) for entry in compared for row in entry["predictors"])
    return table(
        {"part": part, "predictor": row["predictor"], "seen": seen, "accuracy": accuracy, "low": low, "high": high}
        for part, row in rows
        for seen, accuracy, low, high in zip(
            *(row["by_position"][name] for name in ("seen", "value", "low", "high")), strict=True
        )
    )
