"""When are unseen moduli learned? With the long-period training sequences, after the short ones (fig:training b)."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, Finding, Unknown
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.scale import Scale
from unrandom.experiments.summaries import about, by_run, learned, seed_lines
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.figures.panels import LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus

TEST, SHORT = "last_number_accuracy", "train_short_period_accuracy"
# Both measure long periods; only the second leaves out a = 1, where the sequence merely counts.
LONG, RULE = "train_long_period_accuracy", "train_rule_accuracy"
UNSEEN = "unseen "  # before a modulus: the column of its accuracy
NOTHING = 0.1  # A group that ends training below this accuracy has not begun to be learned.

CLAIMS = (
    Claim(
        key="solved",
        statement="Numbers modulo unseen m are predicted.",
        quantity="accuracy on the last number at the end of training, mean over unseen moduli",
        unit="share",
        figure="fig:training",
        threshold=0.9,
        precondition=None,
    ),
    Claim(
        key="short-first",
        statement="Short-period training sequences are learned before long-period ones.",
        quantity="steps to half the final accuracy: long periods (without a = 1, mere counting) over short ones",
        unit="ratio",
        figure="fig:training",
        threshold=1.2,
    ),
    Claim(
        key="together",
        statement="Unseen moduli are learned with the long-period training sequences.",
        quantity="steps to half the final accuracy: unseen moduli over long periods (without a = 1, mere counting)",
        unit="ratio",
        figure="fig:training",
        threshold=1.25,
        at_least=False,
    ),
)


def curves(runs: Sequence[Run]) -> pl.DataFrame:
    """What training left behind, a row for each measured step, with the accuracy on each unseen modulus."""
    return table(
        {
            **about(run),
            **{key: row.get(key) for key in ("step", TEST, SHORT, LONG, RULE, "train_loss", "test_loss")},
            **{f"{UNSEEN}{m}": tested["last_number_accuracy"] for m, tested in row["test_moduli"].items()},
        }
        for run in runs
        for row in run.folder.read_metrics()
    )


def unseen_columns(metrics: pl.DataFrame) -> dict[str, str]:
    """The columns of the unseen moduli, by modulus."""
    return {column.removeprefix(UNSEEN): column for column in metrics.columns if column.startswith(UNSEEN)}


def half_way(curve: pl.DataFrame, key: str) -> float | None:
    """The first measured step with half of the final accuracy; None for a group that is not learned."""
    accuracy = curve[key].cast(pl.Float64).fill_null(0.0)
    if accuracy[-1] < NOTHING:
        return None
    return float(curve["step"].filter(accuracy >= accuracy[-1] / 2)[0])


def ratios(pairs: Iterable[tuple[float | None, float | None]]) -> Finding:
    """The first over the second; a pair with a group that was not learned leaves nothing to compare."""
    known = list(pairs)
    missing = sum(None in pair for pair in known)
    if missing:
        return Unknown(f"in {missing} of {len(known)} runs a group was not learned, or not measured apart from a = 1")
    return [first / second for first, second in known if first is not None and second is not None]


def measure(runs: list[Run], _scale: Scale) -> Tables:
    return {"metrics": curves(runs)}


def evidence(tables: Tables) -> Evidence:
    of_runs = by_run(tables["metrics"])
    return Evidence(
        {
            "solved": [curve[TEST][-1] for curve in of_runs],
            "short-first": ratios((half_way(curve, RULE), half_way(curve, SHORT)) for curve in of_runs),
            "together": ratios((half_way(curve, TEST), half_way(curve, RULE)) for curve in of_runs),
        },
        {"learned": learned(tables)},
    )


def draw(tables: Tables, folder: Path) -> None:
    """Left the three groups of the paper, right each unseen modulus; a line a seed."""
    metrics = tables["metrics"]
    groups = {SHORT: "training, short period", LONG: "training, long period, a = 1 too", TEST: "unseen moduli"}
    if metrics[RULE].count():  # older metrics do not tell a = 1 from the rest
        groups = {SHORT: groups[SHORT], RULE: "training, long period, a ≠ 1", TEST: groups[TEST]}
    moduli = {column: m for m, column in unseen_columns(metrics).items()}
    panels = [
        LinePanel(
            title,
            "training step",
            "accuracy (share right)",
            [
                line
                for kind, (key, label) in enumerate(of.items())
                for line in seed_lines(metrics, "step", key, label, kind)
            ],
        )
        for title, of in (("last number", groups), ("last number by unseen modulus", moduli))
    ]
    save_panels(panels, folder / "um-grokking")


EXPERIMENT = Experiment(
    name="um-grokking",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=main_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    archived_seeds=3,
)
