"""How are saved tables read again? Rows grouped by run, and curves of them."""

from collections.abc import Iterable, Iterator

import numpy as np

from unrandom.experiments.experiment import Rows, Tables
from unrandom.figures.panels import Line


def by_run(rows: Rows) -> dict[str, Rows]:
    """The rows of each run, in order."""
    groups: dict[str, Rows] = {}
    for row in rows:
        groups.setdefault(row["run"], []).append(row)
    return groups


def seed_means(values: Iterable[tuple[int, float]]) -> list[float]:
    """One mean for each seed, in the order of the seeds: moduli of one seed are not independent units."""
    groups: dict[int, list[float]] = {}
    for seed, value in values:
        groups.setdefault(seed, []).append(value)
    return [float(np.mean(groups[seed])) for seed in sorted(groups)]


def learned(tables: Tables) -> float | None:
    """Accuracy on the last number of unseen sequences when training ended, the mean over runs; None: not known."""
    measured = [row["accuracy"] for row in tables["trained"]]
    return None if not measured or None in measured else float(np.mean(measured))


def seed_lines(rows: Rows, x: str, y: str, label: str, kind: int) -> Iterator[Line]:
    """One line a run, of one colour."""
    for curve in by_run(rows).values():
        yield Line([row[x] for row in curve], [row[y] for row in curve], label, kind)
