"""When are unseen moduli learned? With the long-period training sequences, after the short ones (fig:training b).

The table ``metrics`` has what the main runs saved in training. The claims compare the steps at which groups of
sequences reach half of their final accuracy.
"""

from collections.abc import Iterable, Sequence

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Finding, Unknown, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale
from unrandom.experiments.summaries import by_run, column_lines, run_columns
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus

ENTRY = Entry(
    name="um-grokking",
    about="unseen moduli are learned with the long-period training sequences",
    figures={"fig:training": "accuracy by training step, fixed and unseen modulus"},
)

TEST, SHORT = "last_number_accuracy", "train_short_period_accuracy"
# Both are the accuracy on long periods; LONG_NOT_COUNTING leaves out a = 1, where the sequence merely counts.
LONG, LONG_NOT_COUNTING = "train_long_period_accuracy", "train_rule_accuracy"
UNSEEN = "unseen "  # prefix of a modulus in the name of the column with its accuracy
MIN_FINAL_ACCURACY = 0.1  # A group with a lower accuracy at the end of training was not learned.

CLAIMS = {
    "solved": Claim(
        statement="Numbers modulo unseen m are predicted.",
        quantity="accuracy on the last number at the end of training, mean over unseen moduli",
        wanted=at_least(0.9, "share"),
        precondition=None,
    ),
    "short-first": Claim(
        statement="Short-period training sequences are learned before long-period ones.",
        quantity="steps to half the final accuracy: long periods (without a = 1, mere counting) over short ones",
        wanted=at_least(1.2, "ratio"),
    ),
    "together": Claim(
        statement="Unseen moduli are learned with the long-period training sequences.",
        quantity="steps to half the final accuracy: unseen moduli over long periods (without a = 1, mere counting)",
        wanted=at_most(1.25, "ratio"),
    ),
}


def curves(runs: Sequence[Run]) -> pl.DataFrame:
    """The metrics saved in training, one row per evaluated step, with one accuracy column per unseen modulus."""
    return table(
        {
            **run_columns(run),
            **{key: row.get(key) for key in ("step", TEST, SHORT, LONG, LONG_NOT_COUNTING, "train_loss", "test_loss")},
            **{f"{UNSEEN}{m}": tested["last_number_accuracy"] for m, tested in row["test_moduli"].items()},
        }
        for run in runs
        for row in run.folder.read_metrics()
    )


def unseen_columns(metrics: pl.DataFrame) -> dict[str, str]:
    """Map unseen moduli (as text) to the columns with their accuracies."""
    return {column.removeprefix(UNSEEN): column for column in metrics.columns if column.startswith(UNSEEN)}


def half_accuracy_step(curve: pl.DataFrame, key: str) -> float | None:
    """The first evaluated step with half of the final accuracy; None if the group was not learned."""
    accuracy = curve[key].cast(pl.Float64).fill_null(0.0)
    if accuracy[-1] < MIN_FINAL_ACCURACY:
        return None
    return float(curve["step"].filter(accuracy >= accuracy[-1] / 2)[0])


def ratios(pairs: Iterable[tuple[float | None, float | None]]) -> Finding:
    """The first over the second of each pair; Unknown if a group of some pair was not learned."""
    known = list(pairs)
    missing = sum(None in pair for pair in known)
    if missing:
        return Unknown(f"in {missing} of {len(known)} runs a group was not learned, or not measured apart from a = 1")
    return [first / second for first, second in known if first is not None and second is not None]


def measure(runs: list[Run], _scale: Scale) -> Tables:
    return {"metrics": curves(runs)}


def evidence(tables: Tables) -> Evidence:
    of_runs = by_run(tables["metrics"])
    return {
        "solved": [curve[TEST][-1] for curve in of_runs],
        "short-first": ratios(
            (half_accuracy_step(curve, LONG_NOT_COUNTING), half_accuracy_step(curve, SHORT)) for curve in of_runs
        ),
        "together": ratios(
            (half_accuracy_step(curve, TEST), half_accuracy_step(curve, LONG_NOT_COUNTING)) for curve in of_runs
        ),
    }


def draw(tables: Tables) -> Pictures:
    """Left: the three groups of the paper; right: each unseen modulus. One line per seed."""
    metrics = tables["metrics"]
    groups = {SHORT: "training, short period", LONG: "training, long period, a = 1 too", TEST: "unseen moduli"}
    if metrics[LONG_NOT_COUNTING].count():  # older metrics do not separate a = 1 from the rest
        groups = {SHORT: groups[SHORT], LONG_NOT_COUNTING: "training, long period, a ≠ 1", TEST: groups[TEST]}
    moduli = {column: m for m, column in unseen_columns(metrics).items()}
    yield Picture(
        [
            LinePanel(title, "training step", "accuracy (share right)", column_lines(metrics, "step", labels))
            for title, labels in (("last number", groups), ("last number by unseen modulus", moduli))
        ]
    )


EXPERIMENT = Experiment(ENTRY, CLAIMS, main_runs, measure, evidence, draw, task=UnseenModulus, archived_seeds=3)
