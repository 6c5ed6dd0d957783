"""Measures what reduces the compute or the context that a model needs: changes of the recipe, on and off, at one
modulus.

Beyond the paper. A change (column ``intervention``) has a class (column ``track``): *neutral* changes keep
architecture, data and batch, and concern the optimiser alone; *open* ones go further. Compute is counted up to
the first evaluation with 90 % of last numbers right, ancestors included. A run that never reaches it is censored: its
compute is a lower bound, and a ratio with it is a bound without an interval. AdamW was tried at a few rates, with no
other setting tuned. The tables are ``curves`` (accuracy by compute), ``runs`` and ``interventions`` (for each change,
ratios to the plain run).
"""

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from unrandom.evaluation import context_needed
from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, at_least
from unrandom.experiments.costs import cost_to, finding_columns, training_curve
from unrandom.experiments.costs import ratio as cost_ratio
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling.measurement import SEQUENCES, evaluated_run, modulus_of
from unrandom.experiments.scaling.presets import Settings, Size, size_of, sized_run
from unrandom.experiments.summaries import group_lines, mean_or_none, run_columns, tables_by_run
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus, Phase

ENTRY = Entry(
    name="fm-what-helps",
    place=1,
    about="optimiser, curriculum, mix, positions and depth: compute and context needed for 90 %",
    minutes=34,
)

TARGET_ACCURACY = 0.9  # compute is counted up to this last-number accuracy
PLAIN, MIXED, CURRICULUM, GROWN, ROTARY, DEEPER = (
    "plain: Muon, abacus, depth 2",
    "half arbitrary (a, c)",
    "easier modulus in the mix",
    "from a smaller modulus",
    "rotary positions",
    "depth 4",
)
NEUTRAL, OPEN = "neutral", "open"
ADAMW = (pl.col("track") == NEUTRAL) & (pl.col("intervention") != PLAIN)  # AdamW is the only other optimiser
RATES = by_scale(smoke=(1e-3,), laptop=(1e-3, 3e-3), paper=(1e-4, 3e-4, 1e-3))
ADAMW_STEPS_FACTOR = 2  # AdamW's steps over the plain run's


@dataclass(frozen=True)
class Sizes:
    """The modulus of the comparison, 2^exponent, and an easier one, 2^easier."""

    exponent: int
    easier: int
    easier_steps: int
    steps: int
    evaluate_every: int


SIZES: dict[Scale, Sizes] = by_scale(
    smoke=Sizes(exponent=6, easier=4, easier_steps=4, steps=8, evaluate_every=4),
    laptop=Sizes(exponent=8, easier=4, easier_steps=60, steps=300, evaluate_every=20),
    paper=Sizes(exponent=16, easier=8, easier_steps=5000, steps=200_000, evaluate_every=1000),
)

PLAIN_REACHES_TARGET = Precondition("last-number accuracy of the plain run", TARGET_ACCURACY)


def _claim(statement: str, quantity: str, threshold: float = 1.1) -> Claim:
    return Claim(
        statement=statement,
        quantity=quantity,
        wanted=at_least(threshold, "ratio"),
        precondition=PLAIN_REACHES_TARGET,
    )


