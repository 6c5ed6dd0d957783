"""In which order are things learned? (fig:training a, figapp:accuracy_vs_step_m=2048, figapp:accuracy_vs_step_m=7776)

Short-period sequences, which can be copied, before long ones; with repeated data, the training set before the test.
"""

from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, Precondition, Unknown
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, fast_runs, paper_runs
from unrandom.experiments.rows import RowTables, as_rows, by_run, seed_lines, seed_means
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus

TEST, SHORT = "last_number_accuracy", "train_short_period_accuracy"
RULE, FULL = "train_rule_accuracy", "train_full_period_accuracy"
LINES = {
    TEST: "unseen (a, c), full period",
    SHORT: "training, short period",
    RULE: "training, long period, a ≠ 1",
    FULL: "training, full period, a ≠ 1",
}
LOSSES = {"train_loss": "training (short periods too)", "test_loss": "unseen (a, c), full period"}
LEARNED_SHARE = 0.9  # the accuracy at which a group counts as learned
FRESH = Precondition("learned", "last-number accuracy with fresh data", LEARNED_SHARE)
REPEATED = Precondition("learned-repeated", "last-number accuracy with repeated data, at best", LEARNED_SHARE)

CLAIMS = (
    Claim(
        key="solved",
        statement="One layer and one head predict the last number for unseen (a, c).",
        quantity="accuracy on the last number at the end of training, fresh data and Muon",
        unit="share",
        figure="fig:training",
        threshold=0.99,
        precondition=None,
    ),
    Claim(
        key="solved-repeated",
        statement="So do they with the paper's recipe, repeated sequences and AdamW, in the steps of the scale.",
        quantity="accuracy on the last number at the end of training",
        unit="share",
        figure="fig:training",
        threshold=0.99,
        precondition=None,
    ),
    Claim(
        key="short-first",
        statement="Short-period training sequences are learned before long-period ones.",
        quantity="steps to 90 % of last numbers: long periods (without a = 1, mere counting) over short ones",
        unit="ratio",
        figure="fig:training",
        threshold=1.01,
        precondition=FRESH,
    ),
    Claim(
        key="test-after-train",
        statement="With repeated data, unseen (a, c) are learned later than training sequences of the same period.",
        quantity="steps to 90 % of last numbers, unseen over training sequences of full period: repeated data less the "
        "control with fresh data",
        unit="difference of ratios",
        figure="figapp:accuracy_vs_step_m=2048",
        threshold=0.05,
        precondition=REPEATED,
        written="after",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    chosen = POWERS_OF_TWO[scale][:1]
    both = fast_runs(scale, seeds, chosen) + paper_runs(scale, seeds, chosen)
    return list({run.id: run for run in both}.values())  # at paper scale they are the same


def measure(runs: list[Run], _scale: Scale) -> RowTables:
    """The metrics that training left behind."""
    keys = (*LINES, *LOSSES)
    return {
        "metrics": [
            {
                **about(run),
                "repeated": run.config.data.mode == "fixed",
                "step": row["step"],
                **{k: row[k] for k in keys},
            }
            for run in runs
            for row in run.folder.read_metrics()
        ]
    }


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    curves = list(by_run(tables["metrics"]).values())
    fresh, repeated = ([rows for rows in curves if rows[0]["repeated"] == wanted] for wanted in (False, True))
    return Evidence(
        {
            "solved": [rows[-1][TEST] for rows in fresh],
            "solved-repeated": [rows[-1][TEST] for rows in repeated],
            "short-first": _short_first(curves),
            "test-after-train": _test_after_train(fresh, repeated),
        },
        {
            FRESH.key: float(np.mean([rows[-1][TEST] for rows in fresh])) if fresh else None,
            REPEATED.key: float(np.mean([_best(rows) for rows in repeated])) if repeated else None,
        },
    )


def _best(rows: Rows) -> float:
    return max(row[TEST] for row in rows)


def _learned(rows: Rows, accuracy: str) -> float | None:
    """The first measured step at which a group counts as learned; None where it never does."""
    return next((float(row["step"]) for row in rows if (row[accuracy] or 0) >= LEARNED_SHARE), None)


def _short_first(curves: list[Rows]) -> Finding:
    """By seed, the mean over recipes; a run that never learns long periods counts with all of its steps."""
    ratios, stopped = [], 0
    for rows in curves:
        early, late = _learned(rows, SHORT), _learned(rows, RULE)
        if early is None:
            return Unknown("a run never reached 90 % on short periods")
        stopped += late is None
        ratios.append((rows[0]["seed"], (late or rows[-1]["step"]) / early))
    limits = seed_means(ratios)
    why = f"{stopped} of {len(curves)} runs never reached 90 % on long periods"
    return Bound(limits, at_least=True, why=why) if stopped else limits


def _test_after_train(fresh: list[Rows], repeated: list[Rows]) -> Finding:
    """By seed, the ratio of steps with repeated data less that with fresh data, which leaves nothing to memorise."""
    controls = {rows[0]["seed"]: rows for rows in fresh}
    differences, stopped = [], 0
    for rows in repeated:
        steps = [_learned(each, FULL) for each in (rows, controls.get(rows[0]["seed"], []))]
        control = _learned(controls.get(rows[0]["seed"], []), TEST)
        if None in steps or control is None:
            return Unknown("a run never reached 90 % on training sequences of full period, or has no control")
        test = _learned(rows, TEST)
        stopped += test is None
        differences.append((test or rows[-1]["step"]) / (steps[0] or 1) - control / (steps[1] or 1))
    why = f"{stopped} of {len(repeated)} runs with repeated data never reached 90 % on unseen (a, c)"
    return Bound(differences, at_least=True, why=why) if stopped else differences


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Accuracies above, losses below; one recipe a column, one line a seed."""
    panels = []
    recipes = list(dict.fromkeys(row["recipe"] for row in tables["metrics"]))
    for title, y, keys, limits in (
        ("last number", "accuracy (share right)", LINES, (0, 1.04)),
        ("loss", "loss (nats per token)", LOSSES, (0, None)),
    ):
        for name in recipes:
            rows = [row for row in tables["metrics"] if row["recipe"] == name]
            lines = [
                line
                for kind, (key, label) in enumerate(keys.items())
                for line in seed_lines(rows, "step", key, label, kind)
            ]
            panels.append(
                LinePanel(f"{title}, m = {rows[0]['modulus']}: {name}", "training step", y, lines, limits=limits)
            )
    save_panels(panels, folder / "fm-grokking", columns=len(recipes))


EXPERIMENT = Experiment(
    name="fm-grokking",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
