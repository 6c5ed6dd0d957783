"""When are unseen moduli learned? With the long-period training sequences, after the short ones (fig:training b)."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from unrandom.experiments.claims import Claim, Evidence, Finding, Unknown
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.accuracy import about, curve_lines
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.figures.panels import LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus

TEST, SHORT = "last_number_accuracy", "train_short_period_accuracy"
# Both measure long periods; only the second leaves out a = 1, where the sequence merely counts.
LONG, RULE = "train_long_period_accuracy", "train_rule_accuracy"
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


def metrics_rows(runs: Sequence[Run]) -> Rows:
    """What training left behind, with the accuracy on each unseen modulus."""
    return [
        {
            **about(run),
            **{key: row.get(key) for key in ("step", TEST, SHORT, LONG, RULE, "train_loss", "test_loss")},
            **{f"unseen {m}": tested["last_number_accuracy"] for m, tested in row["test_moduli"].items()},
        }
        for run in runs
        for row in run.folder.read_metrics()
    ]


def half_way(rows: Rows, key: str) -> float | None:
    """The first measured step with half of the final accuracy; None for a group that is not learned."""
    final = rows[-1][key] or 0.0
    if final < NOTHING:
        return None
    return float(next(row["step"] for row in rows if (row[key] or 0.0) >= final / 2))


def ratios(pairs: Iterable[tuple[float | None, float | None]]) -> Finding:
    """The first over the second; a pair with a group that was not learned leaves nothing to compare."""
    known = list(pairs)
    missing = sum(None in pair for pair in known)
    if missing:
        return Unknown(f"in {missing} of {len(known)} runs a group was not learned, or not measured apart from a = 1")
    return [first / second for first, second in known if first is not None and second is not None]


def measure(runs: list[Run], _scale: Scale) -> RowTables:
    return {"metrics": metrics_rows(runs)}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    curves = list(by_run(tables["metrics"]).values())
    return Evidence(
        {
            "solved": [rows[-1][TEST] for rows in curves],
            "short-first": ratios((half_way(rows, RULE), half_way(rows, SHORT)) for rows in curves),
            "together": ratios((half_way(rows, TEST), half_way(rows, RULE)) for rows in curves),
        },
        {"learned": learned(tables)},
    )


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Left the three groups of the paper, right each unseen modulus; a line a seed."""
    rows = tables["metrics"]
    groups = [(SHORT, "training, short period"), (LONG, "training, long period, a = 1 too"), (TEST, "unseen moduli")]
    if any(row[RULE] is not None for row in rows):  # older metrics do not tell a = 1 from the rest
        groups[1] = (RULE, "training, long period, a ≠ 1")
    moduli = [(key, key.removeprefix("unseen ")) for key in rows[0] if key.startswith("unseen ")]
    panels = [
        LinePanel(
            title,
            "training step",
            "accuracy (share right)",
            [line for kind, (key, label) in enumerate(keys) for line in curve_lines(rows, key, label, kind)],
        )
        for title, keys in (("last number", groups), ("last number by unseen modulus", moduli))
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
    kept_seeds=3,
)
