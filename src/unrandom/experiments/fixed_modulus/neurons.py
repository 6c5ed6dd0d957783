"""How does the MLP turn what was looked up into the answer? (fig:fixed_p_attn_mlp b–d)

Each hidden neuron responds periodically in the target; their outputs interfere constructively at the right number.
"""

from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, fast_runs
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned, seed_lines
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import Line, LinePanel, Panel, save_panels
from unrandom.interpretation import (
    accuracy_as_neurons_are_added,
    best_first_order,
    dominant_periods,
    neuron_contribution,
    neuron_responses,
    peaks_beyond_chance,
    random_order,
)
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_split

SEQUENCES = {"smoke": 16, "laptop": 512, "gpu": 512, "paper": 512}
COUNTS = 24  # how many sizes of the set of neurons are tried
CANDIDATES = 64  # of the best neurons, those that speak up most for one target are drawn
SHOWN = 3
NEAR = 24  # numbers either side of the target that are drawn

CLAIMS = (
    Claim(
        key="periodic",
        statement="Most neurons respond periodically in the target.",
        quantity="share of living neurons whose strongest frequency holds more of the variance than with 99 of 100 "
        "shuffled targets",
        unit="share",
        figure="fig:fixed_p_attn_mlp",
        threshold=0.5,
        written="after",
    ),
    Claim(
        key="interference",
        statement="The summed contributions of all neurons name the target.",
        quantity="accuracy of the MLP's output alone, without the skip connection",
        unit="share",
        figure="fig:fixed_p_attn_mlp",
        threshold=0.9,
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    return fast_runs(scale, seeds, POWERS_OF_TWO[scale][:1])


def measure(runs: list[Run], scale: Scale) -> RowTables:
    tables: RowTables = {"periods": [], "responses": [], "contributions": [], "added": []}
    for run in runs:
        _measure_run(run, scale, tables)
    return tables


def _measure_run(run: Run, scale: Scale, tables: RowTables) -> None:
    model, split = run.load_model(), lcg_split(run.split())
    (held,) = split.held_out
    m, position = held.modulus, run.config.data.context // 2 + 1  # the first after a look-back of half the context
    a, c = int(held.multipliers[0]), int(held.increments[0])
    responses = neuron_responses(model, m, a, c, position)
    found = dominant_periods(responses, seed=run.config.seed)
    beyond = peaks_beyond_chance(responses, seed=run.config.seed)
    for neuron in range(responses.shape[1]):
        tables["periods"].append(
            {
                **about(run),
                "neuron": neuron,
                "alive": bool(found.alive[neuron]),
                "frequency": int(found.frequency[neuron]),
                "peak_share": float(found.peak_share[neuron]),
                "shuffled": float(found.shuffled_peak_share[neuron]),
                "beyond": float(beyond[neuron]),
            }
        )
    scored, other = (
        split.test(m, SEQUENCES[scale], name=name).numbers.astype(np.int64) for name in ("neurons", "neuron order")
    )
    width = responses.shape[1]
    counts = sorted({round(width ** (i / COUNTS)) for i in range(COUNTS + 1)} | {width // 16, width})
    orders = {"best first": best_first_order(model, other, position), "random": random_order(width, run.config.seed)}
    for name, order in orders.items():
        added = accuracy_as_neurons_are_added(model, scored, position, order, counts)
        values = added.value.tolist()
        tables["added"] += [
            {**about(run), "order": name, "neurons": n, "of": width, "value": v}
            for n, v in zip(counts, values, strict=True)
        ]
    truth = int(scored[0, position + 1])
    tried = orders["best first"][:CANDIDATES].tolist()
    outputs = {neuron: neuron_contribution(model, scored[0], neuron, position) for neuron in tried}
    for neuron in sorted(tried, key=lambda neuron: -outputs[neuron][truth])[:SHOWN]:
        for number in range(m):
            row = {**about(run), "neuron": neuron, "number": number, "truth": truth}
            tables["responses"].append({**row, "value": float(responses[number, neuron])})
            tables["contributions"].append({**row, "value": float(outputs[neuron][number])})


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    periodic = []
    for rows in by_run(tables["periods"]).values():
        alive = [row["beyond"] >= 0.99 for row in rows if row["alive"] and row["frequency"]]
        periodic += [float(np.mean(alive))] if alive else []
    every = []
    for rows in by_run(tables["added"]).values():
        best = {row["neurons"]: row["value"] for row in rows if row["order"] == "best first"}
        every.append(best[rows[0]["of"]])
    return Evidence({"periodic": periodic, "interference": every}, {"learned": learned(tables)})


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """Responses and outputs of three neurons of the first seed; dominant frequencies and accuracy of all seeds."""
    responses, outputs = (next(iter(by_run(tables[key]).values())) for key in ("responses", "contributions"))
    truth, free = responses[0]["truth"], (None, None)
    frequencies = []
    for rows in by_run(tables["periods"]).values():
        found = np.bincount([row["frequency"] for row in rows if row["alive"]])
        frequencies.append(Line(list(range(len(found))), found.tolist(), "one line per seed", 0))
    added = [
        line
        for kind, order in enumerate(("best first", "random"))
        for line in seed_lines(
            [row for row in tables["added"] if row["order"] == order], "neurons", "value", order, kind
        )
    ]
    ticks = [2**k for k in range(0, tables["added"][0]["of"].bit_length(), 2)]
    panels: list[Panel] = [
        LinePanel(
            "activation of single neurons",
            "target number",
            "activation",
            _neurons(responses),
            marks=(truth,),
            limits=free,
            beside=True,
        ),
        LinePanel(
            "their outputs, one sequence",
            "number",
            "logit",
            _neurons(outputs),
            marks=(truth,),
            limits=free,
            beside=True,
        ),
        LinePanel("dominant frequency", "cycles over all targets", "neurons", frequencies, limits=(0, None)),
        LinePanel("MLP output alone", "neurons added", "accuracy (share right)", added, ticks),
    ]
    save_panels(panels, folder / "fm-neurons")


def _neurons(rows: Rows) -> list[Line]:
    """A line a neuron, near the target."""
    lines = []
    rows = [row for row in rows if abs(row["number"] - row["truth"]) <= NEAR]
    for kind, neuron in enumerate(dict.fromkeys(row["neuron"] for row in rows)):
        own = [row for row in rows if row["neuron"] == neuron]
        lines.append(Line([row["number"] for row in own], [row["value"] for row in own], f"neuron {neuron}", kind))
    return lines


EXPERIMENT = Experiment(
    name="fm-neurons",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
