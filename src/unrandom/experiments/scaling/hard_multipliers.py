"""Tests whether a multiplier is hard by a good figure of merit in the spectral test, or because few primes divide a −
1.

The two are correlated: where much divides a − 1, the lattice of the spectral test is coarse. So accuracy is regressed
on both, within each modulus: log2 gcd(m, a − 1), in the column ``bits``, which is v_2(a − 1) for m = 2^w, and the
figure of merit; and at equal gcd it is correlated with merit alone. The models are other experiments', for
fixed and for unseen moduli; the table is ``multipliers``. The multiplier 1 is left out, as its sequences only count.
"""

from collections.abc import Iterator, Sequence
from math import gcd, log2

import numpy as np
import polars as pl

from unrandom.core.arithmetic import is_prime
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.experiments.baselines.order import runs as fixed_runs
from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, Written, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling.measurement import multiplier_rows
from unrandom.experiments.summaries import by_modulus, by_seed, moduli_of_every_seed, run_columns
from unrandom.experiments.unseen_modulus.presets import hard_runs, shortcut_runs
from unrandom.figures.panels import Line, LinePanel
from unrandom.generators.full_period import draw_units, full_period_multipliers
from unrandom.runs.tables import Tables, table
from unrandom.tasks import Examples, LCGParameters, lcg_split, lcg_task
from unrandom.training.machine import choose_device

ENTRY = Entry(
    name="hard-multipliers",
    place=9,
    about="what makes a multiplier hard: the spectral test, or how often p divides a − 1",
    minutes=633,
)

# Number of test sequences of a fixed modulus, per test set and over all its multipliers.
SEQUENCES = by_scale(smoke=64, laptop=1024, paper=2048)
PER_MULTIPLIER = by_scale(smoke=4, laptop=64)  # unseen moduli
# Fixed moduli whose context has more than LONG_CONTEXT_TOKENS tokens are tested on a quarter of the sequences.
LONG_CONTEXT_TOKENS, LONG_CONTEXT_DIVISOR = 400, 4
FIXED, UNSEEN = "fixed modulus", "unseen moduli"
KEYS = {FIXED: "fixed", UNSEEN: "unseen"}
TRAINED = {each: Precondition(f"accuracy of the last number, {each}, mean over runs", 0.5) for each in KEYS}


def _claims(regime: str, written: Written) -> dict[str, Claim]:
    return {
        f"{KEYS[regime]}-divisible": Claim(
            statement=f"The larger gcd(m, a − 1), the easier the multiplier, at equal merit ({regime}).",
            quantity="coefficient of log2 gcd(m, a − 1) in a regression of accuracy on both, in standard deviations",
            wanted=at_least(0.2, "standard deviations"),
            precondition=TRAINED[regime],
            written=written,
        ),
        f"{KEYS[regime]}-merit": Claim(
            statement=f"Spectrally better multipliers are harder, at equal gcd(m, a − 1) ({regime}).",
            quantity="correlation of accuracy with the figure of merit among multipliers of one modulus and gcd",
            wanted=at_most(-0.2, "correlation"),
            precondition=TRAINED[regime],
            written=written,
        ),
    }


