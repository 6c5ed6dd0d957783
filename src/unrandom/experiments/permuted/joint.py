"""Trains one model on all variants, and probes when it knows which variant it sees.

The follow-up trains four variants jointly, reports more than .90 for each after 512 numbers, and finds them told apart
after the third block, after 64 (truncated LCGs) to 128 numbers. ``positions`` has the accuracy by variant of the joint
models, with and without a number that names the variant, and of models of single variants; ``probes`` the accuracy of
linear probes of the residual stream by block, fitted to sequences of one half of the held-out increments and tested on
the other half.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import torch

from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted import presets
from unrandom.experiments.permuted.alone import at_the_end
from unrandom.experiments.summaries import each_seed, group_lines, named, rows_of, tables_by_run
from unrandom.figures.panels import accuracy_panel
from unrandom.figures.style import powers
from unrandom.interpretation import linear_probe
from unrandom.models import record
from unrandom.runs.tables import Tables, table

JOINTLY_LEARNED = Entry(
    name="pcg-joint",
    place=12,
    about="all variants in one model, with and without a tag",
    minutes=180,
)
WHICH_VARIANT = Entry(
    name="pcg-which-variant",
    place=13,
    about="after which block and how many numbers a joint model knows the variant",
    minutes=61,
)

SEQUENCES = by_scale(smoke=48, laptop=1536)
PROBED = by_scale(smoke=96, laptop=1536)
ALONE, JOINT, TAGGED = "alone", "jointly", "jointly, tagged"

CLAIMS = {
    "learned": Claim(
        statement="One model learns all variants jointly, without a tag.",
        quantity="last-number accuracy on unseen multipliers and increments, the lowest of all variants",
        wanted=at_least(0.9, "share"),
    ),
    "costs-little": Claim(
        statement="A joint model is as good as one for each variant.",
        quantity="last-number accuracy, alone less jointly, mean over variants",
        wanted=at_most(0.05, "difference of shares"),
    ),
    "tag": Claim(
        statement="A tag that names the variant helps.",
        quantity="accuracy over all positions, with a tag less without, mean over variants",
        wanted=at_least(0.02, "difference of shares"),
    ),
}

PROBE_CLAIMS = {
    "known": Claim(
        statement="After the last block, the variant can be read off linearly.",
        quantity="accuracy of a linear probe after the last block, at the last position",
        wanted=at_least(0.9, "share"),
    ),
    "deep": Claim(
        statement="The first block alone does not tell the variants apart.",
        quantity="accuracy of the probe after the last block less that after the first, at the last position",
        wanted=at_least(0.2, "difference of shares"),
    ),
    "soon": Claim(
        statement="The variant is known after half the context.",
        quantity="accuracy of a linear probe after the last block, after half the context",
        wanted=at_least(0.8, "share"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The joint models, and models of single variants at the same size."""
    return [*presets.joint_runs(scale, seeds), *presets.alone_runs(scale, seeds, presets.SIZES[scale][:1])]


def untagged_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The joint models without a tag."""
    return [spec for spec in presets.joint_runs(scale, seeds) if not spec.labels["tagged"]]


def measure(runs: list[Run], scale: Scale) -> Tables:
    positions: Rows = []
    for run in runs:
        task, tested = (
            presets.permuted_task(run),
            evaluate(run.predictor(), presets.unseen_examples(run, SEQUENCES[scale])),
        )
        kind = TAGGED if task.tagged else JOINT if len(task.variants) > 1 else ALONE
        which = tested.parameters.labels["variant"]
        for variant in task.variants:
            value = tested.only(which == variant).by_position.value
            # A tag is not a number of the generator: position t is after t numbers and the tag.
            seen = range(1 - task.tagged, len(value) + 1 - task.tagged)
            columns = {"run": f"{run.id} {variant}", "seed": run.config.seed, "kind": kind, "variant": variant}
            positions += [row for row in rows_of(columns, seen=seen, value=value) if row["seen"] > 0]
    return {"positions": table(positions)}


def measure_probes(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: {"probes": _probe_rows(run, PROBED[scale])})


def _probe_rows(run: Run, sequences: int) -> Iterator[dict[str, Any]]:
    predictor, test = run.predictor(), presets.unseen_examples(run, sequences)
    names, variant = np.unique(test.parameters.labels["variant"], return_inverse=True)
    increments = test.parameters.labels["c"]
    fitted = np.isin(increments, np.unique(increments)[::2])
    tokens = predictor.tokenizer.encode(test.numbers)[:, :-1].astype(np.int64)
    taps = ["hook_embed", *(f"blocks.{block}.hook_resid_post" for block in range(run.config.model.depth))]
    with torch.no_grad(), record(predictor.model, taps) as seen:
        predictor.model(torch.from_numpy(tokens).to(predictor.device))
    for block, tap in enumerate(taps):
        stream = seen[tap].cpu().numpy()
        for numbers in powers(2, tokens.shape[1]):
            accuracy = linear_probe(stream[:, numbers - 1], variant, fitted)
            yield {"block": block, "seen": numbers, "accuracy": accuracy, "chance": 1 / len(names)}


def evidence(tables: Tables) -> Evidence:
    positions = tables["positions"]
    last, value, kind = at_the_end(positions), pl.col("value"), pl.col("kind")
    both = positions.filter(pl.col("seen") < pl.col("seen").max())  # a tag takes the place of one number
    return {
        "learned": each_seed(last.filter(kind == JOINT), value.min()),
        "costs-little": each_seed(last, value.filter(kind == ALONE).mean() - value.filter(kind == JOINT).mean()),
        "tag": each_seed(both, value.filter(kind == TAGGED).mean() - value.filter(kind == JOINT).mean()),
    }


def probe_evidence(tables: Tables) -> Evidence:
    block, seen, accuracy = (pl.col(name) for name in ("block", "seen", "accuracy"))
    last = tables["probes"].filter(block == block.max())
    end = tables["probes"].filter(seen == seen.max())
    deeper = accuracy.filter(block == block.max()).first() - accuracy.filter(block == 1).first()
    return {
        "known": each_seed(last.filter(seen == seen.max()), accuracy.first()),
        "deep": each_seed(end, deeper),
        "soon": each_seed(last.filter(seen == seen.max() // 2), accuracy.first()),
    }


def draw(tables: Tables) -> Pictures:
    """Accuracy by numbers seen, one panel per variant."""
    panels = []
    for variant in presets.VARIANTS:
        positions = tables["positions"].filter(variant=variant)
        groups = {kind: positions.filter(kind=kind) for kind in (ALONE, JOINT, TAGGED)}
        panels.append(accuracy_panel(variant.upper(), group_lines(groups, "seen", "value")))
    yield Picture(panels)


def draw_probes(tables: Tables) -> Pictures:
    """Accuracy of the probes by numbers seen, one line per block and seed."""
    probes = tables["probes"].with_columns(run=pl.format("{} {}", "run", "block"))
    embedding, *blocks = named(probes.sort("block", maintain_order=True), "block", "after block {}").items()
    lines = group_lines({"embedding": embedding[1], **dict(blocks)}, "seen", "accuracy")
    yield Picture([replace(accuracy_panel("which variant is it?", lines), y="linear probe right (share)")])


EXPERIMENT = presets.permuted_experiment(JOINTLY_LEARNED, CLAIMS, runs, measure, evidence, draw)
PROBE_EXPERIMENT = presets.permuted_experiment(
    WHICH_VARIANT, PROBE_CLAIMS, untagged_runs, measure_probes, probe_evidence, draw_probes, archived_seeds=1
)
