"""Looks into models of permuted generators: what the embedding counts, and where heads look.

The follow-up finds (for 16 bits of state) that the first components of the embedding count zero bits and their runs,
tell the parity, and group numbers that are rotations of each other. A truncated LCG, whose words are not rotated, is
the control. ``components`` has, for each principal component of the largest size, the squared correlation with these
counts, and the share of its variance that lies between classes of rotations, and between random classes of the same
sizes.

Beyond the follow-up: differences of the hidden state repeat after powers of two, which the model of an LCG uses by
looking back 2^k numbers. ``attention`` has the weight that each head puts on each look-back, over the second half of
the context, and ``cuts`` the last-number accuracy when all heads are kept from looking back by multiples of 8, or by
the same number of others.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import torch

from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted import presets
from unrandom.experiments.summaries import column_lines, each_run, each_seed, group_lines, named, rows_of, tables_by_run
from unrandom.figures.panels import LinePanel
from unrandom.interpretation import class_variance, keep_weights, principal_components, token_vectors
from unrandom.interpretation.attention import attention_patterns, pattern_taps
from unrandom.models import intervene
from unrandom.models.taps import Edit
from unrandom.runs.tables import Tables
from unrandom.tasks.permuted_lcg import PermutedLCG

EMBEDDING = Entry(
    name="pcg-embedding",
    place=20,
    about="what the embedding counts: zero bits, their runs, parity; classes of rotations",
    minutes=610,
)
LOOKBACK = Entry(
    name="pcg-lookback",
    place=21,
    about="the look-back of heads behind a permutation, and cuts of it",
    minutes=310,
)

COMPONENTS = 6
SEQUENCES = by_scale(smoke=16, laptop=512)
SHOWN = by_scale(smoke=4, laptop=64)  # sequences over which patterns are averaged
STRIDE = by_scale(smoke=4, laptop=8)
NOTHING, LINES, OTHERS = "nothing", "multiples", "others"

EMBEDDING_CLAIMS = {
    "zeros": Claim(
        statement="One of the first components counts zero bits, where words are rotated.",
        quantity="squared correlation with the number of zero bits, the largest of three components",
        wanted=at_least(0.5, "share"),
    ),
    "runs": Claim(
        statement="One of the first components counts runs of zeros, where words are rotated.",
        quantity="squared correlation with the number of runs of zeros, the largest of six components",
        wanted=at_least(0.3, "share"),
    ),
    "parity": Claim(
        statement="One of the first components tells the parity, where words are rotated.",
        quantity="squared correlation with the parity, the largest of six components",
        wanted=at_least(0.3, "share"),
    ),
    "rotations": Claim(
        statement="Numbers that are rotations of each other have similar embeddings, where words are rotated.",
        quantity="share of the variance of six components between classes of rotations, less that between random ones",
        wanted=at_least(0.3, "difference of shares"),
    ),
    "control": Claim(
        statement="They have not where words are not rotated.",
        quantity="the same share for the truncated LCG",
        wanted=at_most(0.15, "difference of shares"),
    ),
}

LOOKBACK_CLAIMS = {
    "lines": Claim(
        statement="Behind a permutation, heads look back by multiples of eight.",
        quantity="share of a head's weight on such look-backs, the best head, mean over permuted variants and sizes",
        wanted=at_least(0.5, "share"),
    ),
    "needed": Claim(
        statement="The prediction rests on these look-backs.",
        quantity="last-number accuracy lost by cutting multiples of eight, less that lost by cutting as many others",
        wanted=at_least(0.3, "difference of shares"),
    ),
    "as-lcg": Claim(
        statement="Permuted variants look back as the truncated LCG does.",
        quantity="share of weight on multiples of eight, the truncated LCG's less the mean of the others",
        wanted=at_most(0.2, "difference of shares"),
    ),
}


def embedding_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The models of rotating variants, and of the control, at the largest size."""
    wanted = (*PermutedLCG.rotating, PermutedLCG.plain)
    return [
        spec for spec in presets.alone_runs(scale, seeds, presets.SIZES[scale][-1:]) if spec.labels["variant"] in wanted
    ]


def measure_embedding(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: {"components": _component_rows(run)})


def _component_rows(run: Run) -> Rows:
    bits = presets.permuted_task(run).width
    found = principal_components(token_vectors(run.load_model())[: 1 << bits], COMPONENTS)
    classes = class_variance(found.values, rotation_classes(bits))
    squared = {
        name: [float(np.corrcoef(values, count)[0, 1] ** 2) for values in found.values.T]
        for name, count in word_counts(bits).items()
    }
    columns = {"component": range(1, found.values.shape[1] + 1), "explained": found.explained, **squared}
    return rows_of({}, **columns, rotations=classes.shares, random=classes.shuffled)


def word_counts(bits: int) -> dict[str, np.ndarray]:
    """The zero bits, the runs of zeros (in a circle), and the parity of every word of this width."""
    words = np.arange(1 << bits)
    ones = (words[:, None] >> np.arange(bits)) & 1
    runs = ((ones == 0) & (np.roll(ones, 1, axis=1) == 1)).sum(axis=1)
    runs[0] = 1  # the circle of zeros, which has no beginning
    return {"zeros": bits - ones.sum(axis=1), "runs": runs, "parity": ones.sum(axis=1) % 2}


def rotation_classes(bits: int) -> np.ndarray:
    """The class of every word of this width: the smallest of its rotations, numbered from 0."""
    words, mask = np.arange(1 << bits), (1 << bits) - 1
    rotated = np.stack([(words >> turn | words << (bits - turn)) & mask for turn in range(bits)])
    return np.unique(rotated.min(axis=0), return_inverse=True)[1].ravel()