CLAIMS = {**_claims(FIXED, "after"), **_claims(UNSEEN, "before")}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Runs of fixed moduli and of unseen moduli that other experiments train, too."""
    every = {FIXED: fixed_runs(scale, seeds), UNSEEN: [*shortcut_runs(scale, seeds), *hard_runs(scale, seeds)]}
    labelled = [
        run.labelled(regime=regime, data_seed=run.config.split_seed)
        for regime, planned in every.items()
        for run in planned
    ]
    return list({run.id: run for run in labelled}.values())


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"multipliers": table(row for run in runs for row in _rows(run, scale))}


def _rows(run: Run, scale: Scale) -> Iterator[dict[str, object]]:
    """One row per multiplier: accuracy over all positions, the figure of merit, and log2 gcd(m, a − 1)."""
    predictor = run.predictor(choose_device())
    last: dict[int, float] = {}  # The first test set of a modulus counts: it has the multipliers drawn at random.
    for sequences in _test_sets(run, scale):
        modulus = sequences.parameters.modulus(0)
        tested = evaluate(predictor, sequences)
        last.setdefault(modulus, float(tested.last_number_accuracy.value))
        for row in multiplier_rows({**run_columns(run), "modulus": modulus, "last": last[modulus]}, tested):
            if row["multiplier"] != 1:
                yield {**row, "bits": log2(gcd(modulus, row["multiplier"] - 1))}


def _test_sets(run: Run, scale: Scale) -> Iterator[Examples[LCGParameters]]:
    """Held-out and spectrally good multipliers of a fixed modulus; for composite unseen moduli, all of full period."""
    split, data = lcg_split(run.split()), lcg_task(run.config.data)
    if not data.unseen_moduli:
        fewer = LONG_CONTEXT_DIVISOR if data.context_tokens > LONG_CONTEXT_TOKENS else 1
        for part in (split, split.with_extra_multipliers()) if split.extra_multipliers else (split,):
            yield part.test(data.largest_modulus, SEQUENCES[scale] // fewer, name="multipliers")
        return
    rng = stream(run.config.seed, "multipliers")
    for m in data.moduli:
        if not is_prime(m):
            a = np.repeat(np.array(full_period_multipliers(m), dtype=np.uint64), PER_MULTIPLIER[scale])
            moduli = np.full(len(a), m, dtype=np.uint64)
            drawn = LCGParameters(m, a, draw_units(rng, moduli), rng.integers(0, m, len(a), dtype=np.uint64))
            yield Examples.of(drawn, data.context + 1)


def evidence(tables: Tables) -> Evidence:
    found: dict[str | Precondition, Finding | float] = {}
    for regime, key in KEYS.items():
        multipliers = moduli_of_every_seed(tables["multipliers"].filter(regime=regime))
        found[f"{key}-divisible"] = [_coefficient_of_gcd(of_seed) for of_seed in by_seed(multipliers)]
        found[f"{key}-merit"] = [_correlation_at_equal_gcd(of_seed) for of_seed in by_seed(multipliers)]
        last = multipliers.unique(["run", "modulus"], keep="last", maintain_order=True)["last"].to_list()
        found[TRAINED[regime]] = float(np.mean(last))
    return found


def _coefficient_of_gcd(multipliers: pl.DataFrame) -> float:
    """Coefficient of log2 gcd in a regression of accuracy on it and merit, standardised within run and modulus."""
    same, columns = ("run", "modulus"), pl.col("bits", "merit", "accuracy")
    spread = columns.std(ddof=0).over(same)
    pooled = multipliers.select(_centred(columns, same) / pl.when(spread > 0).then(spread).otherwise(1)).to_numpy()
    (of_gcd, _), *_ = np.linalg.lstsq(pooled[:, :2], pooled[:, 2], rcond=None)
    return float(of_gcd)


def _correlation_at_equal_gcd(multipliers: pl.DataFrame) -> float:
    """Correlation of accuracy with merit, each centred within the same run, modulus and gcd(m, a − 1)."""
    centred = _centred(pl.col("merit", "accuracy"), ("run", "modulus", "bits"))
    merit, accuracy = multipliers.select(centred).to_numpy().T
    return float(merit @ accuracy / max(np.sqrt((merit @ merit) * (accuracy @ accuracy)), 1e-12))


def _centred(columns: pl.Expr, same: Sequence[str]) -> pl.Expr:
    """Subtract from columns their means over the rows with the same values of the columns ``same``."""
    return columns - columns.mean().over(same)


def draw(tables: Tables) -> Pictures:
    """Accuracy by log2 gcd(m, a − 1), then by merit, for fixed and unseen moduli; one line per modulus."""
    panels = []
    for regime in KEYS:
        multipliers = by_modulus(tables["multipliers"].filter(regime=regime))
        means = {
            m: each.group_by("bits").agg(pl.col("accuracy").mean()).sort("bits") for m, each in multipliers.items()
        }
        panels.append(_panel(f"{regime}: by divisibility of a − 1", "log2 gcd(m, a − 1), bits", means, "bits"))
        least = {m: each.filter(pl.col("bits") == pl.col("bits").min()) for m, each in multipliers.items()}
        panels.append(_panel(f"{regime}: least divisible a − 1 alone", "figure of merit", least, "merit", dots=True))
    yield Picture(panels)


def _panel(title: str, x: str, moduli: dict[int, pl.DataFrame], column: str, *, dots: bool = False) -> LinePanel:
    """Accuracy over all positions by a column, one line per modulus."""
    lines = [
        Line(of_modulus[column].to_list(), of_modulus["accuracy"].to_list(), f"m = {m}", kind, dots=dots)
        for kind, (m, of_modulus) in enumerate(moduli.items())
    ]
    return LinePanel(title, x, "accuracy, all positions", lines, limits=(0, 1.04))


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, compares=True)
