"""Is a prime modulus harder? (fig:prime_modulus; the paper's appendix on prime moduli)

A prime has one digit, as long as the modulus, so there is nothing to copy before the period ends.
"""

from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Claim, Evidence, Precondition
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.fixed_modulus.accuracy import SEQUENCES, about, evaluated, position_rows
from unrandom.experiments.fixed_modulus.presets import prime_runs
from unrandom.experiments.rows import RowTables, as_rows, seed_lines
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_task

POWER = Precondition("learned", "accuracy on the power of two", 0.9)

CLAIMS = (
    Claim(
        key="power",
        statement="Two layers learn the power of two.",
        quantity="accuracy on the last number for unseen (a, c) of full period",
        unit="share",
        figure="fig:prime_modulus",
        threshold=0.95,
        precondition=None,
    ),
    Claim(
        key="prime",
        statement="The same model does not learn the prime in the same steps.",
        quantity="accuracy on the last number for unseen multipliers that are primitive roots (period m − 1)",
        unit="share",
        figure="fig:prime_modulus",
        threshold=0.5,
        at_least=False,
        precondition=POWER,
    ),
)


def measure(runs: list[Run], scale: Scale) -> RowTables:
    positions = [row for run in runs for row in position_rows(run, evaluated(run, SEQUENCES[scale]))]
    metrics = [
        {
            **about(run),
            "step": row["step"],
            "test": row["last_number_accuracy"],
            "training": row["train_long_period_accuracy"],
        }
        for run in runs
        for row in run.folder.read_metrics()
    ]
    rule = [{**about(run), "test_multipliers": lcg_task(run.config.data).test_multipliers} for run in runs]
    return {"positions": positions, "metrics": metrics, "rules": rule}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    prime = {row["run"] for row in tables["rules"] if row["test_multipliers"] == "primitive-root"}
    last: dict[str, float] = {row["run"]: row["value"] for row in tables["positions"]}
    power = [value for run, value in last.items() if run not in prime]
    return Evidence(
        {"power": power, "prime": [value for run, value in last.items() if run in prime]},
        {POWER.key: float(np.mean(power)) if power else None},
    )


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Test and long-period training accuracy by step, as in the paper; a line a seed."""
    panels = []
    for key, title in (("test", "unseen (a, c)"), ("training", "long-period training sequences")):
        lines = [
            line
            for kind, m in enumerate(dict.fromkeys(row["modulus"] for row in tables["metrics"]))
            for line in seed_lines([r for r in tables["metrics"] if r["modulus"] == m], "step", key, f"m = {m}", kind)
        ]
        panels.append(LinePanel(f"last number, {title}", "training step", "accuracy (share right)", lines))
    save_panels(panels, folder / "fm-primes")


EXPERIMENT = Experiment(
    name="fm-primes",
    task=FixedModulus,
    claims=CLAIMS,
    runs=prime_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
)
