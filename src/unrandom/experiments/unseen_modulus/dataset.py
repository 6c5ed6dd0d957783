"""What must the training set hold? Many moduli; few multipliers and increments do (fig:dataset-composition).

Beyond the paper: the share of every batch that has full period.
"""

from pathlib import Path
from typing import Any

from unrandom.experiments.claims import Claim, Evidence, Precondition
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.accuracy import best_cell, cells, last_number_rows, mean, relative_spread
from unrandom.experiments.unseen_modulus.presets import ARBITRARY, SMALL_RECIPE, Settings, base, small_runs
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus, lcg_task

MIX = "full-period share"
# Each axis of the grid: its configuration key. A value of none stands for all that there are.
AXES: dict[str, str] = {
    "n_m": "data.n_m",
    "n_a": "data.n_a",
    "n_c": "data.n_c",
    MIX: "data.full_period_share",
}
VALUES: dict[Scale, dict[str, tuple[Any, ...]]] = {
    "smoke": {"n_m": (8, 16), "n_a": (4, 8), "n_c": (4, 8), MIX: (0.0, 0.5)},
    "laptop": {
        "n_m": (8, 32),
        "n_a": (4,),
        "n_c": (4,),
        MIX: (0.0, 0.5),
    },
    "gpu": {
        "n_m": (32, 64, 128, 256),
        "n_a": (8, 32, 128),
        "n_c": (8, 32, 128),
        MIX: (0.0, 0.5),
    },
    "paper": {
        "n_m": (64, 128, 256, 512, 1024),
        "n_a": (16, 64, 128, 256),
        "n_c": (16, 64, 128, 256),
        MIX: (),
    },
}
ALL = "all"

BEST = Precondition("learned", "last-number accuracy with the best training set", 0.9)
FIGURE = "fig:dataset-composition"

CLAIMS = (
    Claim(
        key="moduli",
        statement="More training moduli help.",
        quantity="accuracy on unseen moduli gained from the fewest moduli to the most, over the larger of the two",
        unit="ratio",
        figure=FIGURE,
        threshold=0.2,
        precondition=BEST,
    ),
    Claim(
        key="multipliers",
        statement="More multipliers for each modulus hardly help.",
        quantity="accuracy on unseen moduli, (largest − smallest) / largest over n_a",
        unit="ratio",
        figure=FIGURE,
        threshold=0.1,
        at_least=False,
        precondition=BEST,
    ),
    Claim(
        key="increments",
        statement="More increments for each modulus hardly help.",
        quantity="accuracy on unseen moduli, (largest − smallest) / largest over n_c",
        unit="ratio",
        figure=FIGURE,
        threshold=0.1,
        at_least=False,
        precondition=BEST,
    ),
    Claim(
        key="quarter",
        statement="m_test / 4 training moduli are enough.",
        quantity="accuracy on unseen moduli with the next larger n_m, over the best",
        unit="ratio",
        figure=FIGURE,
        threshold=0.9,
        precondition=BEST,
    ),
    Claim(
        key="mix",
        statement="Drawing half of every batch from full-period parameters helps.",
        quantity="accuracy on unseen moduli gained, over the larger of the two",
        unit="ratio",
        threshold=0.1,
        precondition=BEST,
        origin="beyond",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Each axis by itself; the other settings stay the small run's."""
    variants = [_settings(axis, value) for axis, values in VALUES[scale].items() for value in values]
    return small_runs(scale, seeds, [{}, *variants])


def _settings(axis: str, value: Any) -> Settings:
    return ARBITRARY if (axis, value) == (MIX, 0.0) else {AXES[axis]: value}


def measure(runs: list[Run], scale: Scale) -> RowTables:
    rows = last_number_rows(runs, scale, AXES)
    usual = base(SMALL_RECIPE[scale], scale).data
    largest = max(lcg_task(usual).moduli)
    usual_values = {axis: getattr(usual, key.removeprefix("data.")) for axis, key in AXES.items()}
    accuracy = [
        {
            **row,
            "largest": largest,
            "axis": next((axis for axis, value in usual_values.items() if row[axis] != value), ""),
            **{axis: ALL if row[axis] is None else str(row[axis]) for axis in AXES},
        }
        for row in rows
    ]
    return {"accuracy": accuracy}


def _curve(rows: Rows, axis: str, seed: int | None = None) -> dict[str, float]:
    """Accuracy by the value of one axis, the usual run among them, in increasing order."""
    own = [row for row in rows if row["axis"] in (axis, "")]
    found = {key[0]: of for key, of in cells(own, [axis]).items()}
    order = sorted(found, key=lambda value: float("inf") if value == ALL else float(value))
    return {value: mean(found[value]) if seed is None else found[value][seed] for value in order}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    rows: Rows = tables["accuracy"]
    curves = [{axis: _curve(rows, axis, seed) for axis in AXES} for seed in sorted({row["seed"] for row in rows})]
    quarter = rows[0]["largest"] / 4
    several = {axis: [curve[axis] for curve in curves if len(curve[axis]) > 1] for axis in AXES}
    mixes = [curve for curve in several[MIX] if {"0.5", "0.0"} <= set(curve)]
    return Evidence(
        {
            "moduli": [_gain(*list(curve.values())[:: len(curve) - 1]) for curve in several["n_m"]],
            "multipliers": [relative_spread(list(curve.values())) for curve in several["n_a"]],
            "increments": [relative_spread(list(curve.values())) for curve in several["n_c"]],
            "quarter": [_enough(curve, quarter) for curve in several["n_m"]],
            "mix": [_gain(curve["0.0"], curve["0.5"]) for curve in mixes],
        },
        {BEST.key: best_cell(cells(rows, list(AXES)))},
    )


def _gain(before: float, after: float) -> float:
    """What is gained, over the larger of the two; 0 where both are 0."""
    return (after - before) / max(before, after) if max(before, after) else 0.0


def _enough(curve: dict[str, float], least: float) -> float:
    """With the smallest n_m from ``least`` on (all of them, if none is), over the best."""
    at = next((value for key, value in curve.items() if key == ALL or float(key) >= least), list(curve.values())[-1])
    best = max(curve.values())
    return at / best if best else 0.0


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """A panel for each axis: the mean over seeds, and every seed faint. The values are set apart evenly, by name."""
    rows: Rows = tables["accuracy"]
    seeds = sorted({row["seed"] for row in rows})
    panels = []
    for axis in AXES:
        means = _curve(rows, axis)
        places = list(range(len(means)))
        lines = [Line(places, list(means.values()), "mean over seeds", 0)]
        lines += [Line(places, list(_curve(rows, axis, s).values()), "single seeds", 1, faint=True) for s in seeds]
        panels.append(LinePanel(axis, axis, "last number right", lines, names=list(means)))
    save_panels(panels, folder / "um-dataset")


EXPERIMENT = Experiment(
    name="um-dataset",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
