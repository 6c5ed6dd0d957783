"""Tests whether one head carries the estimate of the modulus, by patching each (fig:multip_cosine c;
fig:patch_appendix).

A head's output is taken from a sequence of half the modulus m, with the same a, c and x0 (reduced modulo m / 2). The
control takes it from another sequence of the same modulus, which disturbs as much but has no information on another
modulus. The table ``heads`` has the change of the share of predictions below m / 2 for every head of the main runs; the
claims compare the head that attends most to the largest numbers with all others.
"""

from dataclasses import replace

import numpy as np
import polars as pl

from unrandom.core.arithmetic import is_power_of_two
from unrandom.experiments.claims import Claim, Evidence, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, Scale
from unrandom.experiments.summaries import by_run, heat_map, run_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import SEQUENCES, unseen_sequences
from unrandom.experiments.unseen_modulus.modulus_estimate import estimating_head, measured_heads
from unrandom.experiments.unseen_modulus.presets import main_experiment
from unrandom.figures.panels import Panel
from unrandom.interpretation import patch_all, patch_parameters
from unrandom.runs.tables import Tables, table
from unrandom.tasks import Examples, lcg_task

ENTRY = Entry(
    name="um-patching",
    section="unseen modulus",
    place=12,
    about="the head whose patching makes the model assume another modulus",
    minutes=100,
    figures={
        "fig:multip_cosine": "the head that estimates the modulus",
        "fig:patch_appendix": "patching other heads",
    },
)

AXES = ("layer", "head")

CLAIMS = {
    "moves": Claim(
        statement="Patching the head that attends most to the largest numbers moves predictions below m / 2.",
        quantity="change of the share of predictions below m / 2, beyond that of the control",
        wanted=at_least(0.2, "difference of shares"),
    ),
    "strongest": Claim(
        statement="No other head moves as many predictions as the head that attends most to the largest numbers.",
        quantity="effect of that head, less the largest of all others, in either direction",
        wanted=at_least(0.05, "difference of shares"),
        figure="fig:patch_appendix",
        written="after",  # before it, heads that move predictions above m / 2 did not count
    ),
    "alone": Claim(
        statement="No other head has more than a quarter of the effect of the head that attends most to the largest "
        "numbers.",
        quantity="largest effect of another head, in either direction, over the effect of that head",
        wanted=at_most(0.25, "ratio"),
        figure="fig:patch_appendix",
        written="after",  # likewise
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: Rows = []
    for run in runs:
        attention = measured_heads(run, scale)
        head = estimating_head(attention)
        m = max(lcg_task(run.config.data).moduli, key=lambda each: (is_power_of_two(each), each))  # paper: 2048
        sequences = unseen_sequences(run, SEQUENCES[scale])[m]
        patch = Examples.of(patch_parameters(sequences.parameters, m // 2), sequences.numbers.shape[1])
        others = replace(sequences, numbers=np.roll(sequences.numbers, 1, axis=0))  # same modulus
        on_largest = attention.filter(pl.col("head") == head, pl.col("modulus") == m)["strongest_is_largest"].item()
        predictor = run.predictor()
        controls = patch_all(predictor, sequences, others, limit=m // 2)
        rows += [
            {
                **run_columns(run),
                "modulus": m,
                **patched.to_json(),
                "control": control.effect,
                "estimates": (patched.layer, patched.head) == (0, head),
                "on_largest": on_largest,
            }
            for patched, control in zip(patch_all(predictor, sequences, patch), controls, strict=True)
        ]
    return {"heads": table(rows)}


def evidence(tables: Tables) -> Evidence:
    found: dict[str, list[float]] = {key: [] for key in CLAIMS}
    for heads in by_run(tables["heads"]):
        beyond = heads["effect"] - heads["control"]
        effect, others = beyond.filter(heads["estimates"]).item(), beyond.filter(~heads["estimates"]).abs().to_list()
        found["moves"].append(effect)
        if others:
            found["strongest"].append(effect - max(others))
            found["alone"].append(max(others) / effect if effect > 0 else 1.0)
    return found


def draw(tables: Tables) -> Pictures:
    """The effect of every head, and the effect of the control, for each seed."""
    panels: list[Panel] = []
    for heads in by_run(tables["heads"]):
        (chosen,) = heads.filter("estimates").to_dicts()
        share = f"{chosen['on_largest']:.0%}"
        title = f"seed {chosen['seed']}: head 0.{chosen['head']} looks at the largest number in {share} of queries"
        titles = {"effect": f"{title}; patched from m / 2", "control": f"{title}; control: from the same m"}
        bar = f"change of the share below {chosen['limit']}"
        panels += [
            heat_map(title, heads, AXES, column, bar, limits=(-0.5, 0.5), signed=True)
            for column, title in titles.items()
        ]
    yield Picture(panels)


EXPERIMENT = main_experiment(ENTRY, CLAIMS, measure=measure, evidence=evidence, draw=draw)
