"""Does the range of good rates and weight decays shrink as m grows? (fig:hparams-shrink-appendix)

One architecture and one number of steps; the moduli, the range they are drawn from and the context change.
"""

from pathlib import Path

from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.runs import Run
from unrandom.experiments.unseen_modulus.accuracy import LEARNED, Cells, cell_map, cells, last_number_rows, mean
from unrandom.experiments.unseen_modulus.runs import (
    RATE,
    RATES_WIDE,
    SIZES,
    WEIGHT_DECAYS_WIDE,
    Settings,
    grid,
    small_runs,
)
from unrandom.figures.panels import save_panels

AXES = ("rate", "weight decay")
SIZE = "largest modulus"
CHANGES: dict[Scale, Settings] = {
    "smoke": {},
    "laptop": {"steps": 600},
    "gpu": {"steps": 3000},
    "paper": {"model.depth": 6},
}
GOOD = 0.8  # of the best cell's accuracy

CLAIMS = (
    Claim(
        "shrinks",
        f"The area of good settings (at least {GOOD:.0%} of the best accuracy) shrinks as m grows: largest over "
        "smallest m.",
        "fig:hparams-shrink-appendix",
        0.9,
        at_least=False,
        at_laptop="Two by two settings are few: the same share of them is good for 81 and for 128.",
    ),
    Claim(
        "chosen",
        "The cell chosen on validation moduli is as good as the best on the test moduli: accuracy, chosen over best.",
        "fig:hparams-shrink-appendix",
        0.95,
        at_laptop="For one of two sizes another cell is better on the test moduli, by 6 %.",
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    axes = {
        RATE[scale].replace(".", "__"): RATES_WIDE[scale],
        "optimizer__weight_decay": WEIGHT_DECAYS_WIDE[scale],
    }
    return small_runs(
        scale, seeds, [{**CHANGES[scale], **size, **cell} for size in SIZES[scale] for cell in grid(**axes)]
    )


def measure(runs: list[Run], scale: Scale) -> Tables:
    keys = {"rate": RATE[scale], "weight decay": "optimizer.weight_decay", "context": "data.context"}
    largest = {run.id: max(run.config.data.test_moduli) for run in runs}
    rows = last_number_rows(runs, scale, keys, choosing=True)
    return {"accuracy": [{SIZE: largest[row["run"]], **row} for row in rows]}


def _sizes(rows: Rows) -> dict[int, Rows]:
    return {size: [row for row in rows if row[SIZE] == size] for size in sorted({row[SIZE] for row in rows})}


def _area(found: Cells, seed: int) -> float:
    """The share of cells with at least GOOD of the best cell's accuracy; 0 where no cell has learned anything."""
    values = [cell[seed] for cell in found.values()]
    if max(values) < LEARNED:
        return 0.0
    return sum(value >= GOOD * max(values) for value in values) / len(values)


def evidence(tables: Tables) -> Evidence:
    found = {size: cells(rows, AXES) for size, rows in _sizes(tables["accuracy"]).items()}
    smallest, largest = min(found), max(found)
    seeds = sorted({seed for cell in found[smallest].values() for seed in cell})
    chosen = []
    for size, rows in _sizes(tables["accuracy"]).items():
        validation = cells(rows, AXES, "validation")
        best = max(mean(cell) for cell in found[size].values())
        cell = max(validation, key=lambda each: mean(validation[each]))
        if best >= LEARNED and len(validation) > 1:
            chosen.append(mean(found[size][cell]) / best)
    areas = [(_area(found[smallest], seed), _area(found[largest], seed)) for seed in seeds if smallest != largest]
    return {"shrinks": [high / low for low, high in areas if low and high], "chosen": chosen}


def draw(tables: Tables, folder: Path) -> None:
    """A map for each size of modulus, mean over seeds."""
    panels = [cell_map(f"m up to {size}", AXES, cells(rows, AXES)) for size, rows in _sizes(tables["accuracy"]).items()]
    save_panels(panels, folder / "um-hyperparameters")


EXPERIMENT = Experiment(
    name="um-hyperparameters",
    about="the area of good rates and weight decays, by size of modulus",
    figures=("fig:hparams-shrink-appendix",),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
