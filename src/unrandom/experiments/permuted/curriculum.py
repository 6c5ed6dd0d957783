"""Tests whether a smaller generator helps to learn a larger one: its sequences in the mix, its weights, both, or
neither.

The follow-up says that 2^20 states and more are not learned without a curriculum: one per cent of sequences of a
smaller modulus, whose share decays, or the weights of a model of it. Here a size is learned from the one before it,
with the same total compute: a model that starts from another's weights makes fewer steps, so that both trainings
together cost what the plain one does. ``curves`` has accuracy by compute, and ``runs`` the compute to the target,
ancestors included. At laptop scale, the smallest size is learned in four ways, and the largest with the mix or
without; overnight, 12 bits of state in all five ways. Models that start from another's weights are tested on those
held-out values that it cannot have seen.
"""

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least, at_most
from unrandom.experiments.costs import cost_to, ratio, training_curve
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.presets import SIZES, Size, configured, permuted_experiment, with_seeds
from unrandom.experiments.summaries import each_seed, group_lines, named, tables_by_run
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables
from unrandom.tasks import Phase
from unrandom.training import StartFrom

ENTRY = Entry(
    name="pcg-curriculum",
    place=18,
    about="a larger state by way of a smaller one, at equal compute",
    minutes=340,
)

TARGET_ACCURACY = 0.8
PLAIN, MIXED, GROWN, BOTH, EARLY = (
    "neither",
    "1 % of a smaller state, decaying",
    "weights of a smaller state",
    "both",
    "weights of a smaller state, half trained",
)
SHARE = 0.01  # the share of the batch that is easier at the first step
# The smaller size, and the size that is learned from it by every kind of curriculum.
PAIR = by_scale(
    smoke=SIZES["smoke"][:2],
    laptop=(Size(6, 32, 500, 4), SIZES["laptop"][0]),
    overnight=SIZES["overnight"][1:3],
    paper=SIZES["paper"][:2],
)

CLAIMS = {
    "mixed": Claim(
        statement="One per cent of sequences of a smaller state saves compute.",
        quantity="compute to 80 %, without over with",
        wanted=at_least(1.1, "ratio"),
    ),
    "grown": Claim(
        statement="Starting from the weights of a smaller state saves compute.",
        quantity="compute to 80 %, without over with, that of the smaller state included",
        wanted=at_least(1.1, "ratio"),
    ),
    "both": Claim(
        statement="Both together save compute.",
        quantity="compute to 80 %, without over with, that of the smaller state included",
        wanted=at_least(1.1, "ratio"),
    ),
    "needed": Claim(
        statement="Without a curriculum the largest state is not learned.",
        quantity="last-number accuracy without a curriculum",
        wanted=at_most(0.5, "share"),
    ),
    "mixed-largest": LateClaim(
        statement="At the largest size, one per cent of sequences of a smaller state helps.",
        quantity="last-number accuracy with the mix less that without",
        wanted=at_least(0.05, "difference of shares"),
    ),
    "early": Claim(
        statement="The weights of a smaller state that is not solved yet save compute, too.",
        quantity="compute to 80 %, without over with, that of the smaller state included",
        wanted=at_least(1.1, "ratio"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Every kind of curriculum with every seed for one size, and the mix for the largest; the task's own variant."""
    smaller, larger = PAIR[scale]
    kinds = (PLAIN, MIXED, GROWN, BOTH) if scale == "laptop" else (PLAIN, MIXED, GROWN, BOTH, EARLY)
    planned = _kinds(scale, seeds, smaller, larger, kinds)
    if scale == "laptop":
        smaller, larger = SIZES[scale][-2:]
        planned += _kinds(scale, seeds, smaller, larger, (PLAIN, MIXED))
    return planned


def _kinds(scale: Scale, seeds: int, smaller: Size, larger: Size, names: tuple[str, ...]) -> list[RunSpec]:
    plain, easier = configured(scale, larger), configured(scale, smaller)
    half = easier.replace(steps=max(1, easier.steps // 2), schedule_steps=smaller.schedule or smaller.steps)
    phase = Phase(modulus=2**smaller.state_bits, share=SHARE, decay="linear", steps=larger.schedule or larger.steps)
    mixed = plain.replace(data={"curriculum": (phase,)})
    # The parent of EARLY is the beginning of GROWN's.
    kinds = {
        PLAIN: (plain, None),
        MIXED: (mixed, None),
        GROWN: (plain, easier),
        BOTH: (mixed, easier),
        EARLY: (plain, half),
    }
    planned = []
    for name in names:
        config, parent = kinds[name]
        labels = {"curriculum": name, "state_bits": larger.state_bits}
        for spec in with_seeds(f"pcg-{larger.state_bits}", config, seeds, **labels):
            if parent is not None:
                first = StartFrom(recipe=f"pcg-{smaller.state_bits}", config=parent.replace(seed=spec.config.seed))
                steps = max(1, spec.config.steps - round(parent.flops / spec.config.step_flops))
                spec = RunSpec(spec.recipe, spec.config.replace(start=first, steps=steps), spec.labels)
            planned.append(spec)
    return planned


def measure(runs: list[Run], scale: Scale) -> Tables:
    curves = {run.id: training_curve(run) for run in runs}
    return tables_by_run(
        runs, lambda run: {"curves": curves[run.id], "runs": [cost_to(curves[run.id], TARGET_ACCURACY)]}
    )


def evidence(tables: Tables) -> Evidence:
    every = tables["runs"]
    (bits,) = every.filter(curriculum=GROWN)["state_bits"].unique()
    runs = every.filter(state_bits=bits)
    saved = {
        key: ratio(runs, PLAIN, name, by="curriculum", target="80 %")
        for key, name in {"mixed": MIXED, "grown": GROWN, "both": BOTH, "early": EARLY}.items()
    }
    largest = every.filter(state_bits=pl.col("state_bits").max())
    final, name = pl.col("final"), pl.col("curriculum")
    helped = final.filter(name == MIXED).first() - final.filter(name == PLAIN).first()
    return {
        **saved,
        "needed": each_seed(largest.filter(curriculum=PLAIN), final.first()),
        "mixed-largest": each_seed(largest, helped),
    }


def draw(tables: Tables) -> Pictures:
    """Accuracy by compute, one panel per size, one line per seed."""
    panels = []
    for (bits,), of_size in tables["curves"].group_by("state_bits", maintain_order=True):
        curves = of_size.with_columns(pl.col("flops") / 1e12)
        lines = group_lines(named(curves, "curriculum"), "flops", "last")
        title = "compute of both states (TFLOP)"
        panels.append(LinePanel(f"{bits} bits of state", title, "last number right", lines))
    yield Picture(panels)


EXPERIMENT = permuted_experiment(ENTRY, CLAIMS, runs, measure, evidence, draw)
