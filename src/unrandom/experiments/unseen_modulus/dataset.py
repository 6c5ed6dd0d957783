"""What must the training set hold? Many moduli; few multipliers and increments do (fig:dataset-composition).

Beyond the paper: the share of every batch that has full period.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.runs import Run
from unrandom.experiments.unseen_modulus.accuracy import LEARNED, cells, last_number_rows, mean
from unrandom.experiments.unseen_modulus.runs import SMALL_RECIPE, base, small_runs
from unrandom.figures.panels import Line, LinePanel, save_panels

# a row of panels: the key, and its values at each scale; none is all there are
AXES: dict[str, str] = {
    "n_m": "data.n_m",
    "n_a": "data.n_a",
    "n_c": "data.n_c",
    "full-period share": "data.full_period_share",
}
VALUES: dict[Scale, dict[str, tuple[Any, ...]]] = {
    "smoke": {"n_m": (8, 16), "n_a": (4, 8), "n_c": (4, 8), "full-period share": (0.0, 0.5)},
    "laptop": {
        "n_m": (8, 32),
        "n_a": (4,),
        "n_c": (4,),
        "full-period share": (0.0, 0.5),
    },
    "gpu": {
        "n_m": (32, 64, 128, 256),
        "n_a": (8, 32, 128),
        "n_c": (8, 32, 128),
        "full-period share": (0.0, 0.5),
    },
    "paper": {
        "n_m": (64, 128, 256, 512, 1024),
        "n_a": (16, 64, 128, 256),
        "n_c": (16, 64, 128, 256),
        "full-period share": (),
    },
}
ALL = "all"

CLAIMS = (
    Claim(
        "moduli",
        "More moduli help: accuracy on unseen moduli gained from the fewest to the most.",
        "fig:dataset-composition",
        0.1,
    ),
    Claim(
        "multipliers",
        "More multipliers hardly do: spread of accuracy over n_a.",
        "fig:dataset-composition",
        0.1,
        at_least=False,
        at_laptop="Four multipliers a modulus cost .05 in one seed and .11 in the other.",
    ),
    Claim(
        "increments",
        "Nor do more increments: spread of accuracy over n_c.",
        "fig:dataset-composition",
        0.1,
        at_least=False,
        at_laptop="Four increments a modulus cost .06 in one seed and .12 in the other.",
    ),
    Claim(
        "quarter",
        "m_test / 4 moduli are enough: accuracy with the next larger n_m, over the best.",
        "fig:dataset-composition",
        0.9,
        at_laptop="32 moduli do less well than all 92 in the same steps.",
    ),
    Claim(
        "mix",
        "Beyond the paper: accuracy gained by drawing half of every batch from full-period parameters.",
        "fig:dataset-composition",
        0.05,
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    """Each axis by itself; the other settings stay the small run's."""
    variants = [{AXES[axis]: value} for axis, values in VALUES[scale].items() for value in values]
    return small_runs(scale, seeds, [{}, *variants])


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows = last_number_rows(runs, scale, AXES)
    usual = base(SMALL_RECIPE[scale], scale).data
    largest = max(usual.test_moduli)
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


def evidence(tables: Tables) -> Evidence:
    rows: Rows = tables["accuracy"]
    curves = [{axis: _curve(rows, axis, seed) for axis in AXES} for seed in sorted({row["seed"] for row in rows})]
    curves = [curve for curve in curves if max(value for axis in curve.values() for value in axis.values()) >= LEARNED]
    quarter = rows[0]["largest"] / 4
    mixes = [curve["full-period share"] for curve in curves]
    return {
        "moduli": [_gain(curve["n_m"]) for curve in curves if len(curve["n_m"]) > 1],
        "multipliers": [_spread(curve["n_a"]) for curve in curves if len(curve["n_a"]) > 1],
        "increments": [_spread(curve["n_c"]) for curve in curves if len(curve["n_c"]) > 1],
        "quarter": [_enough(curve["n_m"], quarter) for curve in curves if len(curve["n_m"]) > 1],
        "mix": [curve["0.5"] - curve["0.0"] for curve in mixes if {"0.5", "0.0"} <= set(curve)],
    }


def _gain(curve: dict[str, float]) -> float:
    values = list(curve.values())
    return values[-1] - values[0]


def _spread(curve: dict[str, float]) -> float:
    return max(curve.values()) - min(curve.values())


def _enough(curve: dict[str, float], least: float) -> float:
    """With the smallest n_m from ``least`` on (all of them, if none is), over the best."""
    at = next((value for key, value in curve.items() if key == ALL or float(key) >= least), list(curve.values())[-1])
    return at / max(curve.values())


def draw(tables: Tables, folder: Path) -> None:
    """A panel for each axis: the mean over seeds, and every seed faint."""
    rows: Rows = tables["accuracy"]
    seeds = sorted({row["seed"] for row in rows})
    panels = []
    for axis in AXES:
        means = _curve(rows, axis)
        places = _places(list(means))
        lines = [Line(places, list(means.values()), "mean over seeds", 0)]
        lines += [Line(places, list(_curve(rows, axis, s).values()), "a seed", 1, faint=True) for s in seeds]
        panels.append(LinePanel(axis, f"{axis} (the last: all)" if ALL in means else axis, "last number right", lines))
    save_panels(panels, folder / "um-dataset")


def _places(values: Sequence[str]) -> list[float]:
    """Where to draw them: ``all`` stands one step beyond the largest number."""
    numbers = [float(value) for value in values if value != ALL]
    return numbers + [2 * numbers[-1]] * (len(values) > len(numbers))


EXPERIMENT = Experiment(
    name="um-dataset",
    about="how many moduli, multipliers and increments, and which mix",
    figures=("fig:dataset-composition",),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
