"""How are saved tables read again? Frames by run, means by seed, the last position, curves and matrices of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from unrandom.figures.panels import Line
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables


def about(run: Run) -> dict[str, Any]:
    """The columns that every row of a run has: its id, its seed, and the labels of whoever asked for it."""
    return {"run": run.id, "seed": run.config.seed, **run.labels}


def by_run(frame: pl.DataFrame) -> list[pl.DataFrame]:
    """The rows of each run, in the order in which runs come."""
    return frame.partition_by("run", maintain_order=True)


def by_seed(frame: pl.DataFrame) -> list[pl.DataFrame]:
    """The rows of each seed, in the order of the seeds."""
    return frame.sort("seed", maintain_order=True).partition_by("seed", maintain_order=True)


def by_modulus(frame: pl.DataFrame) -> dict[int, pl.DataFrame]:
    """The rows of each modulus, the smallest modulus first."""
    groups = frame.sort("modulus", maintain_order=True).partition_by("modulus", maintain_order=True, as_dict=True)
    return {modulus: rows for (modulus,), rows in groups.items()}


def seed_means(frame: pl.DataFrame, value: str = "value") -> list[float]:
    """One mean for each seed, in the order of the seeds: moduli of one seed are not independent units."""
    return frame.group_by("seed").agg(pl.col(value).mean()).sort("seed")[value].to_list()


def each_seed(frame: pl.DataFrame, value: pl.Expr) -> list[float]:
    """What an aggregating expression gives for each seed, in the order of the seeds; where that is null, nothing."""
    found = frame.group_by("seed", maintain_order=True).agg(value.alias("found"))
    return found.sort("seed")["found"].drop_nulls().to_list()


def each_run(frame: pl.DataFrame, value: pl.Expr) -> list[float]:
    """What an aggregating expression gives for each run, the mean by seed; runs for which it is null are left out."""
    runs = frame.group_by("run", "seed", maintain_order=True).agg(value.alias("found"))
    return seed_means(runs.drop_nulls(), "found")


def moduli_of_every_seed(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of those moduli that every seed of the frame has."""
    seeds = frame["seed"].n_unique()
    return frame.filter(pl.col("seed").n_unique().over("modulus") == seeds)


def last_position(positions: pl.DataFrame) -> pl.DataFrame:
    """The row of the last position of each run and modulus."""
    return positions.filter(pl.col("seen") == pl.col("seen").max().over("run", "modulus"))


def best_modulus(positions: pl.DataFrame) -> float:
    """Accuracy on the last number of the best modulus of each run, the mean over runs."""
    return float(np.mean(last_position(positions).group_by("run").agg(pl.col("value").max())["value"].to_list()))


def learned(tables: Tables) -> float | None:
    """Accuracy on the last number of unseen sequences when training ended: mean over seeds, least over moduli.

    None where it is not known.
    """
    trained = tables["trained"]
    if trained.is_empty() or trained["accuracy"].null_count():
        return None
    return float(min(trained.group_by("modulus").agg(pl.col("accuracy").mean())["accuracy"].to_list()))


def seed_lines(frame: pl.DataFrame, x: str, y: str, label: str, kind: int, *, stairs: bool = False) -> Iterator[Line]:
    """One line for each run, all of one colour."""
    for curve in by_run(frame):
        yield Line(curve[x].to_list(), curve[y].to_list(), label, kind, stairs=stairs)


def matrix(frame: pl.DataFrame, rows: Sequence[str], columns: str, value: str) -> list[tuple[float, ...]]:
    """The only value of each cell, as a map shows it: rows in increasing order, columns as the frame first has them.

    A cell that the frame lacks, or where it has a null, is NaN.
    """
    wide = frame.pivot(columns, index=list(rows), values=value).sort(rows)
    return wide.drop(rows).cast(pl.Float64).fill_null(float("nan")).rows()
