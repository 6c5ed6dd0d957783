"""Finds what makes the look-back of a model fixed or adaptive: one setting at a time is changed, and training followed.

The shortcut run (um-144) learns a look-back of one distance for all moduli, the hard run (um-128) and the first run
(um-108) one that adapts to the modulus. Settings of these are given to the shortcut run, each by itself; and two
settings of the small run, its short context and its balanced rows, are taken from it, one by one. Of every checkpoint
that is kept, the table ``steps`` has the index of adaptivity of the most adaptive head, at the r that all arms have,
and the accuracy on training moduli by whether the best stride of the arm's test fits the look-back that they need.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, Written, at_least
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.summaries import each_run, each_seed, group_lines, mean_or_none, named, run_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import sequences_by_lookback
from unrandom.experiments.unseen_modulus.lookback import ADAPTIVE_INDEX, compared_lookbacks, patterns_by_lookback
from unrandom.experiments.unseen_modulus.presets import (
    Settings,
    comparison,
    first_run,
    hard_run,
    shortcut_run,
    small_run,
    variant,
    with_seeds,
)
from unrandom.experiments.unseen_modulus.shortcut import FIXED, MAIN
from unrandom.figures.panels import LinePanel
from unrandom.interpretation import adaptivity
from unrandom.models.predictor import TransformerPredictor
from unrandom.runs.tables import Tables, table
from unrandom.tasks import Examples, lcg_split, lcg_task
from unrandom.training.checkpoint import kept_checkpoints

ENTRY = Entry(
    name="um-adaptivity",
    place=3,
    about="what makes the look-back of a model fixed or adaptive: rows, rates, batch, range of moduli, depth, context",
    minutes=200,
)

KEEP_EVERY = by_scale(smoke=6, laptop=200)  # steps
STEPS = by_scale(smoke=12, laptop=1_200, paper=100_000)
SEQUENCES = by_scale(smoke=8, laptop=64)  # per look-back
UNCHANGED = "unchanged"


def _changed(key: str, written: Written = "before") -> Claim:
    return Claim(
        statement=f"With another setting for one thing alone ({key}), the look-back of the shortcut run adapts.",
        quantity=f"{FIXED}: index of adaptivity of the most adaptive head at the end, mean over r",
        wanted=at_least(ADAPTIVE_INDEX, "difference of shares"),
        written=written,
    )


def _needed(key: str) -> Claim:
    return Claim(
        statement=f"The look-back of the small run adapts less without {key}.",
        quantity=f"{MAIN}: index of adaptivity of the most adaptive head at the end, with it less without",
        wanted=at_least(ADAPTIVE_INDEX / 2, "difference of shares"),
        written="after",  # after trials of one seed
    )


CLAIMS = {
    "mix": _changed("the mix of rows of the hard run"),
    "rates": _changed("the learning rates of the hard run"),
    "batch": _changed("batches twice as large, and half as many"),
    "range": _changed("moduli up to 1.2 times the largest of the test, as in the hard run"),
    "depth": _changed("two layers in place of four"),
    "context": _changed("the short context of the first run", "after"),
    "balanced": _changed("the balanced rows of the first run", "after"),
    "short": _needed("its short context"),
    "uniform": _needed("its balanced rows"),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The shortcut run and the small run as they are, then each with its changes."""
    every = KEEP_EVERY[scale]
    followed = {"evaluate_every": every, "checkpoint_every": every, "keep_every": every}
    fixed = variant(shortcut_run(scale), {"task": FIXED}, **followed, steps=STEPS[scale])
    main = variant(small_run(scale), {"task": MAIN}, **followed)
    arms = [
        variant(usual, {"changed": name}, **change)
        for usual, changes in ((fixed, _changes_of_fixed(scale)), (main, _changes_of_main(scale)))
        for name, change in changes.items()
    ]
    return with_seeds(arms, seeds)


