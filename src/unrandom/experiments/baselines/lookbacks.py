"""Finds which look-backs each layer of a model needs, by cutting single distances where it looks, in several seeds.

``fm-order`` tells from the context that a model needs how many earlier numbers a guess rests on at least. Here one
look-back at a time is cut, in all heads of one layer, for the guesses after the last quarter of the context: the
distances with the most attention, and others as controls. A look-back is *needed* if without it a tenth of the right
guesses are lost. What other positions have gathered from that number can still be read.

The tables are ``cut`` (one row per layer and look-back) and ``uncut`` (one row per run).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Float

from unrandom.core.seeds import stream
from unrandom.evaluation import bits_known, evaluate
from unrandom.experiments.claims import LEARNED, Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling.law_panels import modulus_title
from unrandom.experiments.scaling.measurement import test_examples
from unrandom.experiments.scaling.presets import Size, labels, size_of, sized_run
from unrandom.experiments.summaries import by_modulus, by_seed, each_seed, run_columns, tables_by_run
from unrandom.figures.panels import Line, LinePanel
from unrandom.interpretation import attention_by_lookback, without_lookbacks
from unrandom.models import intervene
from unrandom.models.predictor import TransformerPredictor
from unrandom.runs.measurement import attention_patterns, pattern_taps
from unrandom.runs.tables import Tables
from unrandom.tasks import Examples, FixedModulus

ENTRY = Entry(
    name="fm-lookbacks",
    place=7,
    about="which look-backs each layer needs, by cuts of single distances",
    minutes=144,
)

SIZES: dict[Scale, Size] = by_scale(
    smoke=Size(exponent=8, context=15, steps=8), laptop=size_of("laptop", 16), overnight=size_of("overnight", 24)
)
SEQUENCES = by_scale(smoke=8, laptop=32)
ATTENTION_SEQUENCES = 8
LOOKED_AT, CONTROLS = by_scale(smoke=3, laptop=16), by_scale(smoke=2, laptop=8)  # look-backs of each layer
LOSS = 0.1  # the share of right guesses that is lost without a needed look-back
LOOKED, CONTROL = "looked at", "control"

CLAIMS = {
    "more": Claim(
        statement="The first layer needs more numbers than the two of order 2.",
        quantity="look-backs of the first layer without which a tenth of the right guesses are lost",
        wanted=at_least(3, "look-backs"),
    ),
    "strides": Claim(
        statement="The look-backs that the first layer needs are multiples of 8: along them low bits stand still.",
        quantity="share of the needed look-backs of the first layer that 8 divides",
        wanted=at_least(0.9, "share"),
    ),
    "later": Claim(
        statement="Later layers look back, too, and without one of these look-backs most guesses are lost.",
        quantity="share of the right guesses that is left, the least over look-backs of later layers",
        wanted=at_most(0.5, "share"),
    ),
    "few": Claim(
        statement="A guess rests on few numbers.",
        quantity="different look-backs that some layer needs",
        wanted=at_most(12, "look-backs"),
    ),
    "controls": Claim(
        statement="Without a look-back that a layer hardly attends to, the guesses stay right.",
        quantity="share of the right guesses that is left, the least over controls",
        wanted=at_least(0.95, "share"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The models of one modulus of fm-scaling."""
    return [sized_run(scale, SIZES[scale], seed) for seed in range(seeds)]


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(
        runs, lambda run: _measured(run, scale), lambda run: {**run_columns(run), **labels(run.config)}
    )


