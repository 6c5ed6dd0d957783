"""Does a smaller generator help to learn a larger one? Its sequences in the mix, its weights, both, or neither.

The follow-up says that 2^20 states and more are not learned without a curriculum: one per cent of sequences of a
smaller modulus, whose share decays, or the weights of a model of it. Here the largest size is learned from the one
before it, with the same total compute: a model that starts from another's weights makes fewer steps, so that both
trainings together cost what the plain one does. ``curves`` has accuracy by compute, and ``runs`` the compute to the
target, ancestors included.
"""

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.costs import cost_to, ratio, training_curve
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale
from unrandom.experiments.permuted.presets import SIZES, configured, with_seeds
from unrandom.experiments.summaries import group_lines, run_columns
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import PermutedLCG, Phase
from unrandom.training import StartFrom

ENTRY = Entry(
    name="pcg-curriculum",
    about="a larger state by way of a smaller one, at equal compute",
)

TARGET_ACCURACY = 0.8
PLAIN, MIXED, GROWN, BOTH, EARLY = (
    "neither",
    "1 % of a smaller state, decaying",
    "weights of a smaller state",
    "both",
    "weights of a smaller state, half trained",
)
SHARE = 0.01  # of the batch at the first step

CLAIMS = {
    "mixed": Claim(
        statement="One per cent of sequences of a smaller state saves compute.",
        quantity="compute to 80 %, without over with",
        wanted=at_least(1.1, "ratio"),
        precondition=None,
    ),
    "grown": Claim(
        statement="Starting from the weights of a smaller state saves compute.",
        quantity="compute to 80 %, without over with, that of the smaller state included",
        wanted=at_least(1.1, "ratio"),
        precondition=None,
    ),
    "both": Claim(
        statement="Both together save compute.",
        quantity="compute to 80 %, without over with, that of the smaller state included",
        wanted=at_least(1.1, "ratio"),
        precondition=None,
    ),
    "needed": Claim(
        statement="Without a curriculum the largest state is not learned.",
        quantity="last-number accuracy without a curriculum",
        wanted=at_most(0.5, "share"),
        precondition=None,
    ),
    "early": Claim(
        statement="The weights of a smaller state that is not solved yet save compute, too.",
        quantity="compute to 80 %, without over with, that of the smaller state included",
        wanted=at_least(1.1, "ratio"),
        precondition=None,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Every kind of curriculum with every seed, for the task's own variant."""
    smaller, larger = SIZES[scale][-2:]
    plain = configured(scale, larger)
    easier = configured(scale, smaller)
    half = easier.replace(steps=max(1, easier.steps // 2), schedule_steps=easier.steps)
    phase = Phase(modulus=2**smaller.state_bits, share=SHARE, decay="linear", steps=plain.steps)
    kinds = {
        PLAIN: (plain, None),
        MIXED: (plain.replace(data={"curriculum": (phase,)}), None),
        GROWN: (plain, easier),
        BOTH: (plain.replace(data={"curriculum": (phase,)}), easier),
        EARLY: (plain, half),
    }
    planned = []
    for name, (config, parent) in kinds.items():
        for spec in with_seeds(f"pcg-{larger.state_bits}", config, seeds, curriculum=name):
            if parent is not None:
                first = StartFrom(recipe=f"pcg-{smaller.state_bits}", config=parent.replace(seed=spec.config.seed))
                steps = max(1, spec.config.steps - round(parent.flops / spec.config.step_flops))
                spec = RunSpec(spec.recipe, spec.config.replace(start=first, steps=steps), spec.labels)
            planned.append(spec)
    return planned


def measure(runs: list[Run], scale: Scale) -> Tables:
    curves, rows = [], []
    for run in runs:
        curve = training_curve(run)
        curves += [{**run_columns(run), **row} for row in curve]
        rows.append({**run_columns(run), **cost_to(curve, TARGET_ACCURACY)})
    return {"curves": table(curves), "runs": table(rows)}


def evidence(tables: Tables) -> Evidence:
    runs = tables["runs"]
    saved = {
        key: ratio(runs, PLAIN, name, by="curriculum", target="80 %")
        for key, name in {"mixed": MIXED, "grown": GROWN, "both": BOTH, "early": EARLY}.items()
    }
    return {**saved, "needed": runs.filter(curriculum=PLAIN).sort("seed")["final"].to_list()}


def draw(tables: Tables) -> Pictures:
    """Accuracy by compute, one line per seed."""
    curves = tables["curves"].with_columns(pl.col("flops") / 1e12)
    groups = {name: curves.filter(curriculum=name) for name in (PLAIN, MIXED, GROWN, BOTH, EARLY)}
    lines = group_lines(groups, "flops", "last")
    title = "compute with that of the smaller state (TFLOP)"
    yield Picture([LinePanel("the largest state", title, "last number right", lines, beside=True)])


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=PermutedLCG, compares=True)
