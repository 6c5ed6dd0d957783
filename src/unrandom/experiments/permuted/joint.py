"""Can one model learn all variants at once? Accuracy by variant, with and without a number that names the variant.

The follow-up trains four variants jointly and reports more than .90 for each after 512 numbers. ``positions`` has the
accuracy of the joint models by variant, and of the models of single variants at the same size.
"""

import polars as pl

from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.ceilings import at_the_end
from unrandom.experiments.permuted.presets import SIZES, VARIANTS, alone_runs, joint_runs
from unrandom.experiments.summaries import each_seed, group_lines, rows_of
from unrandom.figures.panels import accuracy_panel
from unrandom.runs.tables import Tables, table
from unrandom.tasks.permuted_lcg import PermutedLCG

ENTRY = Entry(
    name="pcg-joint",
    place=12,
    about="all variants in one model, with and without a tag",
    minutes=180,
)

SEQUENCES = by_scale(smoke=48, laptop=1536)
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


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The joint models, and those of single variants at the same size."""
    return [*joint_runs(scale, seeds), *alone_runs(scale, seeds, SIZES[scale][:1])]


def measure(runs: list[Run], scale: Scale) -> Tables:
    positions: Rows = []
    for run in runs:
        task, split = run.config.data, run.split()
        assert isinstance(task, PermutedLCG), "runs of this experiment are of permuted LCGs"
        tested = evaluate(run.predictor(), split.test(split.parts[0], SEQUENCES[scale]))
        kind = TAGGED if task.tagged else JOINT if len(task.variants) > 1 else ALONE
        which = tested.parameters.labels["variant"]
        for variant in task.variants:
            value = tested.only(which == variant).by_position.value
            # A tag is no number of the generator: position t is after t numbers and the tag.
            seen = range(1 - task.tagged, len(value) + 1 - task.tagged)
            columns = {"run": f"{run.id} {variant}", "seed": run.config.seed, "kind": kind, "variant": variant}
            positions += [row for row in rows_of(columns, seen=seen, value=value) if row["seen"] > 0]
    return {"positions": table(positions)}


def evidence(tables: Tables) -> Evidence:
    positions = tables["positions"]
    last, value, kind = at_the_end(positions), pl.col("value"), pl.col("kind")
    both = positions.filter(pl.col("seen") < pl.col("seen").max())  # a tag takes the place of one number
    return {
        "learned": each_seed(last.filter(kind == JOINT), value.min()),
        "costs-little": each_seed(last, value.filter(kind == ALONE).mean() - value.filter(kind == JOINT).mean()),
        "tag": each_seed(both, value.filter(kind == TAGGED).mean() - value.filter(kind == JOINT).mean()),
    }


def draw(tables: Tables) -> Pictures:
    """Accuracy by numbers seen, one panel per variant."""
    panels = []
    for variant in VARIANTS:
        positions = tables["positions"].filter(variant=variant)
        groups = {kind: positions.filter(kind=kind) for kind in (ALONE, JOINT, TAGGED)}
        panels.append(accuracy_panel(variant.upper(), group_lines(groups, "seen", "value")))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=PermutedLCG, compares=True)
