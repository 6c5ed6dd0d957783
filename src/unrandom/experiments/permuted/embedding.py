"""What does the embedding of a permuted generator count? Zero bits, runs of zeros, parity, and classes of rotations.

The follow-up finds (for 16 bits of state) that the first components of the embedding count zero bits and their runs,
tell the parity, and group numbers that are rotations of each other. A truncated LCG, whose words are not rotated, is
the control. ``components`` has, for each principal component of the largest size, the squared correlation with these
counts, and the share of its variance that lies between classes of rotations, and between random classes of the same
sizes.
"""

import numpy as np
import polars as pl

from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale
from unrandom.experiments.permuted.presets import SIZES, alone_runs
from unrandom.experiments.summaries import each_run, group_lines, run_columns
from unrandom.figures.panels import LinePanel
from unrandom.interpretation import class_variance, principal_components, token_vectors
from unrandom.runs.tables import Tables, table
from unrandom.tasks.permuted_lcg import PermutedLCG

ENTRY = Entry(
    name="pcg-embedding",
    place=20,
    about="what the embedding counts: zero bits, their runs, parity; classes of rotations",
    minutes=610,
)

COMPONENTS = 6

CLAIMS = {
    "zeros": Claim(
        statement="One of the first components counts zero bits, where words are rotated.",
        quantity="squared correlation with the number of zero bits, the largest of three components",
        wanted=at_least(0.5, "share"),
    ),
    "runs": Claim(
        statement="One of the first components counts runs of zeros, where words are rotated.",
        quantity="squared correlation with the number of runs of zeros, the largest of six components",
        wanted=at_least(0.3, "share"),
    ),
    "parity": Claim(
        statement="One of the first components tells the parity, where words are rotated.",
        quantity="squared correlation with the parity, the largest of six components",
        wanted=at_least(0.3, "share"),
    ),
    "rotations": Claim(
        statement="Numbers that are rotations of each other have similar embeddings, where words are rotated.",
        quantity="share of the variance of six components between classes of rotations, less that between random ones",
        wanted=at_least(0.3, "difference of shares"),
    ),
    "control": Claim(
        statement="They have not where words are not rotated.",
        quantity="the same share for the truncated LCG",
        wanted=at_most(0.15, "difference of shares"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The models of rotating variants, and of the control, at the largest size."""
    wanted = (*PermutedLCG.rotating, PermutedLCG.plain)
    return [spec for spec in alone_runs(scale, seeds, SIZES[scale][-1:]) if spec.labels["variant"] in wanted]


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: Rows = []
    for run in runs:
        task = run.config.data
        assert isinstance(task, PermutedLCG), "runs of this experiment are of permuted LCGs"
        bits = task.width
        found = principal_components(token_vectors(run.load_model())[: 1 << bits], COMPONENTS)
        values, counts = found.values, word_counts(bits)
        classes = class_variance(values, rotation_classes(bits))
        for component in range(values.shape[1]):
            squared = {
                name: float(np.corrcoef(values[:, component], count)[0, 1] ** 2) for name, count in counts.items()
            }
            rows.append(
                {
                    **run_columns(run),
                    "component": component + 1,
                    "explained": float(found.explained[component]),
                    **squared,
                    "rotations": float(classes.shares[component]),
                    "random": float(classes.shuffled[component]),
                }
            )
    return {"components": table(rows)}


def word_counts(bits: int) -> dict[str, np.ndarray]:
    """For every word of this width: its zero bits, its runs of zeros (in a circle), and its parity."""
    words = np.arange(1 << bits)
    ones = (words[:, None] >> np.arange(bits)) & 1
    runs = ((ones == 0) & (np.roll(ones, 1, axis=1) == 1)).sum(axis=1)
    runs[0] = 1  # the circle of zeros, which has no beginning
    return {"zeros": bits - ones.sum(axis=1), "runs": runs, "parity": ones.sum(axis=1) % 2}


def rotation_classes(bits: int) -> np.ndarray:
    """The class of every word of this width: the smallest of its rotations, numbered from 0."""
    words, mask = np.arange(1 << bits), (1 << bits) - 1
    rotated = np.stack([(words >> turn | words << (bits - turn)) & mask for turn in range(bits)])
    return np.unique(rotated.min(axis=0), return_inverse=True)[1].ravel()


def evidence(tables: Tables) -> Evidence:
    rows = tables["components"]
    rotating = rows.filter(pl.col("variant") != PermutedLCG.plain)
    weight = pl.col("explained")
    excess = ((pl.col("rotations") - pl.col("random")) * weight).sum() / weight.sum()

    return {
        "zeros": each_run(rotating, pl.col("zeros").filter(pl.col("component") <= 3).max()),
        "runs": each_run(rotating, pl.col("runs").max()),
        "parity": each_run(rotating, pl.col("parity").max()),
        "rotations": each_run(rotating, excess),
        "control": each_run(rows.filter(variant=PermutedLCG.plain), excess),
    }


def draw(tables: Tables) -> Pictures:
    """What each component is about, one panel per variant."""
    rows = tables["components"]
    names = {"zeros": "zero bits", "runs": "runs of zeros", "parity": "parity", "rotations": "classes of rotations"}
    panels = []
    for variant in rows["variant"].unique(maintain_order=True):
        of_variant = rows.filter(variant=variant)
        groups = {label: of_variant.with_columns(value=pl.col(name)) for name, label in names.items()}
        lines = group_lines(groups, "component", "value")
        panels.append(LinePanel(variant.upper(), "principal component", "share of variance", lines))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=PermutedLCG, compares=True)
