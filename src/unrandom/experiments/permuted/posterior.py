"""How far from the best possible predictor are models of permuted generators? The exact posterior on every curve.

Beyond the follow-up, which has no ceiling. ``positions`` has the accuracy of the model, of copying and of the exact
posterior over states, multipliers and increments by numbers seen, and ``needed`` the numbers for 60 and 90 %.
"""

from collections.abc import Sequence

import polars as pl

from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, Unknown, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale
from unrandom.experiments.permuted.ceilings import MODEL, at_the_end, compared, over_posterior, panel
from unrandom.experiments.permuted.presets import VARIANTS, alone_runs
from unrandom.experiments.summaries import each_seed
from unrandom.runs.tables import Tables
from unrandom.tasks.permuted_lcg import PermutedLCG

ENTRY = Entry(
    name="pcg-posterior",
    place=16,
    about="the model against copying and the exact posterior, by variant and size",
    minutes=1200,
)

CLAIMS = {
    "far": Claim(
        statement="The model needs at least three times as many numbers as the exact posterior.",
        quantity="numbers for 90 %, model over exact posterior, geometric mean over variants and sizes",
        wanted=at_least(3.0, "ratio"),
    ),
    "gap-grows": Claim(
        statement="The gap to the exact posterior grows with the state.",
        quantity="numbers for 60 %, model over exact posterior, at the largest size over at the smallest",
        wanted=at_least(1.5, "ratio"),
    ),
    "beyond-copying": Claim(
        statement="Copying explains little of what the model predicts.",
        quantity="last-number accuracy less that of copying, mean over variants and sizes",
        wanted=at_least(0.5, "difference of shares"),
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    return compared(runs, scale)


def evidence(tables: Tables) -> Evidence:
    last = at_the_end(tables["positions"])
    of = {name: last.filter(predictor=name).select("run", "seed", "value") for name in (MODEL, "copy")}
    both = of[MODEL].join(of["copy"], on="run", suffix=" of copying")
    return {
        "far": over_posterior(tables, "90%"),
        "gap-grows": growth(tables["needed"]),
        "beyond-copying": each_seed(both, (pl.col("value") - pl.col("value of copying")).mean()),
    }


def growth(needed: pl.DataFrame) -> Finding:
    """By seed, the ratio to the posterior for 60 % at the largest size over that at the smallest.

    A bound if models of the largest size never reached it; unknown if some of the smallest did not.
    """
    bits = pl.col("state_bits")
    most, least = (over_posterior({"needed": needed.filter(bits == end)}, "60%") for end in (bits.max(), bits.min()))
    if not isinstance(least, list):
        return Unknown("a model of the smallest size never reached 60 %")
    limits = most.limits if isinstance(most, Bound) else most
    assert isinstance(limits, Sequence), "there is a ratio for each seed"
    ratios = [above / below for above, below in zip(limits, least, strict=True)]
    return Bound(ratios, at_least=True, why=most.why) if isinstance(most, Bound) else ratios


def draw(tables: Tables) -> Pictures:
    """Accuracy by numbers seen, one panel per variant, at the middle one of the sizes."""
    sizes = tables["positions"]["state_bits"].unique().sort().to_list()
    bits = sizes[len(sizes) // 2]
    positions = tables["positions"].filter(state_bits=bits)
    names = {name: f"{name.upper()}, {bits} bits of state" for name in VARIANTS}
    yield Picture([panel(positions.filter(variant=name), title) for name, title in names.items()])


EXPERIMENT = Experiment(ENTRY, CLAIMS, alone_runs, measure, evidence, draw, task=PermutedLCG, compares=True)
