"""Looks into the MLP, which computes the next number from what attention gathered. (fig:fixed_p_attn_mlp b–d)

The paper: each hidden neuron responds periodically to the target, and the outputs of the neurons interfere
constructively at the right number. This is tested on one-layer models of a power of two. The tables have every neuron's
dominant frequency (``periods``), the activations and output logits of a few neurons (``responses``,
``contributions``), and the accuracy of the MLP's output as neurons are added (``added``).
"""

import numpy as np
import polars as pl
from jaxtyping import Float

from unrandom.experiments.claims import Evidence, LateClaim, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, Scale, by_scale
from unrandom.experiments.fixed_modulus.accuracy import columns
from unrandom.experiments.fixed_modulus.presets import first_runs
from unrandom.experiments.summaries import by_run, each_run, group_lines, named, rows_of, tables_by_run
from unrandom.figures.panels import Line, LinePanel, Panel
from unrandom.interpretation import (
    accuracy_as_neurons_are_added,
    best_first_order,
    dominant_periods,
    neuron_contribution,
    neuron_responses,
    peaks_beyond_chance,
    random_order,
)
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_split

ENTRY = Entry(
    name="fm-neurons",
    section="fixed modulus",
    place=7,
    about="neurons respond periodically and add up to the answer",
    minutes=6.2,
    figures={"fig:fixed_p_attn_mlp": "attention, neurons and their sum, m = 2048"},
)

SEQUENCES = by_scale(smoke=16, laptop=512)
SUBSET_SIZES = 24  # number of sizes of the set of added neurons
CANDIDATES = 64  # best neurons; of these, the ones with the largest output for one target are drawn
DRAWN_NEURONS = 3
DRAWN_RANGE = 24  # numbers drawn on either side of the target

CLAIMS = {
    "periodic": LateClaim(
        statement="Most neurons respond periodically in the target.",
        quantity="share of living neurons whose strongest frequency holds more of the variance than with 99 of 100 "
        "shuffled targets",
        wanted=at_least(0.5, "share"),
    ),
    "interference": LateClaim(
        statement="The more neurons are summed, the more often their contributions name the target.",
        quantity="accuracy of the MLP's output alone, all neurons less a sixteenth of them in random order",
        wanted=at_least(0.25, "difference of shares"),
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: _measured(run, SEQUENCES[scale]), columns)


def _measured(run: Run, sequences: int) -> dict[str, Rows]:
    """The tables of one run, without the columns that identify the run."""
    model, split, seed = run.load_model(), lcg_split(run.split()), run.config.seed
    (held,) = split.held_out
    m, position = held.modulus, run.config.data.context // 2 + 1  # first one after a look-back of half the context
    responses = neuron_responses(model, m, int(held.multipliers[0]), int(held.increments[0]), position)
    width = responses.shape[1]
    scored, other = (
        split.test(m, sequences, name=name).numbers.astype(np.int64) for name in ("neurons", "neuron order")
    )
    orders = {"best first": best_first_order(model, other, position), "random": random_order(width, seed)}
    counts = sorted({round(width ** (i / SUBSET_SIZES)) for i in range(SUBSET_SIZES + 1)} | {width // 16, width})
    added = []
    for name, order in orders.items():
        accuracy = accuracy_as_neurons_are_added(model, scored, position, order, counts).value.tolist()
        added += [{"order": name, "neurons": n, "of": width, "value": v} for n, v in zip(counts, accuracy, strict=True)]
    truth = int(scored[0, position + 1])
    candidates = orders["best first"][:CANDIDATES].tolist()
    outputs = {neuron: neuron_contribution(model, scored[0], neuron, position) for neuron in candidates}
    drawn = sorted(candidates, key=lambda neuron: -outputs[neuron][truth])[:DRAWN_NEURONS]
    row_keys = [{"neuron": neuron, "number": number, "truth": truth} for neuron in drawn for number in range(m)]
    return {
        "periods": _period_rows(responses, seed),
        "added": added,
        "responses": [{**at, "value": float(responses[at["number"], at["neuron"]])} for at in row_keys],
        "contributions": [{**at, "value": float(outputs[at["neuron"]][at["number"]])} for at in row_keys],
    }


def _period_rows(responses: Float[np.ndarray, "targets neurons"], seed: int) -> Rows:
    """Each neuron's strongest frequency, and the share of shuffles whose strongest frequency is weaker."""
    found = dominant_periods(responses, seed=seed)
    beyond = peaks_beyond_chance(responses, seed=seed)
    numbers = {"neuron": range(len(beyond)), "alive": found.alive, "frequency": found.frequency}
    return rows_of({}, **numbers, peak_share=found.peak_share, shuffled=found.shuffled_peak_share, beyond=beyond)


def evidence(tables: Tables) -> Evidence:
    periodic = tables["periods"].filter(pl.col("alive"), pl.col("frequency") > 0)
    share = (pl.col("beyond") >= 0.99).mean()
    count, value = pl.col("neurons"), pl.col("value")
    added = tables["added"].filter(order="random")
    rise = value.filter(count == pl.col("of")).first() - value.filter(count == pl.col("of") // 16).first()
    return {"periodic": each_run(periodic, share), "interference": each_run(added, rise)}


def draw(tables: Tables) -> Pictures:
    """Responses and outputs of three neurons for the first seed; dominant frequencies and accuracy for all seeds."""
    added = group_lines(named(tables["added"], "order"), "neurons", "value")
    ticks = [2**k for k in range(0, int(tables["added"]["of"][0]).bit_length(), 2)]
    frequencies = []
    for periods in by_run(tables["periods"].filter("alive")):
        found = np.bincount(periods["frequency"])
        frequencies.append(Line(list(range(len(found))), found.tolist(), "one line per seed", 0))
    panels: list[Panel] = [
        _neuron_panel("activation of single neurons", "target number", "activation", tables["responses"]),
        _neuron_panel("their outputs, one sequence", "number", "logit", tables["contributions"]),
        LinePanel("dominant frequency", "cycles over all targets", "neurons", frequencies, limits=(0, None)),
        LinePanel("MLP output alone", "neurons added", "accuracy (share right)", added, ticks),
    ]
    yield Picture(panels)


def _neuron_panel(title: str, x: str, y: str, values: pl.DataFrame) -> LinePanel:
    """One line per neuron of the first run, near the target."""
    first = by_run(values)[0]
    near = first.filter((pl.col("number") - pl.col("truth")).abs() <= DRAWN_RANGE)
    lines = group_lines(named(near, "neuron", "neuron {}"), "number", "value")
    return LinePanel(title, x, y, lines, marks=(first["truth"][0],), limits=(None, None))


EXPERIMENT = Experiment(ENTRY, CLAIMS, first_runs, measure, evidence, draw, task=FixedModulus, archived_seeds=1)
