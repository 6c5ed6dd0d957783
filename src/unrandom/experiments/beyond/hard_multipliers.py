"""What makes a multiplier hard: a good figure of merit in the spectral test, or how seldom primes divide a − 1?

The two go together: a − 1 of every spectrally good multiplier is divisible by little. So accuracy is regressed on
both, within each modulus: bits = log2 gcd(m, a − 1), which is v_2(a − 1) for m = 2^w, and the figure of merit. The
multiplier 1 only counts and is left out.
"""

from collections.abc import Iterator
from math import gcd, log2
from pathlib import Path

import numpy as np

from unrandom.core.arithmetic import is_prime
from unrandom.core.seeds import stream
from unrandom.data import FixedModulus, Parameters, SequenceSet
from unrandom.evaluation import evaluate
from unrandom.experiments.beyond.order import runs as fixed_runs
from unrandom.experiments.claims import Claim, Evidence, Precondition, Written
from unrandom.experiments.experiment import Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.rows import by_run, seed_means
from unrandom.experiments.runs import Run
from unrandom.experiments.scaling.elements import about, multiplier_rows
from unrandom.experiments.unseen_modulus.runs import hard_runs, main_runs
from unrandom.figures.panels import Line, LinePanel, save_panels
from unrandom.generators.full_period import draw_units, full_period_multipliers
from unrandom.training.machine import choose_device

SEQUENCES: dict[Scale, int] = {"smoke": 64, "laptop": 1024, "gpu": 2048, "paper": 2048}  # fixed: over all multipliers
PER_MULTIPLIER: dict[Scale, int] = {"smoke": 4, "laptop": 64, "gpu": 64, "paper": 64}  # unseen moduli
LONG, FEWER = 400, 4  # sequences of more tokens than this take long, and there are so many times fewer of them
FIXED, UNSEEN = "fixed modulus", "unseen moduli"
KEYS = {FIXED: "fixed", UNSEEN: "unseen"}


def _claims(regime: str, written: Written) -> tuple[Claim, Claim]:
    trained = Precondition(f"learned-{KEYS[regime]}", f"accuracy of the last number, {regime}, mean over runs", 0.5)
    return (
        Claim(
            key=f"{KEYS[regime]}-divisible",
            statement=f"At equal merit, multipliers are easier whose a − 1 primes of m divide more often ({regime}).",
            quantity="coefficient of log2 gcd(m, a − 1) in a regression of accuracy on both, in standard deviations",
            unit="standard deviations",
            threshold=0.2,
            precondition=trained,
            origin="beyond",
            written=written,
        ),
        Claim(
            key=f"{KEYS[regime]}-merit",
            statement=f"At equal divisibility of a − 1, spectrally better multipliers are harder ({regime}).",
            quantity="coefficient of the figure of merit in a regression of accuracy on both, in standard deviations",
            unit="standard deviations",
            threshold=-0.2,
            at_least=False,
            precondition=trained,
            origin="beyond",
            written=written,
        ),
    )


CLAIMS = (*_claims(FIXED, "after"), *_claims(UNSEEN, "before"))


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    """Models of fixed moduli and of unseen ones that other experiments have."""
    every = [*fixed_runs(scale, seeds), *main_runs(scale, seeds), *hard_runs(scale, seeds)]
    return list({run.id: run for run in every}.values())


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"multipliers": [row for run in runs for row in _rows(run, scale)]}


def _rows(run: Run, scale: Scale) -> Iterator[dict[str, object]]:
    """A row a multiplier: accuracy over all positions, the figure of merit, and the bits of gcd(m, a − 1)."""
    predictor = run.predictor(choose_device())
    regime = FIXED if isinstance(run.config.data, FixedModulus) else UNSEEN
    for sequences in _test_sets(run, scale):
        modulus = sequences.parameters.modulus(0)
        tested = evaluate(predictor, sequences)
        last = float(tested.last_number_accuracy.value)
        for row in multiplier_rows({**about(run, modulus), "regime": regime, "last": last}, tested):
            if row["multiplier"] != 1:
                yield {**row, "bits": log2(gcd(modulus, row["multiplier"] - 1))}


