"""Can a single output bit be predicted? Each variant at the smallest size, of whose word only the highest bit is shown.

The follow-up reaches .95 after 256 numbers. ``positions`` has the accuracy of the model, of copying and of the exact
posterior after so many bits, and ``needed`` the numbers for 90 %.
"""

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.ceilings import MODEL, at_the_end, compared, over_posterior, panel
from unrandom.experiments.permuted.presets import SIZES, VARIANTS, configured, with_seeds
from unrandom.experiments.summaries import each_seed
from unrandom.runs.tables import Tables
from unrandom.tasks.permuted_lcg import PermutedLCG

ENTRY = Entry(
    name="pcg-one-bit",
    place=14,
    about="one output bit: the model, copying and the exact posterior",
    minutes=250,
)

CONTEXT = by_scale(smoke=8, laptop=128, paper=512)
STEPS = by_scale(smoke=4, laptop=3000, paper=100_000)

CLAIMS = {
    "learned": Claim(
        statement="A single bit is predicted reliably, for every variant.",
        quantity="accuracy on the last bit, the lowest of all variants",
        wanted=at_least(0.9, "share"),
    ),
    "far": Claim(
        statement="The model needs at least twice as many bits as the exact posterior.",
        quantity="bits for 90 %, model over exact posterior, geometric mean over variants",
        wanted=at_least(2.0, "ratio"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """One model for each variant."""
    size = SIZES[scale][0]
    return [
        spec
        for variant in VARIANTS
        for spec in with_seeds(
            f"pcg-{size.state_bits}",
            configured(scale, size, steps=STEPS[scale], variants=(variant,), bits=1, context=CONTEXT[scale]),
            seeds,
            variant=variant,
            state_bits=size.state_bits,
        )
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    return compared(runs, scale)


def evidence(tables: Tables) -> Evidence:
    return {
        "learned": each_seed(at_the_end(tables["positions"]).filter(predictor=MODEL), pl.col("value").min()),
        "far": over_posterior(tables, "90%"),
    }


def draw(tables: Tables) -> Pictures:
    """Accuracy by bits seen, one panel per variant."""
    positions = tables["positions"]
    yield Picture([panel(positions.filter(variant=variant), variant.upper()) for variant in VARIANTS])


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=PermutedLCG, compares=True)
