"""Tests whether one variant helps to learn another: steps saved when a model that was trained on A goes on with B.

Beyond the paper and its follow-up. Every model of the smallest size goes on with every other variant, under the
schedule of one that starts from random weights, up to a part of its steps; both hold out the same a and c. ``costs``
has the steps of each run to the target, and ``matrix`` the ratio of steps without and with A, for each pair, with
Student's interval of its logarithm over seeds. Accuracy is checked every 50 steps, so that a ratio is one of small
numbers. The steps spent on A are not counted, but in the claim that says so.
"""

import math
from collections.abc import Mapping

import polars as pl

from unrandom.evaluation import over_units
from unrandom.evaluation.intervals import FEWEST_UNITS
from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, LateClaim, Unknown, at_least
from unrandom.experiments.costs import cost_to, finding_columns, ratio, training_curve
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.presets import SIZES, VARIANTS, alone_runs, permuted_experiment
from unrandom.experiments.summaries import each_seed, run_columns
from unrandom.figures.panels import MapPanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks.permuted_lcg import PermutedLCG
from unrandom.training import StartFrom

ENTRY = Entry(
    name="pcg-transfer",
    place=19,
    about="trained on one variant, steps saved on another: every pair",
    minutes=120,
)

TARGET_ACCURACY = 0.8
NOTHING = "random weights"
# Steps of the second training: the beginning of the schedule of a model that starts from random weights.
STEPS = by_scale(smoke=4, laptop=300, paper=100_000)

CLAIMS = {
    "saves": Claim(
        statement="A model that was trained on another variant learns a variant in fewer steps.",
        quantity="steps to 80 %, from random weights over from another variant, geometric mean over pairs",
        wanted=at_least(1.5, "ratio"),
    ),
    "never-harms": Claim(
        statement="No variant makes another one harder to learn.",
        quantity="steps to 80 %, from random weights over from another variant, the smallest of all pairs",
        wanted=at_least(1.0, "ratio"),
    ),
    "rotations": Claim(
        statement="Variants that rotate help each other more than other pairs do.",
        quantity="ratio of steps saved, pairs of rotating variants over all other pairs",
        wanted=at_least(1.1, "ratio"),
    ),
    "usually-saves": LateClaim(
        statement="For most pairs, a model that was trained on another variant learns a variant in fewer steps.",
        quantity="steps to 80 %, from random weights over from another variant, median over pairs",
        wanted=at_least(1.5, "ratio"),
    ),
    "pays": Claim(
        statement="The detour pays: both trainings together take less compute than the second from random weights.",
        quantity="compute to 80 %, from random weights over from another with its training, geometric mean over pairs",
        wanted=at_least(1.0, "ratio"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The models of the smallest size, and each of them gone on with every other variant."""
    alone = alone_runs(scale, seeds, SIZES[scale][:1])
    by_seed = {(spec.labels["variant"], spec.config.seed): spec for spec in alone}
    planned = [spec.labelled(first=NOTHING) for spec in alone]
    for (variant, seed), spec in by_seed.items():
        for first in VARIANTS:
            if first != variant:
                parent = by_seed[first, seed]
                config = spec.config.replace(
                    start=StartFrom(recipe=parent.recipe, config=parent.config),
                    steps=STEPS[scale],
                    schedule_steps=spec.config.steps,
                )
                planned.append(RunSpec(spec.recipe, config, {**spec.labels, "first": first}))
    return planned


def measure(runs: list[Run], scale: Scale) -> Tables:
    kept = ("run", "seed", "variant", "first")
    costs = table(
        {**{name: run_columns(run)[name] for name in kept}, **cost_to(training_curve(run), TARGET_ACCURACY)}
        for run in runs
    )
    matrix = [
        {"first": first, "variant": variant, **_cell(saved(costs, first, variant))}
        for first in VARIANTS
        for variant in VARIANTS
        if first != variant
    ]
    return {"costs": costs, "matrix": table(matrix)}


def saved(costs: pl.DataFrame, first: str, variant: str, key: str = "steps") -> Finding:
    """The cost of a variant from random weights over that from the weights of the variant ``first``, by seed."""
    return ratio(costs.filter(variant=variant), NOTHING, first, key, by="first", target="80 %")


def _cell(found: Finding) -> Mapping[str, float | str | None]:
    """A ratio as columns of a table: the geometric mean over seeds with the interval of its logarithm, or a bound."""
    columns = finding_columns("ratio", found)
    if not isinstance(found, list) or len(found) < FEWEST_UNITS:
        return columns
    logs = over_units([math.log(ratio) for ratio in found])
    ends = {"ratio": logs.value, "ratio_low": logs.low, "ratio_high": logs.high}
    return {**columns, **{name: None if end is None else math.exp(end) for name, end in ends.items()}}


def evidence(tables: Tables) -> Evidence:
    pairs = _by_pair(tables["costs"], "steps")
    rotating = [name for name in VARIANTS if name in PermutedLCG.rotating]
    both = pl.col("first").is_in(rotating) & pl.col("variant").is_in(rotating)
    mean, log = pl.col("log").mean().exp(), pl.col("log")
    return {
        "saves": _finding(pairs, each_seed(pairs, mean)),
        "never-harms": _finding(pairs, each_seed(pairs, log.min().exp())),
        "usually-saves": each_seed(pairs, log.median().exp()),  # runs that never reached 80 % count as slow
        "rotations": Unknown("runs never reached 80 %, so that a ratio of means has no direction")
        if pairs["censored"].any()
        else each_seed(pairs, (log.filter(both).mean() - log.filter(~both).mean()).exp()),
        "pays": _finding(pairs, each_seed(_by_pair(tables["costs"], "flops"), mean)),
    }


def _by_pair(costs: pl.DataFrame, key: str) -> pl.DataFrame:
    """The logarithm of the cost from random weights over the cost from the first variant, for each pair and seed."""
    alone = costs.filter(first=NOTHING).select("variant", "seed", alone=key, never="censored")
    pairs = costs.filter(pl.col("first") != NOTHING).join(alone, on=["variant", "seed"])
    return pairs.with_columns(log=(pl.col("alone") / pl.col(key)).log())


def _finding(pairs: pl.DataFrame, values: list[float]) -> Finding:
    """The values by seed; a bound if runs of one kind never reached the target; unknown if runs of both did not."""
    went_on, alone = pairs["censored"].sum(), pairs.filter("never")["alone"].len()
    if went_on and alone:
        return Unknown("runs from random weights and runs that went on never reached 80 %")
    if went_on or alone:
        why = f"{went_on or alone} of {len(pairs)} pairs have a run that never reached 80 %"
        return Bound(values, at_least=bool(alone), why=why)
    return values


def draw(tables: Tables) -> Pictures:
    """The matrix of ratios: one row per first variant, one column per second."""
    cells = {(row["first"], row["variant"]): row for row in tables["matrix"].iter_rows(named=True)}
    rows = [[cells.get((first, then), {}) for then in VARIANTS] for first in VARIANTS]
    values = [[cell.get("ratio") or float("nan") for cell in row] for row in rows]
    axes = "variant learned second", "variant learned first"
    names = [name.upper() for name in VARIANTS]
    title = "steps without the first variant over steps with it"
    yield Picture(
        [MapPanel(title, *axes, values, names, names, "ratio (bounds: at most)", limits=(0, 4), written=True)]
    )


EXPERIMENT = permuted_experiment(ENTRY, CLAIMS, runs, measure, evidence, draw)
