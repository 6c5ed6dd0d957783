"""Tests which seed matters more, the model's or the data's. (appendix:seeds_20, appendix:same_ds)

One data seed (split and fixed training set) is combined with several model seeds (initialisation and batch order), and
one model seed with several data seeds. The tables are ``positions`` (accuracy by position) and ``context_needed``; the
claims test how many runs succeed, and how much the context needed varies between seeds of each kind.
"""

import polars as pl

from unrandom.evaluation import over_trials
from unrandom.experiments.claims import Claim, Evidence, Precondition, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling.measurement import SEQUENCES, context_rows, evaluated_run, modulus_of, position_rows
from unrandom.experiments.scaling.presets import Settings, size_of, sized_run
from unrandom.experiments.summaries import by_modulus, group_lines, last_position, named, tables_by_run
from unrandom.figures.panels import accuracy_panel
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus

ENTRY = Entry(
    name="fm-seeds",
    section="larger moduli",
    place=2,
    about="variation between seeds of the model, and between seeds of the data",
    minutes=15,
    figures={
        "appendix:seeds_20": "seeds of model and data, m = 2^20",
        "appendix:same_ds": "seeds of model and data, m = 2^32",
    },
)

SUCCESS_ACCURACY = 0.99  # from this last-number accuracy on, a run counts as successful
MODEL, DATA = "model seeds", "data seeds"
SHARED: dict[str, str] = {MODEL: "data_seed", DATA: "seed"}  # which of the two seeds stays at 0

EXPONENTS = by_scale(smoke=(4,), laptop=(8,), overnight=(20,), paper=(20, 32))
# Settings of the data: below 2^20 a small fixed training set, so that the data seed decides more than what is held out.
DATA_SETTINGS: dict[Scale, Settings] = by_scale(
    smoke={"mode": "fixed", "n_sequences": 256},
    laptop={"mode": "fixed", "n_sequences": 20_000},
    overnight={},
)
SEEDS_FACTOR = by_scale(smoke=2, laptop=2, overnight=1, paper=2)  # seeds of each kind per seed of other experiments

BEST = Precondition("last-number accuracy of the best run", 0.9)

CLAIMS = {
    "success": Claim(
        statement="Most seeds of the model find the solution.",
        quantity="share of runs on one data set that are right on 99 % of last numbers, at the largest modulus",
        wanted=at_least(0.5, "share"),
        precondition=None,
    ),
    "model-spread": Claim(
        statement="Runs that share their data differ in the numbers they need.",
        quantity="numbers for 99 %, the most over the least of the runs that got there",
        wanted=at_least(1.1, "ratio"),
        precondition=BEST,
    ),
    "data-spread": Claim(
        statement="Runs that share the model's seed, on other data, differ in the numbers they need, too.",
        quantity="numbers for 99 %, the most over the least of the runs that got there",
        wanted=at_least(1.1, "ratio"),
        figure="appendix:same_ds",
        precondition=BEST,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Runs of model seeds and of data seeds; the run of (0, 0) belongs to both kinds."""
    each = range(SEEDS_FACTOR[scale] * seeds)
    pairs = [(seed, 0) for seed in each] + [(0, seed) for seed in each[1:]]
    # Without a data seed of its own, the run of (0, 0) is fm-scaling's where the data are the same.
    return [
        sized_run(
            scale,
            size_of(scale, exponent),
            model,
            data=DATA_SETTINGS[scale],
            data_seed=None if data == model else data,
        )
        for exponent in EXPONENTS[scale]
        for model, data in pairs
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: _measured(run, scale))


def _measured(run: Run, scale: Scale) -> dict[str, Rows]:
    evaluation = evaluated_run(run, run.split(), modulus_of(run), SEQUENCES[scale])
    return {"positions": position_rows({}, evaluation), "context_needed": context_rows({}, evaluation)}


def evidence(tables: Tables) -> Evidence:
    largest = by_modulus(_seeds_of(tables["positions"], MODEL)).popitem()[1]
    last = last_position(largest)["value"].to_list()
    return {
        "success": over_trials(sum(value >= SUCCESS_ACCURACY for value in last), len(last)),
        "model-spread": _spreads(_seeds_of(tables["context_needed"], MODEL)),
        "data-spread": _spreads(_seeds_of(tables["context_needed"], DATA)),
        BEST: max(last),
    }


def _seeds_of(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Keep the runs that share the other seed."""
    return frame.filter(pl.col(SHARED[kind]) == 0)


def _spreads(context: pl.DataFrame) -> list[float]:
    """By modulus, the largest context needed over the least, if at least two runs reached the accuracy."""
    needed = context.filter(pl.col("needed").is_not_null(), threshold=SUCCESS_ACCURACY)
    return [
        max(of_modulus["needed"]) / min(of_modulus["needed"])
        for of_modulus in by_modulus(needed).values()
        if len(of_modulus) > 1
    ]


def draw(tables: Tables) -> Pictures:
    """Accuracy by position, one panel per modulus and kind of seed, one line per seed."""
    panels = []
    for modulus, positions in by_modulus(tables["positions"]).items():
        for kind in SHARED:
            varied = SHARED[DATA if kind == MODEL else MODEL]
            lines = group_lines(named(_seeds_of(positions, kind), varied, "seed {}"), "seen", "value")
            panels.append(accuracy_panel(f"m = {modulus}: {kind}", lines))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=FixedModulus, compares=True)
