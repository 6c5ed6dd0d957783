"""Does the range of good rates and weight decays shrink as m grows? (fig:hparams-shrink-appendix)

One architecture and one number of steps; the moduli, the range they are drawn from and the context change.
"""

from pathlib import Path

from unrandom.experiments.claims import Claim, Evidence, Precondition
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows, seed_means
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.accuracy import Cells, best_cell, cell_map, cells, last_number_rows, mean
from unrandom.experiments.unseen_modulus.presets import (
    RATE,
    RATES_WIDE,
    SIZES,
    WEIGHT_DECAYS_WIDE,
    Settings,
    grid,
    small_runs,
)
from unrandom.figures.panels import save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus, lcg_task

AXES = ("rate", "weight decay")
SIZE = "largest modulus"
CHANGES: dict[Scale, Settings] = {
    "smoke": {},
    "laptop": {},
    "gpu": {"steps": 3000},
    "paper": {"model.depth": 6},
}
GOOD = 0.8  # of the best cell's accuracy

BEST = Precondition("learned", "last-number accuracy of the best setting, the least over sizes of modulus", 0.9)

CLAIMS = (
    Claim(
        key="shrinks",
        statement=f"The area of good settings (at least {GOOD:.0%} of the best accuracy) shrinks as m grows.",
        quantity="share of settings that are good, largest over smallest m",
        unit="ratio",
        figure="fig:hparams-shrink-appendix",
        threshold=0.9,
        at_least=False,
        precondition=BEST,
    ),
    Claim(
        key="chosen",
        statement="The setting chosen on validation moduli is about as good as the best on the test moduli.",
        quantity="accuracy on the last number, chosen over best, mean over sizes of modulus",
        unit="ratio",
        threshold=0.95,
        precondition=BEST,
        origin="beyond",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    axes = {
        RATE[scale].replace(".", "__"): RATES_WIDE[scale],
        "optimizer__weight_decay": WEIGHT_DECAYS_WIDE[scale],
    }
    return small_runs(
        scale, seeds, [{**CHANGES[scale], **size, **cell} for size in SIZES[scale] for cell in grid(**axes)]
    )


def measure(runs: list[Run], scale: Scale) -> RowTables:
    keys = {"rate": RATE[scale], "weight decay": "optimizer.weight_decay", "context": "data.context"}
    largest = {run.id: max(lcg_task(run.config.data).moduli) for run in runs}
    rows = last_number_rows(runs, scale, keys, choosing=True)
    return {"accuracy": [{SIZE: largest[row["run"]], **row} for row in rows]}


def _sizes(rows: Rows) -> dict[int, Rows]:
    return {size: [row for row in rows if row[SIZE] == size] for size in sorted({row[SIZE] for row in rows})}


def _area(found: Cells, seed: int) -> float:
    """The share of settings with at least GOOD of the best one's accuracy."""
    values = [cell[seed] for cell in found.values()]
    return sum(value >= GOOD * max(values) for value in values) / len(values)


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    sizes = _sizes(tables["accuracy"])
    found = {size: cells(rows, AXES) for size, rows in sizes.items()}
    smallest, largest = min(found), max(found)
    seeds = sorted({seed for cell in found[smallest].values() for seed in cell})
    chosen = []
    for size, rows in sizes.items():
        validation = cells(rows, AXES, "validation")
        cell = max(validation, key=lambda each: mean(validation[each]))
        for seed in seeds:
            best = max(other[seed] for other in found[size].values())
            chosen += [(seed, found[size][cell][seed] / best)] if best else []
    areas = [(_area(found[smallest], seed), _area(found[largest], seed)) for seed in seeds if smallest != largest]
    return Evidence(
        {"shrinks": [high / low for low, high in areas], "chosen": seed_means(chosen)},
        {BEST.key: min(best_cell(each) or 0.0 for each in found.values())},
    )


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """A map for each size of modulus, mean over seeds."""
    panels = [cell_map(f"m up to {size}", AXES, cells(rows, AXES)) for size, rows in _sizes(tables["accuracy"]).items()]
    save_panels(panels, folder / "um-hyperparameters")


EXPERIMENT = Experiment(
    name="um-hyperparameters",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