CLAIMS = {
    "muon": _claim(
        "Muon needs less compute than AdamW at the best of the rates that were tried, with twice the steps.",
        "compute to 90 %, AdamW's over Muon's",
        1.5,
    ),
    "curriculum": _claim("Easier sequences in the mix save compute.", "compute to 90 %, without over with"),
    "grown": _claim(
        "Starting from the weights of a smaller modulus saves compute.",
        "compute to 90 %, without over with, that of the smaller modulus included",
    ),
    "full-period": _claim(
        "Training on full-period sequences alone costs less than with half of them arbitrary.",
        "compute to 90 %, half over all",
    ),
    "abacus": _claim("Abacus positions save compute against rotary ones.", "compute to 90 %, rotary over abacus"),
    "deeper": _claim("Four layers need fewer numbers than two.", "numbers for 90 %, two layers' over four's"),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Every change with every seed."""
    sizes = SIZES[scale]
    size = size_of(scale, sizes.exponent)
    changes: dict[str, Any] = {**size.changes, "evaluate_every": sizes.evaluate_every}
    if scale == "paper":  # the paper's recipe has AdamW and repeated data
        changes |= {"optimizer": {"name": "muon"}, "data": {"mode": "streaming"}}
    plain = replace(size, steps=sizes.steps, changes=changes)
    easier = Size(
        exponent=sizes.easier,
        context=plain.context,
        steps=sizes.easier_steps,
        batch_size=plain.batch_size,
        digits=sized_run(scale, plain, 0).config.data.tokenizer.width,
        changes={**changes, "warmup_steps": sizes.easier_steps // 10},
    )
    grown = replace(plain, start=easier)
    return [
        sized_run(scale, grown if name == GROWN else plain, seed, **settings).labelled(intervention=name, track=kind)
        for seed in range(seeds)
        for name, kind, settings in _recipe_changes(scale)
    ]


def _recipe_changes(scale: Scale) -> list[tuple[str, str, Settings]]:
    """(name, class, changed settings) of each change of the recipe."""
    sizes = SIZES[scale]
    phase = Phase(modulus=2**sizes.easier, share=0.5, decay="linear", steps=sizes.steps // 2)
    adamw = {rate: {"name": "adamw", "lr": rate} for rate in RATES[scale]}
    return [
        (PLAIN, NEUTRAL, {}),
        (MIXED, OPEN, {"data": {"full_period_share": 0.5}}),
        (CURRICULUM, OPEN, {"data": {"curriculum": (phase,)}}),
        (GROWN, OPEN, {}),  # ``runs`` makes it start from other weights
        (ROTARY, OPEN, {"model": {"positions": "rotary"}}),
        (DEEPER, OPEN, {"model": {"depth": 4}}),
        *(
            (f"AdamW, rate {rate:g}", NEUTRAL, {"optimizer": optimizer, "steps": ADAMW_STEPS_FACTOR * sizes.steps})
            for rate, optimizer in adamw.items()
        ),
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    kept = ("run", "intervention", "seed")
    return tables_by_run(
        runs, lambda run: _measured(run, scale), lambda run: {key: run_columns(run)[key] for key in kept}
    )


def derive(tables: Tables) -> Tables:
    return {"interventions": _summary(tables["runs"])}


def _measured(run: Run, scale: Scale) -> dict[str, Rows]:
    curve = training_curve(run)
    tested = evaluated_run(run, run.split(), modulus_of(run), SEQUENCES[scale])
    cost, context = cost_to(curve, TARGET_ACCURACY), context_needed(tested, TARGET_ACCURACY).needed
    return {"curves": curve, "runs": [{"track": run.labels["track"], **cost, "context_needed": context}]}


def _summary(runs: pl.DataFrame) -> pl.DataFrame:
    """One row per change: compute and context needed for 90 %, relative to the plain run with the same seed.

    Ratios have Student's interval if no run was censored; else they are bounds (``≥`` or ``≤``) without one.
    """
    summary = runs.group_by("intervention", maintain_order=True).agg(
        pl.col("track").first(),
        pl.len().cast(pl.Int64).alias("seeds"),
        pl.col("censored").sum().cast(pl.Int64),
        pl.col("flops").mean(),
    )
    ratios = table(
        {
            **finding_columns("compute_ratio", ratio(runs, name, PLAIN)),
            **finding_columns("context_ratio", ratio(runs, name, PLAIN, "context_needed")),
        }
        for name in summary["intervention"]
    )
    return pl.concat([summary, ratios], how="horizontal")


def ratio(runs: pl.DataFrame, numerator: str, denominator: str, key: str = "flops") -> Finding:
    """`costs.ratio` of two changes of the recipe."""
    return cost_ratio(runs, numerator, denominator, key, target="90 %")


def best_adamw(runs: pl.DataFrame) -> str:
    """The AdamW rate with the highest mean final accuracy. Choosing it by the reported runs favours AdamW."""
    rates = runs.filter(ADAMW).group_by("intervention", maintain_order=True).agg(pl.col("final").mean())
    return str(rates.sort("final", descending=True, maintain_order=True)["intervention"][0])


def evidence(tables: Tables) -> Evidence:
    runs = tables["runs"]
    return {
        "muon": ratio(runs, best_adamw(runs), PLAIN),
        "curriculum": ratio(runs, PLAIN, CURRICULUM),
        "grown": ratio(runs, PLAIN, GROWN),
        "full-period": ratio(runs, MIXED, PLAIN),
        "abacus": ratio(runs, ROTARY, PLAIN),
        "deeper": ratio(runs, PLAIN, DEEPER, "context_needed"),
        PLAIN_REACHES_TARGET: mean_or_none(runs.filter(intervention=PLAIN)["final"]),
    }


def draw(tables: Tables) -> Pictures:
    """Accuracy by compute: one panel for the optimisers, one for the rest; one line per seed."""
    runs = tables["runs"]
    groups = {
        "neutral: the optimiser alone": runs.filter(track=NEUTRAL),
        "open": runs.filter((pl.col("track") == OPEN) | (pl.col("intervention") == PLAIN)),
    }
    curves = tables["curves"].with_columns(pl.col("flops") / 1e12)
    panels = []
    for title, chosen in groups.items():
        names = chosen["intervention"].unique(maintain_order=True)
        lines = group_lines({name: curves.filter(intervention=name) for name in names}, "flops", "last")
        panels.append(LinePanel(title, "training compute (TFLOP)", "last number right", lines))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, derive=derive, task=FixedModulus, compares=True)
