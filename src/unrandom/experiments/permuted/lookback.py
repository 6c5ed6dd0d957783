"""Does the order of look-back hold behind a permutation? Where heads look, and what cutting these lines costs.

Beyond the paper and its follow-up. Differences of the hidden state repeat after powers of two, which the model of an
LCG uses by looking back 2^k numbers. ``attention`` has the weight that each head puts on each look-back, over the
second half of the context, and ``cuts`` the last-number accuracy when all heads are kept from looking back by multiples
of 8, or by as many other numbers.
"""

import numpy as np
import polars as pl
import torch

from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.presets import SIZES, VARIANTS, alone_runs
from unrandom.experiments.summaries import each_seed, rows_of, run_columns
from unrandom.figures.panels import Line, LinePanel
from unrandom.interpretation import keep_weights
from unrandom.interpretation.attention import attention_patterns, pattern_taps
from unrandom.models import intervene
from unrandom.models.taps import Edit
from unrandom.runs.tables import Tables, table
from unrandom.tasks.permuted_lcg import PermutedLCG

ENTRY = Entry(
    name="pcg-lookback",
    place=21,
    about="the look-back of heads behind a permutation, and cuts of it",
    minutes=310,
)

SEQUENCES = by_scale(smoke=16, laptop=512)
SHOWN = by_scale(smoke=4, laptop=64)  # sequences over which patterns are averaged
STRIDE = by_scale(smoke=4, laptop=8)
NOTHING, LINES, OTHERS = "nothing", "multiples", "others"

CLAIMS = {
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


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The models of single variants at the two smallest sizes."""
    return alone_runs(scale, seeds, SIZES[scale][:2])


def measure(runs: list[Run], scale: Scale) -> Tables:
    attention: Rows = []
    cuts: Rows = []
    stride = STRIDE[scale]
    for run in runs:
        split, predictor, columns = run.split(), run.predictor(), run_columns(run)
        test = split.test(split.parts[0], SEQUENCES[scale])
        few = split.test(split.parts[0], SHOWN[scale])
        for layer, pattern in enumerate(attention_patterns(predictor, few)):
            for head, weights in enumerate(weight_by_lookback(pattern)):
                lookback = np.arange(1, len(weights) + 1)
                own = {**columns, "layer": layer, "head": head}
                attention += rows_of(own, lookback=lookback, weight=weights, multiple=lookback % stride == 0)
        taps = pattern_taps(predictor.model)
        for name, edit in _cuts(stride).items():
            with intervene(predictor.model, dict.fromkeys(taps, edit)):
                accuracy = float(evaluate(predictor, test).last_number_accuracy.value)
            cuts.append({**columns, "cut": name, "accuracy": accuracy})
    return {"attention": table(attention), "cuts": table(cuts)}


def weight_by_lookback(pattern: np.ndarray) -> np.ndarray:
    """For each head of a pattern [sequences, heads, queries, keys], the mean weight on each look-back 1, 2, …

    The mean is over sequences and the queries of the second half; a query that is too early for a look-back has 0.
    """
    weights = pattern.mean(axis=0)
    heads, queries, _ = weights.shape
    found = np.zeros((heads, queries))
    for query in range(queries // 2, queries):
        found[:, : query + 1] += weights[:, query, query::-1]
    return found / (queries - queries // 2)


def _cuts(stride: int) -> dict[str, Edit]:
    """Edits of attention patterns that keep all weights, all but those on multiples, or all but as many others."""

    def without(residue: int) -> Edit:
        def edit(pattern: torch.Tensor) -> torch.Tensor:
            places = torch.arange(pattern.shape[-1])
            lookback = places[:, None] + 1 - places
            return keep_weights(pattern, lookback % stride != residue, renormalise=True)

        return edit

    return {NOTHING: lambda pattern: pattern, LINES: without(0), OTHERS: without(stride // 2 - 1)}


def evidence(tables: Tables) -> Evidence:
    shares = (
        tables["attention"]
        .group_by("run", "seed", "variant", "layer", "head")
        .agg(share=pl.col("weight").filter("multiple").sum() / pl.col("weight").sum())
        .group_by("run", "seed", "variant")
        .agg(pl.col("share").max())
    )
    plain = pl.col("variant") == PermutedLCG.plain
    lost = (
        tables["cuts"]
        .filter(~plain)
        .group_by("run", "seed")
        .agg(
            (
                pl.col("accuracy").filter(pl.col("cut") == OTHERS).first()
                - pl.col("accuracy").filter(pl.col("cut") == LINES).first()
            ).alias("lost")
        )
    )

    share = pl.col("share")
    return {
        "lines": each_seed(shares, share.filter(~plain).mean()),
        "needed": each_seed(lost, pl.col("lost").mean()),
        "as-lcg": each_seed(shares, share.filter(plain).mean() - share.filter(~plain).mean()),
    }


def draw(tables: Tables) -> Pictures:
    """The weight by look-back of every head of the first seed at the larger size, one panel per variant."""
    attention = tables["attention"].filter(pl.col("seed") == pl.col("seed").min())
    attention = attention.filter(state_bits=pl.col("state_bits").max())
    panels = []
    for variant in VARIANTS:
        heads = attention.filter(variant=variant).partition_by("layer", "head", maintain_order=True)
        lines = [
            Line(
                rows["lookback"].to_list(),
                rows["weight"].to_list(),
                f"layer {rows['layer'][0]}, head {rows['head'][0]}",
                kind,
            )
            for kind, rows in enumerate(heads)
        ]
        most = attention.filter(variant=variant)["weight"].to_numpy().max()
        panels.append(
            LinePanel(variant.upper(), "look-back (numbers)", "attention weight", lines, limits=(0, 1.05 * float(most)))
        )
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=PermutedLCG, compares=True)
