"""Are long periods needed, and are they enough? (fig:train-interp-appendix)

The same run on all periods, on short periods alone, and on long periods alone.
"""

from pathlib import Path

from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.rows import by_run
from unrandom.experiments.runs import Run
from unrandom.experiments.unseen_modulus.accuracy import LEARNED, about, curve_lines
from unrandom.experiments.unseen_modulus.grokking import LONG, SHORT, TEST, half_way, metrics_rows, ratios
from unrandom.experiments.unseen_modulus.runs import SMALL_RECIPE, base, small_runs
from unrandom.figures.panels import LinePanel, save_panels

ALL, ONLY_SHORT, ONLY_LONG = "all periods", "short periods", "long periods"

CLAIMS = (
    Claim(
        "short",
        "Trained on short periods alone it never generalises: best last-number accuracy on unseen moduli, as a share "
        "of that with all periods.",
        "fig:train-interp-appendix",
        0.25,
        at_least=False,
    ),
    Claim(
        "long",
        "Trained on long periods alone it does: best accuracy, as a share of that with all periods.",
        "fig:train-interp-appendix",
        0.9,
        at_laptop="In the same steps it is learned more slowly without the short periods, not faster.",
    ),
    Claim(
        "no-plateau",
        "On long periods alone the plateau is gone: steps to half the final accuracy on unseen moduli, over those with "
        "all periods.",
        "fig:train-interp-appendix",
        0.9,
        at_least=False,
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    context = base(SMALL_RECIPE[scale], scale).data.context
    short = {"data.max_period": context, "data.full_period_share": 0.0}  # no full period is short
    return small_runs(scale, seeds, [{}, short, {"data.min_period": context + 1}])


def measure(runs: list[Run], _scale: Scale) -> Tables:
    which = {run.id: {**about(run), "data": _data(run)} for run in runs}
    return {"metrics": [{**which[row["run"]], **row} for row in metrics_rows(runs)]}


def _data(run: Run) -> str:
    data = run.config.data
    return ONLY_SHORT if data.max_period else ONLY_LONG if data.min_period else ALL


def evidence(tables: Tables) -> Evidence:
    curves = {(rows[0]["data"], rows[0]["seed"]): rows for rows in by_run(tables["metrics"]).values()}
    seeds = [seed for data, seed in curves if data == ALL]

    def best(data: str, seed: int) -> float:
        return max(row[TEST] for row in curves[data, seed])

    complete = [
        seed for seed in seeds if best(ALL, seed) >= LEARNED and {(ONLY_SHORT, seed), (ONLY_LONG, seed)} <= set(curves)
    ]
    return {
        "short": [best(ONLY_SHORT, seed) / best(ALL, seed) for seed in complete],
        "long": [best(ONLY_LONG, seed) / best(ALL, seed) for seed in complete],
        "no-plateau": ratios(
            (half_way(curves[ONLY_LONG, seed], TEST), half_way(curves[ALL, seed], TEST)) for seed in complete
        ),
    }


def draw(tables: Tables, folder: Path) -> None:
    """A panel for each training set: training sequences by period and unseen moduli; a line a seed."""
    panels = []
    for data in (ALL, ONLY_SHORT, ONLY_LONG):
        rows: Rows = [row for row in tables["metrics"] if row["data"] == data]
        lines = [
            line
            for kind, (key, label) in enumerate(
                ((SHORT, "training, short"), (LONG, "training, long"), (TEST, "unseen"))
            )
            for line in curve_lines(rows, key, label, kind)
        ]
        panels.append(LinePanel(f"trained on {data}", "training step", "last number right", lines))
    save_panels(panels, folder / "um-period-ablation", columns=3)


EXPERIMENT = Experiment(
    name="um-period-ablation",
    about="short periods teach copying, long ones the rule",
    figures=("fig:train-interp-appendix",),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
