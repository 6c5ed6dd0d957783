"""Does the accuracy by position depend on (a, c)? (figapp:accuracy_vs_token_ac_m=2048)"""

from pathlib import Path

import numpy as np

from unrandom.core.seeds import stream
from unrandom.evaluation import Tally, evaluate
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, fast_runs
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import Examples, FixedModulus, LCGParameters, lcg_split

PAIRS = {"smoke": 4, "laptop": 24, "gpu": 24, "paper": 24}
SEEDS_OF_A_PAIR = {"smoke": 16, "laptop": 256, "gpu": 2048, "paper": 2048}  # values of x0: all that there are

CLAIMS = (
    Claim(
        key="on-top",
        statement="The curves of single (a, c) lie on top of each other.",
        quantity="largest range over pairs of the accuracy at one position, each pair measured on every x0",
        unit="share",
        figure="figapp:accuracy_vs_token_ac_m=2048",
        threshold=0.05,
        at_least=False,
        written="after",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    return fast_runs(scale, seeds, POWERS_OF_TWO[scale][:1])


def measure(runs: list[Run], scale: Scale) -> RowTables:
    """Accuracy by position for single test pairs (a, c), over many x0."""
    rows: Rows = []
    for run in runs:
        (held,) = lcg_split(run.split()).held_out
        predictor = run.predictor()
        rng = stream(run.config.seed, "pairs")
        for pair in range(PAIRS[scale]):
            a, c = rng.choice(held.multipliers), rng.choice(held.increments)
            count = min(SEEDS_OF_A_PAIR[scale], held.modulus)
            x0 = rng.permutation(held.modulus)[:count].astype(np.uint64)
            parameters = LCGParameters(held.modulus, np.full(count, a), np.full(count, c), x0)
            tested = evaluate(predictor, Examples.of(parameters, run.config.data.context + 1))
            rows += _pair_rows({**about(run), "pair": pair, "a": int(a), "c": int(c)}, tested.by_position)
    return {"pairs": rows}


def _pair_rows(which: dict, accuracy: Tally) -> Rows:
    correct, total = accuracy.correct.tolist(), accuracy.total.tolist()
    return [
        {**which, "seen": t + 1, "correct": hit, "total": n}
        for t, (hit, n) in enumerate(zip(correct, total, strict=True))
    ]


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    ranges = []
    for rows in by_run(tables["pairs"]).values():
        shares = [[row["correct"] / row["total"] for row in rows if row["seen"] == t] for t in _positions(rows)]
        ranges.append(max(max(at) - min(at) for at in shares))
    return Evidence({"on-top": ranges}, {"learned": learned(tables)})


def _positions(rows: Rows) -> list[int]:
    return sorted({row["seen"] for row in rows})


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """A line for each pair."""
    panels = []
    for rows in by_run(tables["pairs"]).values():
        seen = _positions(rows)
        lines = [
            Line(
                seen,
                [row["correct"] / row["total"] for row in rows if row["pair"] == pair],
                "a pair (a, c)",
                0,
                faint=True,
            )
            for pair in sorted({row["pair"] for row in rows})
        ]
        ticks = [2**k for k in range(seen[-1].bit_length())]
        title = f"m = {rows[0]['modulus']}, seed {rows[0]['seed']}"
        panels.append(LinePanel(title, "numbers seen (t)", "accuracy", lines, ticks))
    save_panels(panels, folder / "fm-invariance", columns=3)


EXPERIMENT = Experiment(
    name="fm-invariance",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
