"""Summarises saved tables: groups by run, seed or modulus, averages, and makes lines and maps.

The column ``seen`` of tables by position is the number of numbers that the model has seen, from 1.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from unrandom.experiments.claims import BEYOND_SHORTCUT, LEARNED, Bound
from unrandom.figures.panels import Line, MapPanel, baseline_line
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables, table


def run_columns(run: Run) -> dict[str, Any]:
    """The columns that identify a run in all table rows: its id, its seed, and its labels."""
    return {"run": run.id, "seed": run.config.seed, **run.labels}


def rows_of(shared: Mapping[str, Any], **columns: Iterable[Any]) -> list[dict[str, Any]]:
    """Return one row per entry of columns of equal length, as Python numbers, each with the ``shared`` columns."""
    values = [each.tolist() if isinstance(each, np.ndarray) else each for each in columns.values()]
    return [{**shared, **dict(zip(columns, row, strict=True))} for row in zip(*values, strict=True)]


def tables_by_run(
    runs: Sequence[Run],
    measured: Callable[[Run], Mapping[str, Iterable[Mapping[str, Any]]]],
    columns: Callable[[Run], dict[str, Any]] = run_columns,
) -> Tables:
    """Return the tables that ``measured`` gives for each run, one below the other, after the run's ``columns``."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        for name, measured_rows in measured(run).items():
            rows.setdefault(name, []).extend({**columns(run), **row} for row in measured_rows)
    return {name: table(each) for name, each in rows.items()}


def named(frame: pl.DataFrame, column: str, name: str = "{}") -> dict[str, pl.DataFrame]:
    """Return one frame per value of a column, in order of appearance; its key is ``name`` with the value put in."""
    groups = frame.group_by(column, maintain_order=True)
    return {name.format(value): rows for (value,), rows in groups}


def by_run(frame: pl.DataFrame) -> list[pl.DataFrame]:
    """Return one frame per run, in order of appearance."""
    return frame.partition_by("run", maintain_order=True)


def by_seed(frame: pl.DataFrame) -> list[pl.DataFrame]:
    """Return one frame per seed, in increasing order."""
    return frame.sort("seed", maintain_order=True).partition_by("seed", maintain_order=True)


def by_modulus(frame: pl.DataFrame) -> dict[int, pl.DataFrame]:
    """Return one frame per modulus, in increasing order."""
    groups = frame.sort("modulus", maintain_order=True).partition_by("modulus", maintain_order=True, as_dict=True)
    return {modulus: rows for (modulus,), rows in groups.items()}


def mean_or_none(values: Iterable[float]) -> float | None:
    """Return the mean; None without values."""
    known = list(values)
    return float(np.mean(known)) if known else None


def seed_means(frame: pl.DataFrame, value: str = "value") -> list[float]:
    """Return one mean per seed, in increasing order: moduli of one seed are not independent units."""
    return frame.group_by("seed").agg(pl.col(value).mean()).sort("seed")[value].to_list()


def each_seed(frame: pl.DataFrame, value: pl.Expr) -> list[float]:
    """Evaluate an aggregating expression for each seed, in increasing order; nulls are left out."""
    found = frame.group_by("seed", maintain_order=True).agg(value.alias("found"))
    return found.sort("seed")["found"].drop_nulls().to_list()


def each_run(frame: pl.DataFrame, value: pl.Expr) -> list[float]:
    """Evaluate an aggregating expression for each run and average over the runs of each seed; nulls are left out."""
    runs = frame.group_by("run", "seed", maintain_order=True).agg(value.alias("found"))
    return seed_means(runs.drop_nulls(), "found")


def bound_if(censored: int, limits: list[float], why: str) -> list[float] | Bound:
    """The values by seed; if runs were censored, at least these, because ``why``."""
    return Bound(limits, at_least=True, why=why) if censored else limits


def moduli_of_every_seed(frame: pl.DataFrame) -> pl.DataFrame:
    """Keep the moduli that every seed of the frame has."""
    seeds = frame["seed"].n_unique()
    return frame.filter(pl.col("seed").n_unique().over("modulus") == seeds)


def last_position(positions: pl.DataFrame) -> pl.DataFrame:
    """Keep the last position of each run and modulus."""
    return positions.filter(pl.col("seen") == pl.col("seen").max().over("run", "modulus"))


def best_modulus_accuracy(positions: pl.DataFrame) -> float:
    """Last-number accuracy on the best modulus of each run, averaged over runs."""
    return float(np.mean(last_position(positions).group_by("run").agg(pl.col("value").max())["value"].to_list()))


