"""When does a joint model know which variant it sees? Linear probes of the residual stream, by block and position.

The follow-up finds the variants told apart after the third block, after 64 (truncated LCGs) to 128 numbers. ``probes``
has the accuracy of probes, fitted to sequences of one half of the held-out increments and tested on those of the other.
"""

from dataclasses import replace

import numpy as np
import polars as pl
import torch

from unrandom.experiments.claims import Claim, Evidence, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.presets import joint_runs
from unrandom.experiments.summaries import each_seed, group_lines, run_columns
from unrandom.figures.panels import accuracy_panel
from unrandom.figures.style import powers
from unrandom.interpretation import linear_probe
from unrandom.models import record
from unrandom.runs.tables import Tables, table
from unrandom.tasks.permuted_lcg import PermutedLCG

ENTRY = Entry(
    name="pcg-which-variant",
    place=13,
    about="after which block and how many numbers a joint model knows the variant",
    minutes=61,
)

SEQUENCES = by_scale(smoke=96, laptop=1536)

CLAIMS = {
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
    """The joint models without a tag."""
    return [spec for spec in joint_runs(scale, seeds) if not spec.labels["tagged"]]


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: Rows = []
    for run in runs:
        split, predictor = run.split(), run.predictor()
        test = split.test(split.parts[0], SEQUENCES[scale])
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
                columns = {**run_columns(run), "block": block, "seen": numbers}
                rows.append({**columns, "accuracy": accuracy, "chance": 1 / len(names)})
    return {"probes": table(rows)}


def evidence(tables: Tables) -> Evidence:
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
    """Accuracy of the probes by numbers seen, one line per block and seed."""
    probes = tables["probes"].with_columns(run=pl.format("{} {}", "run", "block"))
    blocks = probes["block"].unique().sort().to_list()
    groups = {f"after block {block}" if block else "embedding": probes.filter(block=block) for block in blocks}
    lines = group_lines(groups, "seen", "accuracy")
    title = "which variant is it?"
    yield Picture([replace(accuracy_panel(title, lines), y="linear probe right (share)")])


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=PermutedLCG, compares=True, archived_seeds=1)
