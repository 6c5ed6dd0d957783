"""Are long periods needed, and are they enough? (fig:train-interp-appendix)

The same run on all periods, on short periods alone, and on long periods alone, all three on arbitrary (a, c), as in the
paper: of full-period parameters most have the multiplier 1, whose long periods teach counting.
"""

from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Claim, Evidence, Precondition
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows, by_run
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.accuracy import about, curve_lines
from unrandom.experiments.unseen_modulus.grokking import RULE, SHORT, TEST, half_way, metrics_rows, ratios
from unrandom.experiments.unseen_modulus.presets import ARBITRARY, SMALL_RECIPE, base, small_runs
from unrandom.figures.panels import LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus, lcg_task

ALL, ONLY_SHORT, ONLY_LONG = "all periods", "short periods", "long periods"

ALL_LEARNED = Precondition("learned", "best last-number accuracy with all periods", 0.9)

CLAIMS = (
    Claim(
        key="short",
        statement="Trained on short periods alone, a model does not generalise.",
        quantity="best accuracy on the last number of unseen moduli, over that with all periods",
        unit="ratio",
        figure="fig:train-interp-appendix",
        threshold=0.25,
        at_least=False,
        precondition=ALL_LEARNED,
    ),
    Claim(
        key="long",
        statement="Trained on long periods alone, it does.",
        quantity="best accuracy on the last number of unseen moduli, over that with all periods",
        unit="ratio",
        figure="fig:train-interp-appendix",
        threshold=0.9,
        precondition=ALL_LEARNED,
    ),
    Claim(
        key="no-plateau",
        statement="On long periods alone the plateau before generalisation is gone.",
        quantity="steps to half the final accuracy on unseen moduli, over those with all periods",
        unit="ratio",
        figure="fig:train-interp-appendix",
        threshold=0.9,
        at_least=False,
        precondition=ALL_LEARNED,
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    context = base(SMALL_RECIPE[scale], scale).data.context
    arms: tuple[dict[str, int], ...] = ({}, {"data.max_period": context}, {"data.min_period": context + 1})
    return small_runs(scale, seeds, [{**ARBITRARY, **arm} for arm in arms])


def measure(runs: list[Run], _scale: Scale) -> RowTables:
    which = {run.id: {**about(run), "data": _data(run)} for run in runs}
    return {"metrics": [{**which[row["run"]], **row} for row in metrics_rows(runs)]}


def _data(run: Run) -> str:
    data = lcg_task(run.config.data)
    return ONLY_SHORT if data.max_period else ONLY_LONG if data.min_period else ALL


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    curves = {(rows[0]["data"], rows[0]["seed"]): rows for rows in by_run(tables["metrics"]).values()}
    seeds = [seed for data, seed in curves if data == ALL]

    def best(data: str, seed: int) -> float:
        return max(row[TEST] for row in curves[data, seed])

    complete = [s for s in seeds if best(ALL, s) > 0 and {(ONLY_SHORT, s), (ONLY_LONG, s)} <= set(curves)]
    return Evidence(
        {
            "short": [best(ONLY_SHORT, seed) / best(ALL, seed) for seed in complete],
            "long": [best(ONLY_LONG, seed) / best(ALL, seed) for seed in complete],
            "no-plateau": ratios(
                (half_way(curves[ONLY_LONG, seed], TEST), half_way(curves[ALL, seed], TEST)) for seed in complete
            ),
        },
        {ALL_LEARNED.key: float(np.mean([best(ALL, seed) for seed in seeds])) if seeds else None},
    )


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """A panel for each training set: training sequences by period and unseen moduli; a line a seed."""
    panels = []
    for data in (ALL, ONLY_SHORT, ONLY_LONG):
        rows: Rows = [row for row in tables["metrics"] if row["data"] == data]
        lines = [
            line
            for kind, (key, label) in enumerate(
                ((SHORT, "training, short"), (RULE, "training, long, a ≠ 1"), (TEST, "unseen"))
            )
            for line in curve_lines(rows, key, label, kind)
        ]
        panels.append(LinePanel(f"trained on {data}", "training step", "last number right", lines))
    save_panels(panels, folder / "um-period-ablation", columns=3)


EXPERIMENT = Experiment(
    name="um-period-ablation",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
