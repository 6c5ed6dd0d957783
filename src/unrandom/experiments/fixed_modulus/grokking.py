"""Finds which sequences are learned first. (fig:training a, figapp:accuracy_vs_step_m=2048,
figapp:accuracy_vs_step_m=7776)

The paper: short-period sequences, which can be copied, come before long ones; with repeated data, the training set
comes before the test. The table ``metrics`` has what training saved, with fresh data and Muon and with the paper's
recipe. The claims compare the steps at which groups of sequences first reach 90 %, and the final accuracy.
"""

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Finding, LateClaim, Precondition, Unknown, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale
from unrandom.experiments.fixed_modulus.accuracy import columns
from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, first_runs, paper_runs
from unrandom.experiments.summaries import bound_if, column_lines, mean_or_none, seed_means
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus

ENTRY = Entry(
    name="fm-grokking",
    section="fixed modulus",
    place=1,
    about="the order in which short, long and unseen sequences are learned",
    minutes=56,
    figures={
        "fig:training": "accuracy by training step, fixed and unseen modulus",
        "figapp:accuracy_vs_step_m=2048": "accuracy and loss by step, m = 2048",
        "figapp:accuracy_vs_step_m=7776": "accuracy and loss by step, m = 7776",
    },
)

TEST, SHORT = "last_number_accuracy", "train_short_period_accuracy"
LONG_NOT_COUNTING, FULL = "train_rule_accuracy", "train_full_period_accuracy"
LINES = {
    TEST: "unseen (a, c), full period",
    SHORT: "training, short period",
    LONG_NOT_COUNTING: "training, long period, a ≠ 1",
    FULL: "training, full period, a ≠ 1",
}
LOSSES = {"train_loss": "training (short periods too)", "test_loss": "unseen (a, c), full period"}
LEARNED_SHARE = 0.9  # from this accuracy on, a group counts as learned
FRESH = Precondition("last-number accuracy with fresh data", LEARNED_SHARE)
REPEATED = Precondition("last-number accuracy with repeated data, at best", LEARNED_SHARE)

CLAIMS = {
    "solved": Claim(
        statement="One layer and one head predict the last number for unseen (a, c).",
        quantity="accuracy on the last number at the end of training, fresh data and Muon",
        wanted=at_least(0.99, "share"),
        precondition=None,
    ),
    "solved-repeated": Claim(
        statement="One layer and one head predict the last number for unseen (a, c) with the paper's recipe, too "
        "(repeated sequences and AdamW), in this scale's number of steps.",
        quantity="accuracy on the last number at the end of training",
        wanted=at_least(0.99, "share"),
        precondition=None,
    ),
    "short-first": Claim(
        statement="Short-period training sequences are learned before long-period ones.",
        quantity="steps to 90 % of last numbers: long periods (without a = 1, mere counting) over short ones",
        wanted=at_least(1.01, "ratio"),
        precondition=FRESH,
    ),
    "test-after-train": LateClaim(
        statement="With repeated data, unseen (a, c) are learned later than training sequences of the same period.",
        quantity="steps to 90 % of last numbers, unseen over training sequences of full period: repeated data less the "
        "control with fresh data",
        wanted=at_least(0.05, "difference of ratios"),
        figure="figapp:accuracy_vs_step_m=2048",
        precondition=REPEATED,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The runs of both recipes. At paper scale these are the same runs, which count once."""
    both = first_runs(scale, seeds) + paper_runs(scale, seeds, POWERS_OF_TWO[scale][:1])
    return list({run.id: run for run in both}.values())


def measure(runs: list[Run], _scale: Scale) -> Tables:
    """Collect the metrics that training saved."""
    keys = (*LINES, *LOSSES)
    metrics = [
        {**columns(run), "repeated": run.config.data.mode == "fixed", "step": row["step"], **{k: row[k] for k in keys}}
        for run in runs
        for row in run.folder.read_metrics()
    ]
    return {"metrics": table(metrics)}


def evidence(tables: Tables) -> Evidence:
    runs = learning(tables["metrics"])
    fresh, repeated = (runs.filter(repeated=kind) for kind in (False, True))
    return {
        "solved": fresh["last"].to_list(),
        "solved-repeated": repeated["last"].to_list(),
        "short-first": short_first(runs),
        "test-after-train": unseen_last(fresh, repeated),
        FRESH: mean_or_none(fresh["last"]),
        REPEATED: mean_or_none(repeated["best"]),
    }


def learning(metrics: pl.DataFrame) -> pl.DataFrame:
    """One row per run: final and best accuracy on unseen (a, c), and the step at which each group was learned. That
    is the first evaluated step where the group has LEARNED_SHARE; null if it never has."""
    step, test = pl.col("step"), pl.col(TEST)
    return metrics.group_by("run", "seed", "repeated", maintain_order=True).agg(
        test.last().alias("last"),
        test.max().alias("best"),
        step.max().alias("steps"),
        *(step.filter(pl.col(group) >= LEARNED_SHARE).min().alias(group) for group in LINES),
    )


def short_first(runs: pl.DataFrame) -> Finding:
    """Steps to learn long periods over steps to learn short ones, by seed, mean over recipes.

    A run that never learns long periods counts with all of its steps, and the finding is a bound.
    """
    if runs[SHORT].null_count():
        return Unknown("a run never reached 90 % on short periods")
    limits = seed_means(runs.with_columns(value=pl.coalesce(LONG_NOT_COUNTING, "steps") / pl.col(SHORT)))
    censored = runs[LONG_NOT_COUNTING].null_count()
    why = f"{censored} of {len(runs)} runs never reached 90 % on long periods"
    return bound_if(censored, limits, why)


def unseen_last(fresh: pl.DataFrame, repeated: pl.DataFrame) -> Finding:
    """Steps to learn unseen (a, c) over steps for full-period training sequences: repeated minus fresh data, by seed.

    Fresh data is the control, which leaves nothing to memorise. A run that never learns unseen (a, c) counts with all
    of its steps, and the finding is a bound.
    """
    pairs = repeated.join(fresh, on="seed", how="left", suffix=" control", maintain_order="left")
    if pairs.select(FULL, f"{FULL} control", f"{TEST} control").null_count().sum_horizontal().item():
        return Unknown("a run never reached 90 % on training sequences of full period, or has no control")
    ratio = pl.coalesce(TEST, "steps") / pl.col(FULL)
    control = pl.col(f"{TEST} control") / pl.col(f"{FULL} control")
    differences = pairs.select(ratio - control).to_series().to_list()
    censored = pairs[TEST].null_count()
    why = f"{censored} of {len(repeated)} runs with repeated data never reached 90 % on unseen (a, c)"
    return bound_if(censored, differences, why)


def draw(tables: Tables) -> Pictures:
    """Accuracies above, losses below; one column per recipe, one line per seed."""
    panels = []
    recipes = tables["metrics"].partition_by("recipe", maintain_order=True)
    for title, y, keys, limits in (
        ("last number", "accuracy (share right)", LINES, (0, 1.04)),
        ("loss", "loss (nats per token)", LOSSES, (0, None)),
    ):
        for metrics in recipes:
            lines = column_lines(metrics, "step", keys)
            panel_title = f"{title}, m = {metrics['modulus'][0]}: {metrics['recipe'][0]}"
            panels.append(LinePanel(panel_title, "training step", y, lines, limits=limits))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=FixedModulus, archived_seeds=1)
