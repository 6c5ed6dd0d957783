"""How are saved tables read again? Rows grouped by run, and curves of them."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl

from unrandom.experiments.experiment import Rows
from unrandom.figures.panels import Line
from unrandom.runs.tables import Tables, table

RowTables = dict[str, Rows]


def as_table(rows: "Rows | pl.DataFrame") -> pl.DataFrame:
    """A frame, of rows if it is none yet."""
    return rows if isinstance(rows, pl.DataFrame) else table(rows)


def as_rows(tables: Tables) -> RowTables:
    """Frames as lists of rows."""
    return {name: frame.to_dicts() for name, frame in tables.items()}


def by_run(rows: Rows) -> dict[str, Rows]:
    """The rows of each run, in order."""
    return _grouped(rows, "run")


def by_seed(rows: Rows) -> list[Rows]:
    """The rows of each seed, in the order of the seeds."""
    groups = _grouped(rows, "seed")
    return [groups[seed] for seed in sorted(groups)]


def by_modulus(rows: Rows) -> dict[int, Rows]:
    """The rows of each modulus, the smallest modulus first."""
    groups = _grouped(rows, "modulus")
    return {modulus: groups[modulus] for modulus in sorted(groups)}


def _grouped(rows: Rows, column: str) -> dict[Any, Rows]:
    """The rows of each value of a column, in the order in which the values come."""
    groups: dict[Any, Rows] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def moduli_of_every_seed(rows: Rows) -> set[int]:
    """The moduli that every seed of these rows has."""
    return set.intersection(*({row["modulus"] for row in own} for own in by_seed(rows)))


def seed_means(values: Iterable[tuple[int, float]]) -> list[float]:
    """One mean for each seed, in the order of the seeds: moduli of one seed are not independent units."""
    groups: dict[int, list[float]] = {}
    for seed, value in values:
        groups.setdefault(seed, []).append(value)
    return [float(np.mean(groups[seed])) for seed in sorted(groups)]


def learned(tables: RowTables) -> float | None:
    """Accuracy on the last number of unseen sequences when training ended: mean over seeds, least over moduli.

    None where it is not known.
    """
    found: dict[int, list[float | None]] = {}
    for row in tables["trained"]:
        found.setdefault(row["modulus"], []).append(row["accuracy"])
    means = [float(np.mean([each for each in of if each is not None])) for of in found.values() if None not in of]
    return min(means) if means and len(means) == len(found) else None


def last_accuracies(positions: Rows) -> dict[str, dict[int, float]]:
    """By run and modulus, the accuracy at the last position."""
    last: dict[str, dict[int, Any]] = {}
    for row in positions:
        of_run = last.setdefault(row["run"], {})
        if row["seen"] >= of_run.get(row["modulus"], row)["seen"]:
            of_run[row["modulus"]] = row
    return {run: {modulus: row["value"] for modulus, row in of_run.items()} for run, of_run in last.items()}


def best_modulus(positions: Rows) -> float:
    """Accuracy on the last number of the best modulus of each run, the mean over runs."""
    return float(np.mean([max(of_run.values()) for of_run in last_accuracies(positions).values()]))


def seed_lines(rows: Rows, x: str, y: str, label: str, kind: int, *, stairs: bool = False) -> Iterator[Line]:
    """One line for each run, all of one colour."""
    for curve in by_run(rows).values():
        yield Line([row[x] for row in curve], [row[y] for row in curve], label, kind, stairs=stairs)
