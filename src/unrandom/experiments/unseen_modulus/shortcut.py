"""Tests whether a look-back of one distance is enough, and whether models use more, on moduli that it solves and
others.

By the theorem of docs/order.md, x[n] = 2 x[n − s] − x[n − 2 s] modulo m holds in every full-period sequence whose
r = m / gcd(m, a − 1) divides s². So one stride s solves a task whose test moduli all have such r, whatever the modulus:
s = 12 solves um-144. Three tasks are compared: um-144, um-128, and the main task, whose test moduli have no stride in
common. Table ``lookbacks`` has the accuracy on the last number by r, for unseen moduli and for training moduli, of the
model and of the best stride; ``progressions`` has it on s interleaved arithmetic progressions modulo a prime, which a
stride of s continues and which are not LCGs; ``adaptivity`` the index of the most adaptive head, by r.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import UInt64

from unrandom.core.arithmetic import is_prime
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.summaries import by_run, each_run, group_lines, named, seed_lines, tables_by_run
from unrandom.experiments.unseen_modulus.accuracy import last_number_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import sequences_by_lookback
from unrandom.experiments.unseen_modulus.lookback import (
    ADAPTIVE_INDEX,
    NEEDED,
    adaptivity_rows,
    compared_lookbacks,
    patterns_by_lookback,
)
from unrandom.experiments.unseen_modulus.presets import hard_runs, main_runs, shortcut_runs
from unrandom.figures.panels import Line, LinePanel
from unrandom.generators.full_period import lookback_counts
from unrandom.interpretation import adaptivity
from unrandom.predictors.fixed_lookback import FixedLookback
from unrandom.runs.tables import Tables
from unrandom.tasks import LCGTask, UnseenModulus, lcg_split, lcg_task

ENTRY = Entry(
    name="um-shortcut",
    place=2,
    about="whether a look-back of one distance for all moduli explains the models of unseen moduli",
    minutes=380,
)

SEQUENCES = by_scale(smoke=16, laptop=512, overnight=128, paper=512)  # per look-back
MOST_PROGRESSIONS = by_scale(smoke=32, laptop=32, overnight=16, paper=32)
PATTERN_SEQUENCES = by_scale(smoke=8, laptop=128)  # per look-back
UNSEEN, TRAINING = "unseen", "training"

# what the runs of the three tasks are called
FIXED, ADAPTIVE, MAIN = "common stride", "hard moduli", "no common stride"

CLAIMS = {
    "fixed-right": LateClaim(
        statement="Where test moduli share a stride, models are right at the look-backs that it fits, and wrong at "
        "others that training has.",
        quantity=f"{FIXED}: accuracy on the last number of training moduli, r that divide s² less other r",
        wanted=at_least(0.3, "difference of shares"),
    ),
    "fixed-progressions": LateClaim(
        statement="Where test moduli share a stride, models continue interleaved arithmetic progressions, which are no "
        "LCG.",
        quantity=f"{FIXED}: accuracy on the last number of 2, 3 and 6 progressions modulo a prime, mean",
        wanted=at_least(0.75, "share"),
    ),
    "fixed-attention": LateClaim(
        statement="Where test moduli share a stride, no head adapts its look-back to the modulus.",
        quantity=f"{FIXED}: index of adaptivity of the most adaptive head, mean over r",
        wanted=at_most(ADAPTIVE_INDEX, "difference of shares"),
    ),
    "hard-adapts": LateClaim(
        statement="On moduli of a narrow range, a head of a later layer adapts its look-back to the modulus.",
        quantity=f"{ADAPTIVE}: index of adaptivity of the most adaptive head, mean over r",
        wanted=at_least(ADAPTIVE_INDEX, "difference of shares"),
    ),
    "beyond": Claim(
        statement="Where no stride is common to the test moduli, models are right where the best one is not.",
        quantity=f"{MAIN}: accuracy on the last number of unseen moduli, mean over r that do not divide s²",
        wanted=at_least(0.9, "share"),
    ),
    "margin": Claim(
        statement="Where no stride is common to the test moduli, models predict more than the best one.",
        quantity=f"{MAIN}: accuracy on the last number of unseen moduli, mean over r, less that of the best stride",
        wanted=at_least(0.2, "difference of shares"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The runs of the three tasks; at scales where they are one task, it is the main one."""
    tasks = {MAIN: main_runs(scale, seeds), ADAPTIVE: hard_runs(scale, seeds), FIXED: shortcut_runs(scale, seeds)}
    found: dict[str, RunSpec] = {}
    for task, specs in tasks.items():
        for spec in specs:
            found.setdefault(spec.id, spec.labelled(task=task))
    return list(found.values())


def measure(runs: list[Run], scale: Scale) -> Tables:
    measured = {"lookbacks": lookback_rows, "progressions": _progression_rows, "adaptivity": _adaptivity_rows}
    return tables_by_run(runs, lambda run: {name: rows(run, scale) for name, rows in measured.items()})


def lookback_rows(run: Run, scale: Scale) -> Iterator[dict[str, Any]]:
    """Last-number accuracy by r of the model and of the best stride, for unseen and for training moduli.

    All full-period (a, c) with the r of `_lookbacks` are drawn: no training sequence has an unseen modulus; sequences
    of training moduli come from training.
    """
    data = lcg_task(run.config.data)
    stride = data.best_stride
    predictor, shortcut, rng = run.predictor(), FixedLookback(stride), stream(run.config.seed, "shortcut")
    for kind, moduli in ((UNSEEN, data.moduli), (TRAINING, lcg_split(run.split()).train_moduli)):
        drawn = sequences_by_lookback(rng, moduli, _lookbacks(data, scale), SEQUENCES[scale], data.context + 1)
        for r, sequences in drawn.items():
            of_stride = float(evaluate(shortcut, sequences).last_number_accuracy.value)
            where = {"moduli": kind, "look-back": r, "stride": stride, "fits": stride**2 % r == 0}
            yield {**where, **last_number_columns(evaluate(predictor, sequences)), "of stride": of_stride}


