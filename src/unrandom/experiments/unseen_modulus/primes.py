"""Are unseen primes harder than unseen powers of two? (fig:um_prime_modulus)

A prime has no digits to copy. Its test sequences have period m − 1, by primitive roots as multipliers.
"""

from pathlib import Path

from unrandom.core.arithmetic import is_prime
from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.rows import by_run
from unrandom.experiments.runs import Run
from unrandom.experiments.unseen_modulus.accuracy import curve_lines, last_number_rows
from unrandom.experiments.unseen_modulus.grokking import metrics_rows
from unrandom.experiments.unseen_modulus.runs import small_runs
from unrandom.figures.panels import LinePanel, save_panels

MODULI: dict[Scale, tuple[int, ...]] = {
    "smoke": (23, 31, 32),
    "laptop": (53, 61, 64),
    "gpu": (449, 509, 512),
    "paper": (1801, 2039, 2048),
}

CLAIMS = (
    Claim(
        "as-easy",
        "Unseen primes are as easy as an unseen power of two: last-number accuracy, primes over the power.",
        "fig:um_prime_modulus",
        0.9,
        at_laptop="Primes come last: in the larger run, 127 is at a quarter after 4,000 steps and still rising.",
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    changes = {"data.test_moduli": MODULI[scale], "data.test_multipliers": "primitive-root"}
    if scale == "paper":  # 512 moduli and about 262,144 sequences
        changes |= {"data.n_m": "512", "data.n_a": "22", "data.n_c": "23"}
    return small_runs(scale, seeds, [changes])


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows = last_number_rows(runs, scale, {})
    accuracy = [{**row, "prime": is_prime(row["modulus"])} for row in rows]
    return {"accuracy": accuracy, "metrics": metrics_rows(runs)}


def evidence(tables: Tables) -> Evidence:
    ratios = []
    for rows in by_run(tables["accuracy"]).values():
        primes, powers = ([row["value"] for row in rows if row["prime"] == wanted] for wanted in (True, False))
        if sum(powers):
            ratios.append(sum(primes) / len(primes) / (sum(powers) / len(powers)))
    return {"as-easy": ratios}


def draw(tables: Tables, folder: Path) -> None:
    """Accuracy by step for each unseen modulus; a line a seed."""
    rows: Rows = tables["metrics"]
    keys = [key for key in rows[0] if key.startswith("unseen ")]
    lines = [
        line
        for kind, key in enumerate(keys)
        for line in curve_lines(rows, key, f"m = {key.removeprefix('unseen ')}", kind)
    ]
    save_panels([LinePanel("unseen moduli", "training step", "last number right", lines)], folder / "um-primes")


EXPERIMENT = Experiment(
    name="um-primes",
    about="unseen primes against an unseen power of two",
    figures=("fig:um_prime_modulus",),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
