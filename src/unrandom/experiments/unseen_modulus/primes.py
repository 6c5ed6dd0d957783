"""Are unseen primes harder than unseen powers of two? (fig:um_prime_modulus)

A prime has no digits to copy. The paper does not say with which multipliers a prime was tested; both readings are
judged: primitive roots, whose sequences have period m − 1, and a = 1, the only multiplier of full period, which counts.
"""

from pathlib import Path

import numpy as np

from unrandom.core.arithmetic import is_prime
from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, Unknown
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.rows import RowTables, as_rows, by_run
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.accuracy import counting_rows, curve_lines, last_number_rows
from unrandom.experiments.unseen_modulus.grokking import metrics_rows
from unrandom.experiments.unseen_modulus.presets import Settings, small_runs
from unrandom.figures.panels import LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus

MODULI: dict[Scale, tuple[int, ...]] = {
    "smoke": (23, 31, 32),
    "laptop": (29, 31, 32),
    "gpu": (449, 509, 512),
    "paper": (1801, 2039, 2048),
}

CHANGES: dict[Scale, Settings] = {
    "laptop": {"data.context": 24, "steps": 6000},  # a context below the period of every test
    "paper": {"data.n_m": 512, "data.n_a": 22, "data.n_c": 23},  # about 262,144 sequences
}

POWER = Precondition("learned", "last-number accuracy on the power of two", 0.9)
ROOTS, COUNTING = "primitive roots", "a = 1"
KEYS = {ROOTS: "as-easy-roots", COUNTING: "as-easy-counting"}

CLAIMS = tuple(
    Claim(
        key=key,
        statement=f"Unseen primes, tested with {reading}, are as easy as an unseen power of two.",
        quantity="accuracy on the last number, mean over primes over that of the power of two",
        unit="ratio",
        figure="fig:um_prime_modulus",
        threshold=0.9,
        precondition=POWER,
        written="before" if reading == ROOTS else "after",
    )
    for reading, key in KEYS.items()
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    changes: Settings = {
        "data.test_moduli": MODULI[scale],
        "data.test_multipliers": "primitive-root",
        **CHANGES.get(scale, {}),
    }
    return small_runs(scale, seeds, [changes])


def measure(runs: list[Run], scale: Scale) -> RowTables:
    rows = [{**row, "reading": ROOTS, "prime": is_prime(row["modulus"])} for row in last_number_rows(runs, scale, {})]
    counted = [{**row, "reading": COUNTING, "prime": True} for row in counting_rows(runs, scale)]
    return {"accuracy": rows + counted, "metrics": metrics_rows(runs)}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    rows: Rows = tables["accuracy"]
    powers = [row["value"] for row in rows if not row["prime"]]
    return Evidence(
        {key: _over_power(rows, reading) for reading, key in KEYS.items()},
        {POWER.key: float(np.mean(powers)) if powers else None},
    )


def _over_power(rows: Rows, reading: str) -> Finding:
    """For each run, the mean accuracy on primes, in one reading, over that on the power of two."""
    if not any(row["prime"] and row["reading"] == reading for row in rows):
        return Unknown(f"primes with {reading} were not measured")
    ratios = []
    for of_run in by_run(rows).values():
        primes = [row["value"] for row in of_run if row["prime"] and row["reading"] == reading]
        power = np.mean([row["value"] for row in of_run if not row["prime"]])
        ratios += [float(np.mean(primes) / power)] if power else []
    return ratios


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
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
    task=UnseenModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