def _test_sets(run: Run, scale: Scale) -> Iterator[SequenceSet]:
    """Held-out multipliers of a fixed modulus, also the spectrally good; all of each unseen modulus but the primes."""
    split, data = run.split(), run.config.data
    if isinstance(data, FixedModulus):
        fewer = FEWER if data.context_tokens > LONG else 1
        for part in (split, split.with_extra_multipliers()) if split.extra_multipliers else (split,):
            test = part.test_parameters(data.modulus, SEQUENCES[scale] // fewer, name="multipliers")
            yield SequenceSet.of(test, data.context + 1)
        return
    rng = stream(run.config.seed, "multipliers")
    for m in data.test_moduli:
        if not is_prime(m):
            a = np.repeat(np.array(full_period_multipliers(m), dtype=np.uint64), PER_MULTIPLIER[scale])
            moduli = np.full(len(a), m, dtype=np.uint64)
            drawn = Parameters(m, a, draw_units(rng, moduli), rng.integers(0, m, len(a), dtype=np.uint64))
            yield SequenceSet.of(drawn, data.context + 1)


def evidence(tables: Tables) -> Evidence:
    findings, conditions = {}, {}
    for regime, key in KEYS.items():
        rows = [row for row in tables["multipliers"] if row["regime"] == regime]
        seeds = {row["seed"] for row in rows}
        shared = {m for m in {r["modulus"] for r in rows} if {r["seed"] for r in rows if r["modulus"] == m} == seeds}
        rows = [row for row in rows if row["modulus"] in shared]
        fits = [(own[0]["seed"], *_coefficients(own)) for own in _by_seed(rows)]
        findings[f"{key}-divisible"] = seed_means((seed, divisible) for seed, divisible, _ in fits)
        findings[f"{key}-merit"] = seed_means((seed, merit) for seed, _, merit in fits)
        last = {(row["run"], row["modulus"]): row["last"] for row in rows}
        conditions[f"learned-{key}"] = float(np.mean(list(last.values()))) if last else None
    return Evidence(findings, conditions)


def _by_seed(rows: Rows) -> list[Rows]:
    return [[row for row in rows if row["seed"] == seed] for seed in sorted({row["seed"] for row in rows})]


def _coefficients(rows: Rows) -> tuple[float, float]:
    """Of the bits of gcd(m, a − 1) and of the merit, both and the accuracy in standard deviations of their modulus."""
    columns = ("bits", "merit", "accuracy")
    parts = []
    for own in by_run(rows).values():
        for m in sorted({row["modulus"] for row in own}):
            values = np.array([[row[column] for column in columns] for row in own if row["modulus"] == m])
            spread = values.std(axis=0)
            parts.append((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1))
    pooled = np.concatenate(parts)
    (divisible, merit), *_ = np.linalg.lstsq(pooled[:, :2], pooled[:, 2], rcond=None)
    return float(divisible), float(merit)


def draw(tables: Tables, folder: Path) -> None:
    """Accuracy by the bits of gcd(m, a − 1) and by merit, a line a modulus, for fixed and for unseen moduli."""
    panels = []
    for regime in KEYS:
        rows = [row for row in tables["multipliers"] if row["regime"] == regime]
        panels.append(_by_bits(rows, regime))
        panels.append(_by_merit(rows, regime))
    save_panels(panels, folder / "hard-multipliers")


def _by_bits(rows: Rows, regime: str) -> LinePanel:
    lines = []
    for kind, m in enumerate(sorted({row["modulus"] for row in rows})):
        own = [row for row in rows if row["modulus"] == m]
        bits = sorted({row["bits"] for row in own})
        means = [float(np.mean([row["accuracy"] for row in own if row["bits"] == each])) for each in bits]
        lines.append(Line(bits, means, f"m = {m}", kind))
    title = f"{regime}: by divisibility of a − 1"
    return LinePanel(title, "log2 gcd(m, a − 1), bits", "accuracy, all positions", lines, limits=(0, 1.04), beside=True)


def _by_merit(rows: Rows, regime: str) -> LinePanel:
    """At equal divisibility: the multipliers of each modulus that are divisible least."""
    lines = []
    for kind, m in enumerate(sorted({row["modulus"] for row in rows})):
        least = min(row["bits"] for row in rows if row["modulus"] == m)
        own = [row for row in rows if row["modulus"] == m and row["bits"] == least]
        lines.append(Line([r["merit"] for r in own], [r["accuracy"] for r in own], f"m = {m}", kind, dots=True))
    title = f"{regime}: least divisible a − 1 alone"
    return LinePanel(title, "figure of merit", "accuracy, all positions", lines, limits=(0, 1.04), beside=True)


EXPERIMENT = Experiment(
    name="hard-multipliers",
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
)
