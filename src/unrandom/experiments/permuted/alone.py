"""Is each permuted generator learned alone? Accuracy by position for every variant and size, on unseen a and c.

The follow-up reports about 1.00 after 128 numbers for truncated LCGs, XSL-RR, XSH-RR and XSH-RS. ``positions`` has the
accuracy after so many numbers, with a bootstrap over multipliers and increments.
"""

import polars as pl

from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, Scale
from unrandom.experiments.permuted.ceilings import SEQUENCES, at_the_end
from unrandom.experiments.permuted.presets import VARIANTS, alone_runs
from unrandom.experiments.summaries import each_seed, group_lines, run_columns
from unrandom.figures.panels import accuracy_panel
from unrandom.runs.tables import Tables, table
from unrandom.tasks.permuted_lcg import PermutedLCG

ENTRY = Entry(
    name="pcg-alone",
    place=11,
    about="each variant alone: accuracy by position and by size of the state",
    minutes=1200,
)

RANKS = ("smallest", "second", "third")


def _learned(rank: str) -> Claim:
    return Claim(
        statement=f"Every variant is learned at the {rank} size of the state.",
        quantity="last-number accuracy on unseen multipliers and increments, the lowest of all variants",
        wanted=at_least(0.9, "share"),
    )


CLAIMS = {
    **{rank: _learned(rank) for rank in RANKS},
    "as-easy": Claim(
        statement="At the smallest size, permuted variants are as easy as the truncated LCG.",
        quantity="last-number accuracy on the truncated LCG less the mean of the others",
        wanted=at_most(0.05, "difference of shares"),
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    positions: Rows = []
    for run in runs:
        split = run.split()
        curve = evaluate(run.predictor(), split.test(split.parts[0], SEQUENCES[scale])).curve()
        columns = run_columns(run)
        positions += [{**columns, **dict(zip(curve, row, strict=True))} for row in zip(*curve.values(), strict=True)]
    return {"positions": table(positions)}


def evidence(tables: Tables) -> Evidence:
    last = at_the_end(tables["positions"])
    sizes = last["state_bits"].unique().sort().to_list()
    value, plain = pl.col("value"), pl.col("variant") == PermutedLCG.plain
    worst = {
        rank: each_seed(last.filter(state_bits=sizes[place]), value.min()) if place < len(sizes) else []
        for place, rank in enumerate(RANKS)
    }
    easier = value.filter(plain).mean() - value.filter(~plain).mean()
    return {**worst, "as-easy": each_seed(last.filter(state_bits=sizes[0]), easier)}


def draw(tables: Tables) -> Pictures:
    """Accuracy by numbers seen, one panel per size, one line per variant and seed."""
    panels = []
    for (bits,), positions in tables["positions"].group_by("state_bits", maintain_order=True):
        groups = {variant.upper(): positions.filter(variant=variant) for variant in VARIANTS}
        title = f"{bits} bits of state, {bits // 2} shown"
        panels.append(accuracy_panel(title, group_lines(groups, "seen", "value")))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, alone_runs, measure, evidence, draw, task=PermutedLCG, compares=True)
