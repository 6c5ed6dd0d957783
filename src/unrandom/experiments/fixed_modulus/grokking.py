"""In which order are things learned? (fig:training a, figapp:accuracy_vs_step_m=2048, figapp:accuracy_vs_step_m=7776)

Short-period sequences, which can be copied, before long ones; with repeated data, the training set before the test.
"""

from pathlib import Path

from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.runs import POWERS_OF_TWO, fast_runs, paper_runs
from unrandom.experiments.rows import by_run, seed_lines
from unrandom.experiments.runs import Run
from unrandom.figures.panels import LinePanel, save_panels

MEASURES = (
    "train_loss",
    "test_loss",
    "last_number_accuracy",
    "train_short_period_accuracy",
    "train_long_period_accuracy",
)
LEARNED = 0.9  # the accuracy at which a group counts as learned

CLAIMS = (
    Claim(
        "solved",
        "One layer and one head name the last number for unseen (a, c): accuracy at the end, fresh data and Muon.",
        "fig:training",
        0.99,
    ),
    Claim(
        "solved-repeated",
        "The same with the paper's recipe, 100,000 sequences repeated and AdamW, in the steps of the scale.",
        "fig:training",
        0.99,
        at_laptop="AdamW on repeated data has not got there when the learning rate runs out.",
    ),
    Claim(
        "short-first",
        "Short-period training sequences reach 90 % before long-period ones: steps of long over steps of short.",
        "fig:training",
        1.01,
    ),
    Claim(
        "test-after-train",
        "With repeated data, unseen (a, c) are learned after long-period training sequences: steps to 90 %, test over "
        "training.",
        "figapp:accuracy_vs_step_m=2048",
        1.01,
        at_laptop="The two rise nearly together: 100,000 sequences of so small a modulus leave little to memorise.",
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    chosen = POWERS_OF_TWO[scale][:1]
    both = fast_runs(scale, seeds, chosen) + paper_runs(scale, seeds, chosen)
    return list({run.id: run for run in both}.values())  # at paper scale they are the same


def measure(runs: list[Run], _scale: Scale) -> Tables:
    """The metrics that training left behind."""
    return {
        "metrics": [
            {**about(run), "step": row["step"], **{key: row[key] for key in MEASURES}}
            for run in runs
            for row in run.folder.read_metrics()
        ]
    }


def evidence(tables: Tables) -> Evidence:
    curves = list(by_run(tables["metrics"]).values())
    fresh = [rows for rows in curves if not rows[0]["recipe"].startswith("fixed")]
    repeated = [rows for rows in curves if rows[0]["recipe"].startswith("fixed")]
    short = [_learned(rows, "train_short_period_accuracy") for rows in curves]
    long = [_learned(rows, "train_long_period_accuracy") for rows in curves]
    return {
        "solved": [rows[-1]["last_number_accuracy"] for rows in fresh],
        "solved-repeated": [rows[-1]["last_number_accuracy"] for rows in repeated],
        "short-first": [late / early for early, late in zip(short, long, strict=True)],
        "test-after-train": [
            _learned(rows, "last_number_accuracy") / _learned(rows, "train_long_period_accuracy") for rows in repeated
        ],
    }


def _learned(rows: Rows, accuracy: str) -> float:
    """The first measured step at which a group counts as learned; one after the last where it never does."""
    return next((row["step"] for row in rows if (row[accuracy] or 0) >= LEARNED), rows[-1]["step"] + rows[0]["step"])


def draw(tables: Tables, folder: Path) -> None:
    """Accuracies above, losses below; one recipe a column, one line a seed."""
    panels = []
    recipes = list(dict.fromkeys(row["recipe"] for row in tables["metrics"]))
    for title, y, keys, limits in (
        ("last number", "accuracy (share right)", MEASURES[2:], (0, 1.04)),
        ("loss", "loss (nats per token)", MEASURES[:2], (0, None)),
    ):
        for name in recipes:
            rows = [row for row in tables["metrics"] if row["recipe"] == name]
            lines = [
                line
                for kind, key in enumerate(keys)
                for line in seed_lines(rows, "step", key, key.removesuffix("_accuracy").replace("_", " "), kind)
            ]
            panels.append(
                LinePanel(f"{title}, m = {rows[0]['modulus']}: {name}", "training step", y, lines, limits=limits)
            )
    save_panels(panels, folder / "fm-grokking", columns=len(recipes))


EXPERIMENT = Experiment(
    name="fm-grokking",
    about="the order in which short, long and unseen sequences are learned",
    figures=("fig:training", "figapp:accuracy_vs_step_m=2048", "figapp:accuracy_vs_step_m=7776"),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
