"""What do the unseen-modulus grids measure in common? The last number of unseen moduli, a row a run and modulus."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unrandom.evaluation import evaluate
from unrandom.experiments.experiment import Rows
from unrandom.experiments.rows import seed_lines
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import Line, MapPanel
from unrandom.predictors import Predictor
from unrandom.runs.run import Run
from unrandom.tasks import Split, lcg_split
from unrandom.training.machine import choose_device

SEQUENCES: dict[Scale, int] = {"smoke": 24, "laptop": 1024, "gpu": 2048, "paper": 4096}  # of each modulus

Cell = tuple[Any, ...]  # a grid point: values of the settings that are varied
Cells = dict[Cell, dict[int, float]]  # grid point → seed → accuracy


def about(run: Run) -> dict[str, Any]:
    """The columns that every row of a run has."""
    return {"run": run.id, "seed": run.config.seed}


def varied(run: Run, keys: Mapping[str, str]) -> dict[str, Any]:
    """The settings of a run by short names; ``keys`` maps them to configuration keys such as ``model.depth``."""
    return {name: run.config.at(key) for name, key in keys.items()}


def last_number_rows(runs: Sequence[Run], scale: Scale, keys: Mapping[str, str], *, choosing: bool = False) -> Rows:
    """Last-number accuracy on each test modulus; with ``choosing``, also on the moduli that settings are chosen by."""
    rows: Rows = []
    for run in runs:
        split = run.split()
        parts = dict(zip(("validation", "test"), split.for_choosing(), strict=True)) if choosing else {"test": split}
        predictor = run.predictor(choose_device())
        which = {**about(run), **varied(run, keys)}
        for name, part in parts.items():
            rows += [{**which, "split": name, **row} for row in tested_rows(predictor, part, SEQUENCES[scale])]
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
        found = evaluate(predictor, split.test(modulus, sequences)).last_number_tree()
        yield {"modulus": modulus, **{key: found[key] for key in ("value", "low", "high")}}


def cells(rows: Rows, keys: Sequence[str], split: str = "test") -> Cells:
    """The mean over moduli of each setting and seed, in the order of the rows."""
    values: dict[Cell, dict[int, list[float]]] = {}
    for row in rows:
        if row["split"] == split:
            values.setdefault(tuple(row[key] for key in keys), {}).setdefault(row["seed"], []).append(row["value"])
    return {cell: {seed: float(np.mean(each)) for seed, each in of.items()} for cell, of in values.items()}


def mean(cell: Mapping[int, float]) -> float:
    """Over the seeds."""
    return float(np.mean(list(cell.values())))


def best_cell(found: Cells) -> float | None:
    """The accuracy of the best setting of each seed, the mean over seeds: whether anything was learned."""
    seeds = {seed for cell in found.values() for seed in cell}
    best = [max(cell[seed] for cell in found.values() if seed in cell) for seed in sorted(seeds)]
    return float(np.mean(best)) if best else None


def relative_spread(values: Sequence[float]) -> float:
    """(largest − smallest) / largest, from 0 to 1; 0 where all are 0."""
    return (max(values) - min(values)) / max(values) if max(values) > 0 else 0.0


def tuned(rows: Rows, keys: Sequence[str], over: Sequence[str]) -> tuple[Cells, dict[Cell, Cell]]:
    """For each setting of ``keys``, the one of ``over`` that is best on the validation moduli: its test accuracy.

    The choice is by the mean over seeds; it is returned, too.
    """
    validation, test = (cells(rows, [*keys, *over], split) for split in ("validation", "test"))
    best: dict[Cell, Cell] = {}
    for cell in validation:
        outer, inner = cell[: len(keys)], cell[len(keys) :]
        if outer not in best or mean(validation[cell]) > mean(validation[outer + best[outer]]):
            best[outer] = inner
    return {outer: test[outer + inner] for outer, inner in best.items()}, best


def cell_map(title: str, names: tuple[str, str], found: Cells) -> MapPanel:
    """Mean accuracy over seeds with the values written in; the first setting up, the second across."""
    up, across = (sorted({cell[i] for cell in found}) for i in (0, 1))
    values = [[mean(found[row, column]) if (row, column) in found else np.nan for column in across] for row in up]
    columns, rows = ([str(value) for value in axis] for axis in (across, up))
    return MapPanel(title, names[1], names[0], values, columns, rows, "last number right", written=True)


def curve_lines(rows: Rows, key: str, label: str, kind: int) -> list[Line]:
    """Accuracy by step, one line a seed."""
    return list(seed_lines(rows, "step", key, label, kind))
