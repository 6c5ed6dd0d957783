"""How far is a trained model from what is possible? Copying, looking back by hand, algebra and the exact posterior.

All on one test set: accuracy by position, and the numbers needed for 60, 90 and 99 % over those of the posterior. For a
fixed modulus, what the paper's explanation predicts is held against the model digit by digit.
"""

from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, Precondition
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.fixed_modulus.accuracy import evaluated
from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, fast_runs
from unrandom.experiments.rows import RowTables, as_rows, best_modulus
from unrandom.experiments.scale import Scale
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.predictors import LookbackPredictor
from unrandom.runs.comparison import CEILING, compare
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, UnseenModulus, make_predictors
from unrandom.training.machine import choose_device

SEQUENCES: dict[Scale, int] = {"smoke": 16, "laptop": 512, "gpu": 512, "paper": 512}
MODEL = "transformer"
KNOWN = 0.9  # of sequences: from here a digit counts as known

FIXED = Precondition("learned-fixed", "last-number accuracy of the fixed-modulus runs", 0.9)
UNSEEN = Precondition("learned-unseen", "last-number accuracy of the unseen-modulus runs on the best modulus", 0.9)

CLAIMS = (
    Claim(
        key="fixed-far",
        statement="For a fixed modulus, the model needs several times the numbers that would do.",
        quantity="numbers for 99 %, model over exact posterior",
        unit="ratio",
        threshold=3.0,
        precondition=FIXED,
        origin="beyond",
    ),
    Claim(
        key="unseen-far",
        statement="For unseen moduli, the model needs several times the numbers that would do.",
        quantity="numbers for 60 %, model over exact posterior, mean over moduli",
        unit="ratio",
        threshold=3.0,
        precondition=UNSEEN,
        origin="beyond",
    ),
    Claim(
        key="explained",
        statement="The model knows the digits that looking back by hand is certain of.",
        quantity="share of digits and positions that look-back is certain of, at which the model knows them too",
        unit="share",
        threshold=0.9,
        precondition=FIXED,
        origin="beyond",
    ),
    Claim(
        key="unexplained",
        statement="The model knows no digits that looking back by hand is not certain of.",
        quantity="share of digits and positions that look-back is not certain of, at which the model knows them",
        unit="share",
        threshold=0.1,
        at_least=False,
        precondition=FIXED,
        origin="beyond",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """A fixed modulus and the unseen ones, as other experiments have them."""
    return fast_runs(scale, seeds, POWERS_OF_TWO[scale][:1]) + main_runs(scale, seeds)


def measure(runs: list[Run], scale: Scale) -> RowTables:
    tables: RowTables = {"positions": [], "needed": [], "digits": []}
    for run in runs:
        data = run.config.data
        predictors = [run.predictor(choose_device()), *make_predictors(list(data.baselines()), data)]
        for compared in compare(run, predictors, part=None, sequences=SEQUENCES[scale]):
            which = {"run": run.id, "seed": run.config.seed, "regime": data.name}
            for row in compared["predictors"]:
                about = {**which, "modulus": compared["part"], "predictor": row["predictor"]}
                curve = row["by_position"]
                tables["positions"] += [
                    {**about, "seen": seen, "value": value}
                    for seen, value in zip(curve["seen"], curve["value"], strict=True)
                ]
                tables["needed"] += [{**about, "threshold": key, **found} for key, found in row["needed"].items()]
        if data.name == FixedModulus.name:
            tables["digits"] += _digit_rows(run, SEQUENCES[scale])
    return tables


def _digit_rows(run: Run, sequences: int) -> Rows:
    """For each digit and position, how often the model is right, and whether looking back is certain."""
    tested = evaluated(run, sequences)
    lookback = LookbackPredictor(tested.basis)
    certain = np.array([lookback.digits_known(t) for t in range(tested.correct.shape[1])])
    return [
        {
            "run": run.id,
            "seed": run.config.seed,
            "modulus": tested.basis,
            "digit": digit,
            "seen": t + 1,
            "value": float(value),
            "certain": bool(certain[t, i]),
        }
        for i, (digit, tally) in enumerate(tested.by_digit().items())
        for t, value in enumerate(tally.value)
    ]


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    return Evidence(
        {
            "fixed-far": _ratios(tables, FixedModulus.name, "99%"),
            "unseen-far": _ratios(tables, UnseenModulus.name, "60%"),
            "explained": _known(tables["digits"], certain=True),
            "unexplained": _known(tables["digits"], certain=False),
        },
        {
            FIXED.key: _best(tables["positions"], FixedModulus.name),
            UNSEEN.key: _best(tables["positions"], UnseenModulus.name),
        },
    )


def _best(positions: Rows, regime: str) -> float | None:
    """The model's accuracy on the last number of its best test modulus, the mean over runs."""
    own = [row for row in positions if (row["regime"], row["predictor"]) == (regime, MODEL)]
    return best_modulus(own) if own else None


def _ratios(tables: RowTables, regime: str, threshold: str) -> Finding:
    """For each run, the model's numbers needed over the ceiling's: the mean over its test moduli.

    Where the model never gets there, it needs more numbers than it was shown: the ratio is a bound.
    """
    shown = {(row["run"], row["modulus"]): row["seen"] for row in tables["positions"]}  # the last of each stays
    asked = [row for row in tables["needed"] if (row["regime"], row["threshold"]) == (regime, threshold)]
    least = {(row["run"], row["modulus"]): row["numbers"] for row in asked if row["predictor"] == CEILING}
    found: dict[str, list[float]] = {}
    stopped, model = 0, [row for row in asked if row["predictor"] == MODEL]
    for row in model:
        place = (row["run"], row["modulus"])
        stopped += row["numbers"] is None
        found.setdefault(row["run"], []).append((row["numbers"] or shown[place] + 1) / least[place])
    limits = [float(np.mean(ratios)) for ratios in found.values()]
    why = f"the model never got there for {stopped} of {len(model)} runs and moduli"
    return Bound(limits, at_least=True, why=why) if stopped else limits


def _known(digits: Rows, *, certain: bool) -> list[float]:
    """For each run, the share of digits and positions, certain ones or the others, at which the model knows them."""
    found: dict[str, list[bool]] = {}
    for row in digits:
        if row["certain"] == certain:
            found.setdefault(row["run"], []).append(row["value"] >= KNOWN)
    return [float(np.mean(known)) for known in found.values()]


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Accuracy by position of every predictor, a panel a modulus; the model's line once a seed."""
    panels = []
    for regime, modulus in dict.fromkeys((row["regime"], row["modulus"]) for row in tables["positions"]):
        rows = [row for row in tables["positions"] if (row["regime"], row["modulus"]) == (regime, modulus)]
        first = min(row["seed"] for row in rows)
        lines = []
        for kind, name in enumerate(dict.fromkeys(row["predictor"] for row in rows)):
            seeds = sorted({row["seed"] for row in rows}) if name == MODEL else [first]
            for seed in seeds:
                curve = [row for row in rows if (row["predictor"], row["seed"]) == (name, seed)]
                lines.append(Line([row["seen"] for row in curve], [row["value"] for row in curve], name, kind))
        longest = max(row["seen"] for row in rows)
        ticks = [2**k for k in range(longest.bit_length())]
        title = f"{'fixed' if regime == 'fm' else 'unseen'} modulus {modulus}"
        panels.append(
            LinePanel(title, "numbers seen (t)", "number right", lines, ticks, limits=(-0.04, 1.04), beside=True)
        )
    save_panels(panels, folder / "ceilings")


EXPERIMENT = Experiment(
    name="ceilings",
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
    kept_seeds=1,
)