def embedding_evidence(tables: Tables) -> Evidence:
    rows = tables["components"]
    rotating = rows.filter(pl.col("variant") != PermutedLCG.plain)
    weight = pl.col("explained")
    excess = ((pl.col("rotations") - pl.col("random")) * weight).sum() / weight.sum()

    return {
        "zeros": each_run(rotating, pl.col("zeros").filter(pl.col("component") <= 3).max()),
        "runs": each_run(rotating, pl.col("runs").max()),
        "parity": each_run(rotating, pl.col("parity").max()),
        "rotations": each_run(rotating, excess),
        "control": each_run(rows.filter(variant=PermutedLCG.plain), excess),
    }


def draw_embedding(tables: Tables) -> Pictures:
    """What each component is about, one panel per variant."""
    rows = tables["components"]
    names = {"zeros": "zero bits", "runs": "runs of zeros", "parity": "parity", "rotations": "classes of rotations"}
    panels = []
    for variant, of_variant in named(rows, "variant").items():
        lines = column_lines(of_variant, "component", names)
        panels.append(LinePanel(variant.upper(), "principal component", "share of variance", lines))
    yield Picture(panels)


def lookback_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The models of single variants at the two smallest sizes."""
    return presets.alone_runs(scale, seeds, presets.SIZES[scale][:2])


def measure_lookback(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: {"attention": _attention_rows(run, scale), "cuts": _cut_rows(run, scale)})


def _attention_rows(run: Run, scale: Scale) -> Iterator[dict[str, Any]]:
    for layer, pattern in enumerate(attention_patterns(run.predictor(), presets.unseen_examples(run, SHOWN[scale]))):
        for head, weights in enumerate(weight_by_lookback(pattern)):
            lookback = np.arange(1, len(weights) + 1)
            multiple = lookback % STRIDE[scale] == 0
            yield from rows_of({"layer": layer, "head": head}, lookback=lookback, weight=weights, multiple=multiple)


def _cut_rows(run: Run, scale: Scale) -> Iterator[dict[str, Any]]:
    predictor, test = run.predictor(), presets.unseen_examples(run, SEQUENCES[scale])
    for name, edit in _cuts(STRIDE[scale]).items():
        with intervene(predictor.model, dict.fromkeys(pattern_taps(predictor.model), edit)):
            yield {"cut": name, "accuracy": float(evaluate(predictor, test).last_number_accuracy.value)}


def weight_by_lookback(pattern: np.ndarray) -> np.ndarray:
    """The mean weight of each head of a pattern [sequences, heads, queries, keys] on each look-back 1, 2, …

    The mean is over sequences and the queries of the second half; a query that is too early for a look-back has 0.
    """
    weights = pattern.mean(axis=0)
    heads, queries, _ = weights.shape
    found = np.zeros((heads, queries))
    for query in range(queries // 2, queries):
        found[:, : query + 1] += weights[:, query, query::-1]
    return found / (queries - queries // 2)


def _cuts(stride: int) -> dict[str, Edit]:
    """Edits of attention patterns that keep all weights, all but multiples, or all but an equal number of others."""

    def without(residue: int) -> Edit:
        def edit(pattern: torch.Tensor) -> torch.Tensor:
            places = torch.arange(pattern.shape[-1])
            lookback = places[:, None] + 1 - places
            return keep_weights(pattern, lookback % stride != residue, renormalise=True)

        return edit

    return {NOTHING: lambda pattern: pattern, LINES: without(0), OTHERS: without(stride // 2 - 1)}


def lookback_evidence(tables: Tables) -> Evidence:
    shares = (
        tables["attention"]
        .group_by("run", "seed", "variant", "layer", "head")
        .agg(share=pl.col("weight").filter("multiple").sum() / pl.col("weight").sum())
        .group_by("run", "seed", "variant")
        .agg(pl.col("share").max())
    )
    plain = pl.col("variant") == PermutedLCG.plain
    accuracy, cut, share = pl.col("accuracy"), pl.col("cut"), pl.col("share")
    lost = accuracy.filter(cut == OTHERS).first() - accuracy.filter(cut == LINES).first()
    return {
        "lines": each_seed(shares, share.filter(~plain).mean()),
        "needed": each_run(tables["cuts"].filter(~plain), lost),
        "as-lcg": each_seed(shares, share.filter(plain).mean() - share.filter(~plain).mean()),
    }


def draw_lookback(tables: Tables) -> Pictures:
    """The weight by look-back of every head of the first seed at the larger size, one panel per variant."""
    attention = tables["attention"].filter(pl.col("seed") == pl.col("seed").min())
    attention = attention.filter(state_bits=pl.col("state_bits").max())
    panels = []
    attention = attention.with_columns(name=pl.format("layer {}, head {}", "layer", "head"))
    for variant in presets.VARIANTS:
        heads = attention.filter(variant=variant)
        lines, top = group_lines(named(heads, "name"), "lookback", "weight"), 1.05 * max(heads["weight"])
        panels.append(LinePanel(variant.upper(), "look-back (numbers)", "attention weight", lines, limits=(0, top)))
    yield Picture(panels)


EMBEDDING_EXPERIMENT = presets.permuted_experiment(
    EMBEDDING, EMBEDDING_CLAIMS, embedding_runs, measure_embedding, embedding_evidence, draw_embedding
)
LOOKBACK_EXPERIMENT = presets.permuted_experiment(
    LOOKBACK, LOOKBACK_CLAIMS, lookback_runs, measure_lookback, lookback_evidence, draw_lookback
)