def _lookbacks(data: LCGTask, scale: Scale) -> list[int]:
    """The r that are measured: up to half of the context; of the paper's moduli, all that the unseen ones have, as a
    stride of 32 fits r = 512.
    """
    if scale in ("overnight", "paper"):
        return sorted({r for m in data.moduli for r in lookback_counts(m) if r > 1})
    return list(range(2, data.context // 2 + 1))


def _progression_rows(run: Run, scale: Scale) -> Iterator[dict[str, Any]]:
    """Last-number accuracy on 1, 2, … interleaved progressions modulo the largest prime that the model writes."""
    data, predictor = lcg_task(run.config.data), run.predictor()
    rng = stream(run.config.seed, "progressions")
    modulus = next(p for p in range(data.vocabulary, 1, -1) if is_prime(p))
    for count in range(1, min(data.context // 2, MOST_PROGRESSIONS[scale]) + 1):
        numbers = progressions(rng, modulus, count, (SEQUENCES[scale], data.context + 1))
        right = predictor.predict(numbers).correct(numbers)[:, -1]
        yield {"modulus": modulus, "progressions": count, "value": float(right.mean())}


def progressions(
    rng: np.random.Generator, modulus: int, count: int, shape: tuple[int, int]
) -> UInt64[np.ndarray, "rows length"]:
    """``count`` interleaved arithmetic progressions modulo ``modulus``, with random starts and one random step.

    x[n] = x[n mod count] + step · ⌊n / count⌋, so that x[n] = 2 x[n − count] − x[n − 2 count].
    """
    rows, length = shape
    starts, step = rng.integers(modulus, size=(rows, count)), rng.integers(1, modulus, size=(rows, 1))
    n = np.arange(length)
    return ((starts[:, n % count] + step * (n // count)) % modulus).astype(np.uint64)


def _adaptivity_rows(run: Run, scale: Scale) -> Rows:
    """The index of every head by r, on moduli of training and unseen ones; none if fewer than two r exist."""
    data, split = lcg_task(run.config.data), lcg_split(run.split())
    moduli, rng = (*data.moduli, *split.train_moduli), stream(run.config.seed, "adaptivity")
    compared = compared_lookbacks(scale, data.context)
    drawn = sequences_by_lookback(rng, moduli, compared, PATTERN_SEQUENCES[scale], data.context + 1)
    return adaptivity_rows(adaptivity(patterns_by_lookback(run.predictor(), drawn))) if len(drawn) > 1 else []


def evidence(tables: Tables) -> Evidence:
    value, fits = pl.col("value"), pl.col("fits")
    lookbacks, index = tables["lookbacks"], value.filter("chosen").mean()
    adaptive = {task: tables["adaptivity"].filter(task=task) for task in (FIXED, ADAPTIVE)}
    training = lookbacks.filter(task=FIXED, moduli=TRAINING)
    unseen = lookbacks.filter(task=MAIN, moduli=UNSEEN)
    several = tables["progressions"].filter(pl.col("progressions").is_in([2, 3, 6]), task=FIXED)
    return {
        "fixed-right": each_run(training, value.filter(fits).mean() - value.filter(~fits).mean()),
        "fixed-progressions": each_run(several, value.mean()),
        "fixed-attention": each_run(adaptive[FIXED], index),
        "hard-adapts": each_run(adaptive[ADAPTIVE], index),
        "beyond": each_run(unseen.filter(~fits), value.mean()),
        "margin": each_run(unseen, value.mean() - pl.col("of stride").mean()),
    }


def draw(tables: Tables) -> Pictures:
    """Accuracy by r for each task, where the best stride fits and where not; progressions; then adaptivity by r."""
    panels, progressions = [], []
    for (task,), lookbacks in tables["lookbacks"].group_by("task", maintain_order=True):
        panels += [_accuracy_panel(lookbacks, TRAINING), _accuracy_panel(lookbacks, UNSEEN)]
        progressed = tables["progressions"].filter(task=task)
        lines = list(seed_lines(progressed, "progressions", "value", "one line per seed", 0))
        title = f"{_recipe(lookbacks)}: interleaved progressions modulo {progressed['modulus'][0]}"
        progressions.append(LinePanel(title, "number of progressions", "last number right", lines))
    yield Picture([*panels, *progressions])
    chosen = named(tables["adaptivity"].filter("chosen"), "task").values()
    lines = group_lines({_recipe(found): found for found in chosen}, "look-back", "value")
    title, ticks = "most adaptive head of each model", sorted(set(tables["adaptivity"]["look-back"]))
    panel = LinePanel(title, NEEDED, "index of adaptivity", lines, ticks=ticks, limits=(None, None))
    yield Picture([panel], suffix="-adaptivity")


def _recipe(frame: pl.DataFrame) -> str:
    return frame["run"][0].rsplit("-", 1)[0]


def _accuracy_panel(lookbacks: pl.DataFrame, moduli: str) -> LinePanel:
    shown = lookbacks.filter(moduli=moduli)
    lines = [
        Line(of_run["look-back"].to_list(), of_run["value"].to_list(), label, kind, dots=True)
        for kind, (fits, label) in enumerate(((True, "r divides s²"), (False, "r does not divide s²")))
        for of_run in by_run(shown.filter(fits=fits))
    ]
    return LinePanel(
        f"{_recipe(lookbacks)} (s = {lookbacks['stride'][0]}): {moduli} moduli", NEEDED, "last number right", lines
    )


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=UnseenModulus, archived_seeds=3)
