"""How are saved tables read again? Rows grouped by run, and curves of them."""

from collections.abc import Iterator

from unrandom.experiments.experiment import Rows
from unrandom.figures.panels import Line


def by_run(rows: Rows) -> dict[str, Rows]:
    """The rows of each run, in order."""
    groups: dict[str, Rows] = {}
    for row in rows:
        groups.setdefault(row["run"], []).append(row)
    return groups


def seed_lines(rows: Rows, x: str, y: str, label: str, kind: int) -> Iterator[Line]:
    """One line a run, of one colour."""
    for curve in by_run(rows).values():
        yield Line([row[x] for row in curve], [row[y] for row in curve], label, kind)
