"""Runs that the unseen-modulus experiments share: a *main* run to analyse, others that are harder or easier, and a
*small* one to vary.

The *main* run is analysed head by head, and so it must have learned much more of its unseen moduli than a look-back of
one distance predicts; they need look-backs that no single distance serves. At laptop scale it starts from the weights
of a *first* run, of fewer moduli; at others it is its own first run. The *hard* run also tests a prime, and moduli some
of whose look-backs no training modulus has. The *shortcut* run tests moduli that a look-back of one distance predicts.
The *small* run is trained within minutes, so that a grid of it can be. All draw half of every batch or more from
full-period parameters, where the paper draws none. At paper scale all are the run that the paper analyses (four layers,
six heads, n_m = n_a = n_c = 128, AdamW), also for grids where the paper varies another run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from unrandom.experiments.claims import BEYOND_SHORTCUT
from unrandom.experiments.experiment import Experiment, Scale, by_scale
from unrandom.runs.recipes import recipe
from unrandom.runs.spec import RunSpec, with_ancestors
from unrandom.tasks import UnseenModulus

Settings = Mapping[str, Any]  # changes of a configuration, as ``Config.replace`` takes them


def _moduli(test: Sequence[int], validation: Sequence[int], context: int, largest: int) -> dict[str, Any]:
    return {
        "test_moduli": tuple(test),
        "validation_moduli": tuple(validation),
        "context": context,
        "max_modulus": largest,
    }


SMALL_RECIPE = by_scale(smoke="um-80", laptop="um-108", paper="um-2048")
MAIN_RECIPE = by_scale(smoke="um-80", laptop="um-108-wide", overnight="um-2048-fast", paper="um-2048")
# What the small run changes in its recipe: at laptop scale it is the first run in a fifth of the steps, with fewer
# moduli and heads, and more rows of each look-back.
SMALLER: dict[Scale, Settings] = by_scale(
    smoke={},
    laptop={
        "data": {"max_modulus": 200, "full_period_share": 0.7, "balanced_share": 0.7},
        "model": {"n_heads": 4},
        "steps": 1000,
    },
    paper={},
)
HARD_RECIPE: dict[Scale, str] = {**MAIN_RECIPE, "laptop": "um-128"}
SHORTCUT_RECIPE: dict[Scale, str] = {**MAIN_RECIPE, "laptop": "um-144"}

# The learning rate that is tuned: Muon's, for the matrices inside the blocks, or AdamW's if it is the only optimiser.
RATE = by_scale(smoke="muon_lr", laptop="muon_lr", paper="lr")
# rates over which each point of another grid is tuned
RATES = by_scale(smoke=(0.05,), laptop=(0.025, 0.05), paper=(3e-5, 1e-4, 3e-4, 1e-3))
WEIGHT_DECAYS = by_scale(smoke=(0.1, 0.3), laptop=(0.1,), paper=(0.01, 0.1, 1.0, 3.0))
# rates of the grid over rates and weight decays
RATES_WIDE = by_scale(smoke=(0.02, 0.05), laptop=(0.02, 0.05, 0.1), paper=(3e-5, 1e-4, 3e-4, 1e-3))
WEIGHT_DECAYS_WIDE = by_scale(smoke=(0.1, 0.3), laptop=(0.1, 1.0), paper=(0.01, 0.1, 1.0, 3.0))
# n_m = m / 4 and n_a = n_c = sqrt(400,000 / n_m), the paper's rule
PAPERS_1024 = {**_moduli((1024,), (1000,), 256, 1228), "n_m": 256, "n_a": 40, "n_c": 40}
PAPERS_4096 = {**_moduli((4096,), (4000,), 256, 4915), "n_m": 1024, "n_a": 20, "n_c": 20}
# data settings with moduli of growing size; {}: the small run's
SIZES: dict[Scale, tuple[Settings, ...]] = by_scale(
    smoke=(_moduli((16, 18), (25,), 8, 32), {}),
    laptop=(_moduli((32, 50, 54), (64, 75), 23, 100), {"validation_moduli": (150, 160)}),
    paper=(PAPERS_1024, PAPERS_4096),
)

# Data settings of arbitrary (a, c): no sequence is drawn for its full period.
ARBITRARY_DATA: Settings = {"full_period_share": 0.0, "counting_share": None, "balanced_share": 0.0}

SMOKE: Settings = {
    "data": {**_moduli((18, 25, 32), (27,), 12, 48), "n_test_a": 3, "n_test_c": 3},
    "model": {"d_model": 16, "depth": 2, "n_heads": 2},
    "batch_size": 32,
    "steps": 12,
    "warmup_steps": 2,
    "evaluate_every": 4,
    "checkpoint_every": 12,
    "test_sequences": 48,
    "precision": "fp32",
}


def optimizers(scale: Scale, *, wide: bool = False) -> dict[tuple[float, float], Settings]:
    """Settings of the optimiser, learning rates and weight decays, to tune over; if ``wide``, the grid of both."""
    rates, decays = (RATES_WIDE, WEIGHT_DECAYS_WIDE) if wide else (RATES, WEIGHT_DECAYS)
    pairs = product(rates[scale], decays[scale])
    return {(rate, decay): {RATE[scale]: rate, "weight_decay": decay} for rate, decay in pairs}


def main_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The main run with each seed."""
    return with_seeds([main_run(scale)], seeds)


def hard_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The hard run with each seed."""
    return with_seeds([hard_run(scale)], seeds)


def shortcut_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The shortcut run with each seed."""
    return with_seeds([shortcut_run(scale)], seeds)


def shortcut_run(scale: Scale) -> RunSpec:
    """The shortcut run, to be varied."""
    return _recipe_run(SHORTCUT_RECIPE[scale], scale)


def main_run(scale: Scale) -> RunSpec:
    """The main run; other runs are given some of its settings."""
    return _recipe_run(MAIN_RECIPE[scale], scale)


def first_run(scale: Scale) -> RunSpec:
    """The run that the main run's weights come from; the main run itself, if it starts from random ones."""
    return with_ancestors([main_run(scale)])[0]


def hard_run(scale: Scale) -> RunSpec:
    """The hard run, to be varied."""
    return _recipe_run(HARD_RECIPE[scale], scale)


def small_run(scale: Scale) -> RunSpec:
    """The small run, to be varied."""
    return variant(_recipe_run(SMALL_RECIPE[scale], scale), {}, **SMALLER[scale])


def variant(run: RunSpec, labels: Settings, **changes: Any) -> RunSpec:
    """The run with changed settings, as ``Config.replace`` takes them, and with labels that identify the variant."""
    return replace(run, config=run.config.replace(**changes)).labelled(**labels)


def with_seeds(variants: Sequence[RunSpec], seeds: int) -> list[RunSpec]:
    """Each variant with each seed; of variants that are the same run, the first is kept."""
    runs: dict[str, RunSpec] = {}
    for each in variants:
        for seed in range(seeds):
            seeded = variant(each, {}, seed=seed)
            runs.setdefault(seeded.id, seeded)
    return list(runs.values())


main_experiment = partial(Experiment, runs=main_runs, task=UnseenModulus, presupposes=BEYOND_SHORTCUT, archived_seeds=3)
"""An experiment that looks into the main runs."""
comparison = partial(Experiment, task=UnseenModulus, compares=True)
"""An experiment that compares runs with changed settings."""


def _recipe_run(name: str, scale: Scale) -> RunSpec:
    """The run of a recipe; at smoke scale, of a tiny version of it."""
    config = recipe(name).build()
    return RunSpec(name, config.replace(**SMOKE) if scale == "smoke" else config)