def _measured(run: Run, scale: Scale) -> dict[str, Rows]:
    predictor, sequences = run.predictor(), test_examples(run, SEQUENCES[scale], "cut")
    numbers = sequences.numbers.shape[1]
    seen = range(3 * numbers // 4, numbers)
    attending = test_examples(run, min(ATTENTION_SEQUENCES, SEQUENCES[scale]), "attention")
    cuts = [
        {
            "layer": layer,
            "lookback": r,
            "kind": kind,
            "attention": float(weights[r]),
            **_right(predictor, sequences, seen, layer, r),
        }
        for layer, weights in enumerate(_attention(predictor, attending, seen))
        for kind, lookbacks in _chosen(weights, scale, seen, run.config.seed + layer).items()
        for r in lookbacks
    ]
    return {"cut": cuts, "uncut": [_right(predictor, sequences, seen)]}


def _attention(
    predictor: TransformerPredictor, sequences: Examples, seen: range
) -> Iterator[Float[np.ndarray, " lookbacks"]]:
    """For each layer, the mean weight of guesses after ``seen`` numbers on each look-back, of the head with most."""
    for pattern in attention_patterns(predictor, sequences, predictor.model.config.context):
        weights = attention_by_lookback(pattern, predictor.tokenizer.width)
        yield weights[:, seen.start - 1 : seen.stop - 1].mean(axis=1).max(axis=0)


def _chosen(weights: Float[np.ndarray, " lookbacks"], scale: Scale, seen: range, seed: int) -> dict[str, list[int]]:
    """The look-backs with the most attention, and controls among the half with the least."""
    ranked = sorted(range(1, seen.start + 1), key=lambda r: -weights[r])
    least = ranked[len(ranked) // 2 :]
    controls = stream(seed, "controls").permutation(least)[: CONTROLS[scale]]
    return {LOOKED: ranked[: LOOKED_AT[scale]], CONTROL: sorted(controls.tolist())}


def _right(
    predictor: TransformerPredictor, sequences: Examples, seen: range, layer: int | None = None, lookback: int = 0
) -> dict[str, Any]:
    """The share of right guesses after ``seen`` numbers, and the bits known, with a look-back of a layer cut."""
    edits = {}
    if layer is not None:
        cut = without_lookbacks(dict.fromkeys(seen, lookback), predictor.tokenizer.width)
        edits = {pattern_taps(predictor.model)[layer]: cut}
    with intervene(predictor.model, edits):
        tested = evaluate(predictor, sequences)
    shown = slice(seen.start - 1, seen.stop - 1)
    return {"right": float(tested.by_position.value[shown].mean()), "bits": float(bits_known(tested)[shown].mean())}


def evidence(tables: Tables) -> Evidence:
    cut = with_left(tables)
    needed, first = pl.col("left") <= 1 - LOSS, pl.col("layer") == 0
    looked = cut.filter(kind=LOOKED)
    return {
        "more": each_seed(looked, (first & needed).sum()),
        "strides": each_seed(looked.filter(first, needed), (pl.col("lookback") % 8 == 0).mean()),
        "later": each_seed(looked.filter(~first), pl.col("left").min()),
        "few": each_seed(looked, pl.col("lookback").filter(needed).n_unique()),
        "controls": each_seed(cut.filter(kind=CONTROL), pl.col("left").min()),
        LEARNED: float(np.mean(tables["uncut"]["right"].to_list())),
    }


def with_left(tables: Tables) -> pl.DataFrame:
    """Add the share of the right guesses that is left with the cut."""
    uncut = tables["uncut"].select("run", whole="right")
    return tables["cut"].join(uncut, on="run").with_columns(left=pl.col("right") / pl.col("whole"))


def draw(tables: Tables) -> Pictures:
    """What is left of the right guesses by look-back cut: a panel for each layer, a colour for each seed."""
    (modulus, cut), *_ = by_modulus(with_left(tables)).items()
    panels = []
    for layer in sorted(cut["layer"].unique()):
        rows = cut.filter(layer=layer).sort("lookback")
        lines = [
            Line(of_seed["lookback"].to_list(), of_seed["left"].to_list(), f"seed {seed}", seed, dots=True)
            for seed, of_seed in enumerate(by_seed(rows))
        ]
        title = f"{modulus_title(modulus)}, layer {layer + 1}: one look-back cut"
        panels.append(LinePanel(title, "look-back", "right guesses left", lines))
    yield Picture(panels, columns=1)


EXPERIMENT = Experiment(
    ENTRY, CLAIMS, runs, measure, evidence, draw, task=FixedModulus, digits=True, presupposes=LEARNED
)