def _changes_of_fixed(scale: Scale) -> dict[str, Settings]:
    """Settings of the hard run and of the first run, and two layers, by the key of the claim about each."""
    hard, first = hard_run(scale).config, first_run(scale).config
    mix, rows = lcg_task(hard.data), lcg_task(first.data)
    return {
        UNCHANGED: {},
        "mix": {"data": {"counting_share": mix.counting_share, "coprime_share": mix.coprime_share}},
        "rates": {"optimizer": {"lr": hard.optimizer.lr, "muon_lr": hard.optimizer.muon_lr}},
        "range": {"data": {"max_modulus": None}},
        "depth": {"model": {"depth": 2}},
        "batch": {"batch_size": 2 * shortcut_run(scale).config.batch_size, "steps": STEPS[scale] // 2},
        "context": {"data": {"context": rows.context}},
        "balanced": {"data": {"balanced_share": rows.balanced_share}},
    }


def _changes_of_main(scale: Scale) -> dict[str, Settings]:
    """The context doubled, and the rows of full period drawn uniformly."""
    long = 2 * lcg_task(small_run(scale).config.data).context
    return {
        UNCHANGED: {},
        "short": {"data": {"context": long}},
        "uniform": {"data": {"balanced_share": 0.0}},
    }


def measure(runs: list[Run], scale: Scale) -> Tables:
    compared = compared_lookbacks(scale, min(lcg_task(run.config.data).context for run in runs))
    return {"steps": table(row for run in runs for row in _rows(run, compared, scale))}


def _rows(run: Run, compared: list[int], scale: Scale) -> Iterator[dict[str, Any]]:
    """One row per kept checkpoint."""
    data, split = lcg_task(run.config.data), lcg_split(run.split())
    rng, square = stream(run.config.seed, "followed"), data.best_stride**2
    moduli, sequences, length = (*data.moduli, *split.train_moduli), SEQUENCES[scale], data.context + 1
    attending = sequences_by_lookback(rng, moduli, compared, sequences, length)
    tested = sequences_by_lookback(rng, split.train_moduli, range(2, data.context // 2 + 1), sequences, length)
    fits = {kind: [each for r, each in tested.items() if (square % r == 0) == kind] for kind in (True, False)}
    for checkpoint in kept_checkpoints(run.folder, KEEP_EVERY[scale]):
        predictor = TransformerPredictor(checkpoint.load_model(), data.tokenizer)
        found = adaptivity(patterns_by_lookback(predictor, attending))
        accuracy = {"fits": _last_right(predictor, fits[True]), "does not fit": _last_right(predictor, fits[False])}
        yield {**run_columns(run), "step": checkpoint.step, "index": found.index, "layer": found.layer, **accuracy}


def _last_right(predictor: TransformerPredictor, examples: list[Examples[Any]]) -> float | None:
    """The mean accuracy on the last number over look-backs; None without any."""
    return mean_or_none(float(evaluate(predictor, each).last_number_accuracy.value) for each in examples)


def evidence(tables: Tables) -> Evidence:
    steps, last = tables["steps"], pl.col("index").sort_by("step").last()
    ends = steps.filter(task=MAIN).group_by("seed", "changed", maintain_order=True).agg(last)
    beside = ends.join(ends.filter(changed=UNCHANGED), on="seed", suffix=" unchanged", maintain_order="left")
    lost = (pl.col("index unchanged") - pl.col("index")).first()
    needed = {key: each_seed(beside.filter(changed=key), lost) for key in ("short", "uniform")}
    changed = {key: each_run(steps.filter(task=FIXED, changed=key), last) for key in CLAIMS if key not in needed}
    return changed | needed


def draw(tables: Tables) -> Pictures:
    """By step and arm: the index of adaptivity, and accuracy where the best stride does and does not fit; one column
    per task, with the legend below its last panel."""
    titles = {
        "index": ("most adaptive head", "index of adaptivity"),
        "fits": ("r divides the square of the best stride", "last number right"),
        "does not fit": ("r does not divide it", "last number right"),
    }
    tasks = tables["steps"].partition_by("task", maintain_order=True)
    panels = []
    for key, (title, y) in titles.items():
        for steps in tasks:
            lines = group_lines(named(steps, "changed"), "step", key)
            if key != list(titles)[-1]:
                lines = [replace(line, label="") for line in lines]
            panels.append(LinePanel(f"{steps['task'][0]}: {title}", "training step", y, lines))
    yield Picture(panels)


EXPERIMENT = comparison(ENTRY, CLAIMS, runs, measure, evidence, draw)
