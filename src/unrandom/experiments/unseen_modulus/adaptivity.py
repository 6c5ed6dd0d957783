"""What makes the look-back of a model fixed or adaptive? One setting at a time is changed, and training is followed.

The shortcut run (um-144) learns a look-back of one distance for all moduli, the hard run (um-128) one that adapts to
the modulus. They differ in the mix of training rows, the rates, the batch and the range of moduli; each is changed by
itself, and the depth besides. Of every checkpoint that is kept, the table ``steps`` has the index of adaptivity of the
most adaptive head, and the accuracy on training moduli by whether the best stride fits the look-back that they need.
"""

from typing import Any

import polars as pl

from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.summaries import each_run, group_lines, mean_or_none, run_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import sequences_by_lookback
from unrandom.experiments.unseen_modulus.lookback import ADAPTIVE_INDEX, LOOKBACKS, patterns_by_lookback
from unrandom.experiments.unseen_modulus.presets import Settings, hard_run, shortcut_run, variant, with_seeds
from unrandom.figures.panels import LinePanel
from unrandom.interpretation import adaptivity
from unrandom.models.predictor import TransformerPredictor
from unrandom.predictors.fixed_lookback import best_stride
from unrandom.runs.tables import Tables, table
from unrandom.tasks import Examples, UnseenModulus, lcg_split, lcg_task
from unrandom.training.checkpoint import kept_checkpoints

ENTRY = Entry(
    name="um-adaptivity",
    about="what makes the look-back of a model fixed or adaptive: mix of rows, rates, batch, range of moduli, depth",
)

KEEP_EVERY = by_scale(smoke=6, laptop=200)  # steps
STEPS = by_scale(smoke=12, laptop=2_000, paper=100_000)
SEQUENCES = by_scale(smoke=8, laptop=64)  # per look-back


def _changed(key: str) -> Claim:
    return Claim(
        statement=f"With another setting for one thing alone ({key}), the look-back of the shortcut run adapts.",
        quantity="index of adaptivity of the most adaptive head at the end, mean over r",
        precondition=None,
        wanted=at_least(ADAPTIVE_INDEX, "difference of shares"),
    )


CLAIMS = {
    "mix": _changed("the mix of rows of the hard run"),
    "rates": _changed("the learning rates of the hard run"),
    "batch": _changed("batches twice as large, those of the hard run, and half as many"),
    "range": _changed("moduli up to 1.2 times the largest of the test, as in the hard run"),
    "depth": _changed("two layers in place of four"),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The shortcut run as it is, then with each setting changed to that of the hard run, or to two layers."""
    hard = lcg_task(hard_run(scale).config.data)
    optimizer = hard_run(scale).config.optimizer
    changes: dict[str, Settings] = {  # by the key of the claim about it
        "unchanged": {},
        "mix": {"data": {"counting_share": hard.counting_share, "coprime_share": hard.coprime_share}},
        "rates": {"optimizer": {"lr": optimizer.lr, "muon_lr": optimizer.muon_lr}},
        "range": {"data": {"max_modulus": None}},
        "depth": {"model": {"depth": 2}},
        "batch": {"batch_size": 2 * shortcut_run(scale).config.batch_size, "steps": STEPS[scale] // 2},
    }
    every = KEEP_EVERY[scale]
    followed = {"steps": STEPS[scale], "evaluate_every": every, "checkpoint_every": every, "keep_every": every}
    usual = variant(shortcut_run(scale), {}, **followed)
    return with_seeds([variant(usual, {"changed": name}, **each) for name, each in changes.items()], seeds)


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"steps": table(row for run in runs for row in _rows(run, scale))}


def _rows(run: Run, scale: Scale) -> Rows:
    """One row per kept checkpoint."""
    data, split = lcg_task(run.config.data), lcg_split(run.split())
    rng, square = stream(run.config.seed, "followed"), best_stride(data.moduli, data.context) ** 2
    moduli, sequences, length = (*data.moduli, *split.train_moduli), SEQUENCES[scale], data.context + 1
    attending = sequences_by_lookback(rng, moduli, LOOKBACKS[scale], sequences, length)
    tested = sequences_by_lookback(rng, split.train_moduli, range(2, data.context // 2 + 1), sequences, length)
    fits = {kind: [each for r, each in tested.items() if (square % r == 0) == kind] for kind in (True, False)}
    rows: Rows = []
    for checkpoint in kept_checkpoints(run.folder, KEEP_EVERY[scale]):
        predictor = TransformerPredictor(checkpoint.load_model(), data.tokenizer)
        found = adaptivity(patterns_by_lookback(predictor, attending))
        accuracy = {"fits": _last_right(predictor, fits[True]), "does not fit": _last_right(predictor, fits[False])}
        rows.append(
            {**run_columns(run), "step": checkpoint.step, "index": found.index, "layer": found.layer, **accuracy}
        )
    return rows


def _last_right(predictor: TransformerPredictor, examples: list[Examples[Any]]) -> float | None:
    """The mean accuracy on the last number over look-backs; None without any."""
    return mean_or_none(float(evaluate(predictor, each).last_number_accuracy.value) for each in examples)


def evidence(tables: Tables) -> Evidence:
    last = pl.col("index").sort_by("step").last()
    return {key: each_run(tables["steps"].filter(changed=key), last) for key in CLAIMS}


def draw(tables: Tables) -> Pictures:
    """By step and arm: the index of adaptivity, and accuracy where the best stride does and does not fit."""
    arms = {str(name): frame for (name,), frame in tables["steps"].group_by("changed", maintain_order=True)}
    titles = {
        "index": ("most adaptive head", "index of adaptivity"),
        "fits": ("r divides the square of the best stride", "last number right"),
        "does not fit": ("r does not", "last number right"),
    }
    yield Picture(
        [LinePanel(title, "training step", y, group_lines(arms, "step", key)) for key, (title, y) in titles.items()],
        columns=3,
    )


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=UnseenModulus, compares=True)
