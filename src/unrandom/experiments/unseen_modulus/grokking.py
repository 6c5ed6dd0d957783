"""When are unseen moduli learned? With the long-period training sequences, after the short ones (fig:training b)."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, Rows, Scale, Tables
from unrandom.experiments.rows import by_run
from unrandom.experiments.runs import Run
from unrandom.experiments.unseen_modulus.accuracy import LEARNED, about, curve_lines
from unrandom.experiments.unseen_modulus.runs import main_runs
from unrandom.figures.panels import LinePanel, save_panels

TEST, SHORT, LONG = "last_number_accuracy", "train_short_period_accuracy", "train_long_period_accuracy"

CLAIMS = (
    Claim(
        "solved",
        "Numbers modulo unseen m are predicted: last-number accuracy at the end.",
        "fig:training",
        0.9,
        at_laptop="Still rising when training ends: the prime 127 starts last, and is at a quarter by then.",
    ),
    Claim(
        "short-first",
        "Short-period training sequences are learned first: steps to half the final accuracy, long over short.",
        "fig:training",
        1.2,
        at_laptop="Half of each batch has full period, most of it mere counting (a = 1), which has a long period "
        "and is learned at once.",
    ),
    Claim(
        "together",
        "Unseen moduli come with the long-period training sequences: steps to half the final accuracy, unseen over "
        "long.",
        "fig:training",
        1.25,
        at_least=False,
        at_laptop="Counting (a = 1) makes up most of the long-period training sequences here, and says nothing of "
        "unseen moduli.",
    ),
)


def metrics_rows(runs: Sequence[Run]) -> Rows:
    """What training left behind, with the accuracy on each unseen modulus."""
    return [
        {
            **about(run),
            **{key: row[key] for key in ("step", TEST, SHORT, LONG, "train_loss", "test_loss")},
            **{f"unseen {m}": tested["last_number_accuracy"] for m, tested in row["test_moduli"].items()},
        }
        for run in runs
        for row in run.folder.read_metrics()
    ]


def half_way(rows: Rows, key: str) -> float | None:
    """The first measured step with half of the final accuracy; None for a group that is not learned."""
    final = rows[-1][key] or 0.0
    if final < LEARNED:
        return None
    return float(next(row["step"] for row in rows if (row[key] or 0.0) >= final / 2))


def ratios(pairs: Iterable[tuple[float | None, float | None]]) -> list[float]:
    """The first over the second, where both are known."""
    return [first / second for first, second in pairs if first is not None and second]


def measure(runs: list[Run], _scale: Scale) -> Tables:
    return {"metrics": metrics_rows(runs)}


def evidence(tables: Tables) -> Evidence:
    curves = list(by_run(tables["metrics"]).values())
    return {
        "solved": [rows[-1][TEST] for rows in curves],
        "short-first": ratios((half_way(rows, LONG), half_way(rows, SHORT)) for rows in curves),
        "together": ratios((half_way(rows, TEST), half_way(rows, LONG)) for rows in curves),
    }


def draw(tables: Tables, folder: Path) -> None:
    """Left the three groups of the paper, right each unseen modulus; a line a seed."""
    rows = tables["metrics"]
    groups = [(SHORT, "training, short period"), (LONG, "training, long period"), (TEST, "unseen moduli")]
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
    about="unseen moduli come with the long-period training sequences",
    figures=("fig:training",),
    claims=CLAIMS,
    runs=main_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=2,
)