def trained_accuracy(tables: Tables) -> float | None:
    """Last-number accuracy on unseen sequences after training: mean over seeds, minimum over moduli; None if
    unknown."""
    trained = tables["trained"]
    if trained.is_empty() or trained["accuracy"].null_count():
        return None
    return float(min(trained.group_by("modulus").agg(pl.col("accuracy").mean())["accuracy"].to_list()))


def accuracy_beyond_shortcut(tables: Tables) -> float | None:
    """`trained_accuracy` less the share of the test that the best fixed look-back predicts; None if it is unknown."""
    trained, accuracy = tables["trained"], trained_accuracy(tables)
    if accuracy is None or "shortcut" not in trained.columns or trained["shortcut"].null_count():
        return None
    return accuracy - float(np.mean(trained["shortcut"].to_list()))


MEASURED = {LEARNED: trained_accuracy, BEYOND_SHORTCUT: accuracy_beyond_shortcut}
"""What is measured for the usual preconditions: it is in the tables of every experiment."""


def seed_lines(frame: pl.DataFrame, x: str, y: str, label: str, kind: int, *, stairs: bool = False) -> Iterator[Line]:
    """Yield one line per run, all with the colour index ``kind``."""
    for curve in by_run(frame):
        yield Line(curve[x].to_list(), curve[y].to_list(), label, kind, stairs=stairs)


def column_lines(frame: pl.DataFrame, x: str, labels: Mapping[str, str]) -> list[Line]:
    """Return one line per run and column; ``labels`` has the columns, with a colour and a label for each."""
    each = enumerate(labels.items())
    return [line for kind, (column, label) in each for line in seed_lines(frame, x, column, label, kind)]


def predictor_lines(positions: pl.DataFrame, model: str) -> list[Line]:
    """Accuracy by position of every predictor: for the ``model`` one line per seed, for others the first seed's."""
    first = pl.col("seed") == pl.col("seed").min()
    drawn = positions.filter((pl.col("predictor") == model) | first)
    baselines = drawn.filter(pl.col("predictor") != model).partition_by("predictor", maintain_order=True)
    return [
        *seed_lines(drawn.filter(predictor=model), "seen", "value", f"{model} (one line per seed)", 0),
        *(
            baseline_line(curve["predictor"][0], curve["seen"].to_list(), curve["value"].to_list(), i, len(baselines))
            for i, curve in enumerate(baselines)
        ),
    ]


def group_lines(groups: Mapping[str, pl.DataFrame], x: str, y: str, *, stairs: bool = False) -> list[Line]:
    """Return one line per run; each group of runs has a colour, and its key is the label."""
    each = enumerate(groups.items())
    return [line for kind, (label, runs) in each for line in seed_lines(runs, x, y, label, kind, stairs=stairs)]


def median_line(frame: pl.DataFrame, x: str, y: str, label: str, kind: int, *, stairs: bool = False) -> Line:
    """Return the median over seeds, with a band from the least to the largest value."""
    value = pl.col(y)
    found = (
        frame.group_by(x)
        .agg(value.median().alias("median"), value.min().alias("low"), value.max().alias("high"))
        .sort(x)
    )
    middle, low, high = (found[name].to_list() for name in ("median", "low", "high"))
    return Line(found[x].to_list(), middle, label, kind, low, high, stairs=stairs)


def heat_map(
    title: str,
    frame: pl.DataFrame,
    axes: tuple[str, str],
    value: str,
    bar: str,
    *,
    limits: tuple[float, float] = (0, 1),
    signed: bool = False,
    written: bool = True,
) -> MapPanel:
    """Return a heat map of the column ``value``; ``axes`` are the columns of its rows and of its columns, in order."""
    rows, columns = ([str(each) for each in frame[name].unique().sort()] for name in axes)
    values = matrix(frame.sort(axes[1], maintain_order=True), axes[:1], axes[1], value)
    return MapPanel(title, axes[1], axes[0], values, columns, rows, bar, limits, signed, written)


def matrix(frame: pl.DataFrame, rows: Sequence[str], columns: str, value: str) -> list[tuple[float, ...]]:
    """Return values as the matrix of a heat map: rows in increasing order, columns in order of appearance.

    An entry that is missing in the frame, or null, is NaN.
    """
    wide = frame.pivot(columns, index=list(rows), values=value).sort(rows)
    return wide.drop(rows).cast(pl.Float64).fill_null(float("nan")).rows()
