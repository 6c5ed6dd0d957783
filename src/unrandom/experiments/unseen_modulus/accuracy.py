"""What do the unseen-modulus grids measure in common? The last number of unseen moduli, a row a run and modulus."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from unrandom.evaluation import evaluate
from unrandom.experiments.experiment import Rows
from unrandom.experiments.scale import Scale
from unrandom.experiments.summaries import about, matrix
from unrandom.figures.panels import MapPanel
from unrandom.predictors import Predictor
from unrandom.runs.run import Run
from unrandom.tasks import Split, lcg_split
from unrandom.training.machine import choose_device

SEQUENCES: dict[Scale, int] = {"smoke": 24, "laptop": 1024, "gpu": 2048, "paper": 4096}  # of each modulus


def last_number_rows(runs: Sequence[Run], scale: Scale, *, choosing: bool = False) -> Rows:
    """Last-number accuracy on each test modulus; with ``choosing``, also on the moduli that settings are chosen by."""
    rows: Rows = []
    for run in runs:
        split = run.split()
        parts = (
            dict(zip(("validation", "test"), split.validation_and_test(), strict=True)) if choosing else {"test": split}
        )
        predictor = run.predictor(choose_device())
        for name, part in parts.items():
            rows += [{**about(run), "split": name, **row} for row in tested_rows(predictor, part, SEQUENCES[scale])]
    return rows


def counting_rows(runs: Sequence[Run], scale: Scale) -> Rows:
    """Last-number accuracy on the unseen primes with a = 1, where they are otherwise tested by primitive roots."""
    return [
        {**about(run), "split": "test", **row}
        for run in runs
        for row in tested_rows(run.predictor(choose_device()), lcg_split(run.split()).counting(), SEQUENCES[scale])
    ]


def tested_rows(predictor: Predictor, split: Split, sequences: int) -> Iterator[dict[str, Any]]:
    """Last-number accuracy on what a split tests, a row for each modulus."""
    for modulus in split.parts:
        found = evaluate(predictor, split.test(modulus, sequences)).last_number_json()
        yield {"modulus": modulus, **{key: found[key] for key in ("value", "low", "high")}}


def cells(accuracy: pl.DataFrame, keys: Sequence[str], split: str = "test") -> pl.DataFrame:
    """The mean over moduli of each setting and seed, in the order of the rows: columns ``keys``, seed and value."""
    own = accuracy.filter(pl.col("split") == split)
    return own.group_by(*keys, "seed", maintain_order=True).agg(pl.col("value").mean())


def over_seeds(found: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The mean over seeds of each setting: columns ``keys`` and value."""
    return found.group_by(*keys, maintain_order=True).agg(pl.col("value").mean())


def best_cell(found: pl.DataFrame) -> float | None:
    """The accuracy of the best setting of each seed, the mean over seeds: whether anything was learned."""
    best = found.group_by("seed", maintain_order=True).agg(pl.col("value").max())["value"].to_list()
    return float(np.mean(best)) if best else None


def relative_spread() -> pl.Expr:
    """(largest − smallest) / largest of the values of a group, from 0 to 1; 0 where all are 0."""
    largest, smallest = pl.col("value").max(), pl.col("value").min()
    return pl.when(largest > 0).then((largest - smallest) / largest).otherwise(0.0)


def tuned(accuracy: pl.DataFrame, keys: Sequence[str], over: Sequence[str]) -> pl.DataFrame:
    """For each setting of ``keys``, the one of ``over`` that is best on the validation moduli: its test accuracy.

    The choice is by the mean over seeds, and the first of equals. Columns ``keys``, ``over``, seed and value.
    """
    both = [*keys, *over]
    validation = over_seeds(cells(accuracy, both, "validation"), both)
    best = validation.filter(pl.col("value") == pl.col("value").max().over(*keys))
    chosen = best.unique(keys, keep="first", maintain_order=True).select(both)
    return chosen.join(cells(accuracy, both), on=both, maintain_order="left_right")


def cell_map(title: str, names: tuple[str, str], found: pl.DataFrame) -> MapPanel:
    """Mean accuracy over seeds with the values written in; the first setting up, the second across."""
    rows, columns = ([str(value) for value in found[name].unique().sort()] for name in names)
    values = matrix(over_seeds(found, names).sort(names[1]), names[:1], names[1], "value")
    return MapPanel(title, names[1], names[0], values, columns, rows, "last number right", written=True)
