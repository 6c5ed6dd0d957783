"""How far from the best possible predictor are models of permuted generators? The exact posterior on every curve.

Beyond the follow-up, which has no ceiling. ``positions`` has the accuracy of the model, of copying and of the exact
posterior over states, multipliers and increments by numbers seen, and ``needed`` the numbers for 60 and 90 %.
"""

import polars as pl

from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale
from unrandom.experiments.permuted.ceilings import MODEL, compared, over_posterior, panel
from unrandom.experiments.permuted.presets import VARIANTS, alone_runs
from unrandom.runs.tables import Tables
from unrandom.tasks import PermutedLCG

ENTRY = Entry(
    name="pcg-posterior",
    about="the model against copying and the exact posterior, by variant and size",
)

CLAIMS = {
    "far": Claim(
        statement="The model needs at least three times as many numbers as the exact posterior.",
        quantity="numbers for 90 %, model over exact posterior, geometric mean over variants and sizes",
        wanted=at_least(3.0, "ratio"),
        precondition=None,
    ),
    "gap-grows": Claim(
        statement="The gap to the exact posterior grows with the state.",
        quantity="numbers for 60 %, model over exact posterior, at the largest size over at the smallest",
        wanted=at_least(1.5, "ratio"),
        precondition=None,
    ),
    "beyond-copying": Claim(
        statement="Copying explains little of what the model predicts.",
        quantity="last-number accuracy less that of copying, mean over variants and sizes",
        wanted=at_least(0.5, "share"),
        precondition=None,
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    return compared(runs, scale)


def evidence(tables: Tables) -> Evidence:
    positions = tables["positions"]
    last = positions.filter(pl.col("seen") == pl.col("seen").max().over("run"))
    of = {name: last.filter(predictor=name).select("run", "seed", "value") for name in (MODEL, "copy")}
    gap = of[MODEL].join(of["copy"], on="run", suffix=" of copying")
    difference = (pl.col("value") - pl.col("value of copying")).mean().alias("gap")
    return {
        "far": over_posterior(tables, "90%"),
        "gap-grows": _growth(tables),
        "beyond-copying": gap.group_by("seed").agg(difference).sort("seed")["gap"].to_list(),
    }


def _growth(tables: Tables) -> Finding:
    """By seed, the ratio to the posterior for 60 % at the largest size over that at the smallest."""
    sizes = sorted(tables["needed"]["state_bits"].unique())
    most, least = (
        over_posterior({"needed": tables["needed"].filter(state_bits=bits)}, "60%") for bits in (sizes[-1], sizes[0])
    )
    if isinstance(least, Bound):
        return least
    limits = most.limits if isinstance(most, Bound) else most
    assert isinstance(limits, list), "ratios are one value per seed"
    ratios = [above / below for above, below in zip(limits, least, strict=True)]
    return Bound(ratios, at_least=True, why=most.why) if isinstance(most, Bound) else ratios


def draw(tables: Tables) -> Pictures:
    """Accuracy by numbers seen: one picture per size, one panel per variant."""
    positions = tables["positions"]
    for place, bits in enumerate(sorted(positions["state_bits"].unique())):
        of_size = positions.filter(state_bits=bits)
        panels = [panel(of_size.filter(variant=name), f"{name.upper()}, {bits} bits of state") for name in VARIANTS]
        yield Picture(panels, columns=3, suffix=f"-{bits}" if place else "")


EXPERIMENT = Experiment(ENTRY, CLAIMS, alone_runs, measure, evidence, draw, task=PermutedLCG, compares=True)
