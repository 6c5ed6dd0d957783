"""Last-number accuracy on unseen moduli, one row per run and modulus, and means over them.

Shared by the experiments that train a grid of settings. Their tests leave out the sequences that the best look-back of
one distance predicts (`generators.stride`): these need none of the paper's algorithm.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from unrandom.evaluation import Evaluation, evaluate
from unrandom.experiments.experiment import Rows, Run, Scale, by_scale
from unrandom.experiments.summaries import heat_map, mean_or_none, run_columns
from unrandom.figures.panels import MapPanel
from unrandom.predictors import Predictor
from unrandom.tasks import LCGParameters, Split, lcg_split, lcg_task
from unrandom.training.machine import choose_device

SEQUENCES = by_scale(smoke=24, laptop=1024, paper=4096)  # per modulus


def last_number_rows(runs: Sequence[Run], scale: Scale, *, with_validation: bool = False, hard: bool = True) -> Rows:
    """Last-number accuracy on each test modulus, and if asked for on each validation modulus.

    If ``hard``, on the sequences that the best stride over all of them does not predict; a modulus without any is left
    out. At smoke scale, which has too few moduli, on all.
    """
    rows: Rows = []
    for run in runs:
        split = run.split()
        parts = (
            dict(zip(("validation", "test"), split.validation_and_test(), strict=True))
            if with_validation
            else {"test": split}
        )
        predictor, data = run.predictor(choose_device()), lcg_task(run.config.data)
        stride = data.best_stride if hard and scale != "smoke" else None
        for name, part in parts.items():
            rows += [
                {**run_columns(run), "split": name, **row}
                for row in tested_rows(predictor, part, SEQUENCES[scale], stride)
            ]
    return rows


def counting_rows(runs: Sequence[Run], scale: Scale) -> Rows:
    """Last-number accuracy on the unseen primes with a = 1; ``last_number_rows`` tests them with primitive roots."""
    return [
        {**run_columns(run), "split": "test", **row}
        for run in runs
        for row in tested_rows(
            run.predictor(choose_device()), lcg_split(run.split()).counting(), SEQUENCES[scale], None
        )
    ]


def tested_rows(predictor: Predictor, split: Split, sequences: int, stride: int | None) -> Iterator[dict[str, Any]]:
    """Last-number accuracy on what a split tests, one row per modulus; without what a ``stride`` predicts, if given."""
    for modulus in split.parts:
        tested = evaluate(predictor, split.test(modulus, sequences))
        if stride is not None:
            parameters = tested.parameters
            assert isinstance(parameters, LCGParameters), "an LCG's rows"
            tested = tested.only(stride**2 % parameters.lookbacks() > 0)
        if len(tested.correct):
            yield {"modulus": modulus, **last_number_columns(tested)}


def last_number_columns(tested: Evaluation) -> dict[str, Any]:
    """The accuracy on the last number, and the ends of its interval."""
    found = tested.last_number_json()
    return {key: found[key] for key in ("value", "low", "high")}


def mean_over_moduli(accuracy: pl.DataFrame, keys: Sequence[str], split: str = "test") -> pl.DataFrame:
    """The mean over moduli for each setting and seed, in order of appearance: columns ``keys``, seed and value."""
    of_split = accuracy.filter(pl.col("split") == split)
    return of_split.group_by(*keys, "seed", maintain_order=True).agg(pl.col("value").mean())


def over_seeds(found: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The mean over seeds for each setting: columns ``keys`` and value."""
    return found.group_by(*keys, maintain_order=True).agg(pl.col("value").mean())


def best_setting_accuracy(found: pl.DataFrame) -> float | None:
    """Accuracy of each seed's best setting, averaged over seeds: whether anything was learned. None without rows."""
    return mean_or_none(found.group_by("seed", maintain_order=True).agg(pl.col("value").max())["value"])


def relative_spread() -> pl.Expr:
    """(largest − smallest) / largest of the values of a group, from 0 to 1; 0 if all are 0."""
    largest, smallest = pl.col("value").max(), pl.col("value").min()
    return pl.when(largest > 0).then((largest - smallest) / largest).otherwise(0.0)


def tuned(accuracy: pl.DataFrame, keys: Sequence[str], over: Sequence[str]) -> pl.DataFrame:
    """For each setting of ``keys``, choose the setting of ``over`` on the validation moduli; return its test accuracy.

    The choice is the best mean over seeds, or the first of equals. Columns ``keys``, ``over``, seed and value.
    """
    both = [*keys, *over]
    validation = over_seeds(mean_over_moduli(accuracy, both, "validation"), both)
    best = validation.filter(pl.col("value") == pl.col("value").max().over(*keys))
    chosen = best.unique(keys, keep="first", maintain_order=True).select(both)
    return chosen.join(mean_over_moduli(accuracy, both), on=both, maintain_order="left_right")


def grid_map(title: str, names: tuple[str, str], found: pl.DataFrame) -> MapPanel:
    """Heat map of mean accuracy over seeds, with the values written in; rows are the first setting of ``names``."""
    return heat_map(title, over_seeds(found, names), names, "value", "last number right")
