"""What is missing at unseen moduli? The look-backs that no training modulus has.

The differences of a full-period sequence repeat after r = m / gcd(m, a − 1) steps, so that x[t] is x[t−r] plus one and
the same shift. Which r a multiplier needs depends on the modulus: 125 has 5 and 25, 128 the powers of two to 32.
Below 154 no modulus but these two has 25 or 32. Both runs have the same test; one sees moduli up to 153, the other
wider ones, at which every look-back of the test occurs.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt64

from unrandom.core.seeds import stream
from unrandom.data import Parameters
from unrandom.experiments.claims import Claim, Evidence, Precondition
from unrandom.experiments.experiment import Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.rows import by_run
from unrandom.experiments.runs import Run
from unrandom.experiments.unseen_modulus.accuracy import about
from unrandom.experiments.unseen_modulus.runs import MAIN_RECIPE, Settings, base, planned
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.generators.full_period import draw_units, full_period_multipliers, lookback
from unrandom.training.machine import choose_device

SEQUENCES: dict[Scale, int] = {"smoke": 16, "laptop": 512, "gpu": 512, "paper": 512}  # of each look-back


def _wider(largest: int, lookbacks: tuple[int, ...]) -> Settings:
    """More moduli, fewer rows that count, and arbitrary rows whose differences repeat within half of the context."""
    return {
        "data.max_modulus": largest,
        "data.counting_share": 0.2,
        "data.order_share": 0.8,
        "data.lookbacks": lookbacks,
    }


WIDER: dict[Scale, Settings] = {
    "smoke": _wider(64, (2, 3, 4, 5, 6)),
    "laptop": _wider(512, (*range(2, 31), 32)),  # no modulus to 512 has a multiplier of order 31 that shifts
    "gpu": _wider(4096, tuple(range(2, 129))),
    "paper": {},  # its pools are drawn once
}

TRAINED = Precondition(
    "trained", "accuracy on the last number of training moduli at the look-backs that they have", 0.9
)

CLAIMS = (
    Claim(
        key="taught",
        statement="At look-backs that some training modulus has, unseen moduli are predicted.",
        quantity="accuracy on the last number, mean over unseen moduli and such look-backs, trained on few moduli",
        unit="share",
        threshold=0.9,
        precondition=TRAINED,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="missing",
        statement="At look-backs that none has, they are predicted worse.",
        quantity="accuracy on the last number of unseen moduli, at look-backs that training has less at others",
        unit="difference of shares",
        threshold=0.2,
        precondition=TRAINED,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="widened",
        statement="Training on wider moduli that have them brings them.",
        quantity="accuracy at these look-backs, trained on wide moduli less on few, mean over unseen moduli",
        unit="difference of shares",
        threshold=0.2,
        precondition=TRAINED,
        origin="beyond",
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    """The run that is looked into on few moduli, and on wider ones."""
    name = MAIN_RECIPE[scale]
    return planned(name, base(name, scale), [{}, WIDER[scale]], seeds)


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"lookbacks": [row for run in runs for row in _rows(run, SEQUENCES[scale])]}


def _rows(run: Run, sequences: int) -> Iterator[dict[str, Any]]:
    """Accuracy by look-back, up to half of the context: of each unseen modulus, and of training moduli together."""
    split, data = run.split(), run.config.data
    multipliers = {m: _by_lookback(m) for m in (*data.test_moduli, *split.seen_moduli)}
    predictor = run.predictor(choose_device())
    rng = stream(run.config.seed, "look-backs")
    for r in range(1, data.context // 2 + 1):
        training = [m for m in split.seen_moduli if r in multipliers[m]]
        groups = {m: [m] for m in data.test_moduli if r in multipliers[m]} | ({0: training} if training else {})
        for m, moduli in groups.items():
            drawn = _draw(rng, {each: multipliers[each][r] for each in moduli}, sequences)
            numbers = drawn.orbits(data.context + 1)
            right = predictor.predict(numbers).numbers[:, -1] == numbers[:, -1]
            row = {"modulus": m, "moduli to": data.largest_modulus, "look-back": r, "taught": bool(training)}
            yield {**about(run), **row, "value": float(right.mean())}


def _by_lookback(m: int) -> dict[int, UInt64[np.ndarray, " multipliers"]]:
    found: dict[int, list[int]] = {}
    for a in full_period_multipliers(m):
        found.setdefault(lookback(m, a), []).append(a)
    return {r: np.array(each, dtype=np.uint64) for r, each in found.items()}


def _draw(
    rng: np.random.Generator, multipliers: Mapping[int, UInt64[np.ndarray, " multipliers"]], rows: int
) -> Parameters:
    """Rows of full period: a modulus, each alike, and one of its multipliers; c and x0 uniform."""
    m = rng.choice(np.array(list(multipliers), dtype=np.uint64), rows)
    a = np.array([rng.choice(multipliers[int(each)]) for each in m], dtype=np.uint64)
    return Parameters(m, a, draw_units(rng, m), rng.integers(0, m, dtype=np.uint64))


def evidence(tables: Tables) -> Evidence:
    """By seed. The multiplier 1, of look-back 1, only counts and is left out."""
    rows = [row for row in tables["lookbacks"] if row["look-back"] > 1]
    narrowest = min(row["moduli to"] for row in rows)
    few = [row for row in rows if row["moduli to"] == narrowest]
    missing = {(row["modulus"], row["look-back"]) for row in few if not row["taught"]}
    found: dict[str, list[float]] = {claim.key: [] for claim in CLAIMS}
    for seed in sorted({row["seed"] for row in few}):
        unseen = {
            name: {
                (row["modulus"], row["look-back"]): row["value"]
                for row in part
                if row["seed"] == seed and row["modulus"]
            }
            for name, part in (("few", few), ("wide", [row for row in rows if row["moduli to"] > narrowest]))
        }
        taught = [value for place, value in unseen["few"].items() if place not in missing]
        untaught = [value for place, value in unseen["few"].items() if place in missing]
        widened = [value for place, value in unseen["wide"].items() if place in missing]
        found["taught"] += [float(np.mean(taught))] if taught else []
        if taught and untaught:
            found["missing"].append(float(np.mean(taught) - np.mean(untaught)))
        if widened and untaught:
            found["widened"].append(float(np.mean(widened) - np.mean(untaught)))
    training = [row["value"] for row in few if not row["modulus"]]
    return Evidence(found, {TRAINED.key: float(np.mean(training)) if training else None})


def draw(tables: Tables, folder: Path) -> None:
    """Accuracy by look-back for training and unseen moduli; a line a seed, a panel a range of training moduli."""
    rows: Rows = tables["lookbacks"]
    panels = [
        LinePanel(
            f"trained on moduli to {wide}",
            "look-back that the multiplier needs",
            "last number right",
            list(_lines([row for row in rows if row["moduli to"] == wide])),
            ticks=(1, 2, 4, 8, 16, 32),
        )
        for wide in sorted({row["moduli to"] for row in rows})
    ]
    save_panels(panels, folder / "um-needed-lookback")


def _lines(rows: Rows) -> Iterator[Line]:
    for kind, m in enumerate(sorted({row["modulus"] for row in rows})):
        for own in by_run([row for row in rows if row["modulus"] == m]).values():
            x, y = ([row[key] for row in own] for key in ("look-back", "value"))
            yield Line(x, y, f"unseen m = {m}" if m else "training moduli", kind, crosses=m > 0 and len(own) < 2)


EXPERIMENT = Experiment(
    name="um-needed-lookback",
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
    kept_seeds=3,
)
