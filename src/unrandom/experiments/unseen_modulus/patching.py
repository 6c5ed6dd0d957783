"""Is one head the model's belief about the modulus? Patch it (fig:multip_cosine c; fig:patch_appendix).

Its output is taken from a sequence of half the modulus m, with the same a, c and x0 (reduced modulo m / 2); nothing is
scaled. The control takes it from another sequence of the same modulus, which disturbs as much and says nothing of
another modulus.
"""

from pathlib import Path

import numpy as np

from unrandom.core.arithmetic import is_power_of_two
from unrandom.data import SequenceSet
from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, Rows, Scale, Tables
from unrandom.experiments.rows import by_run
from unrandom.experiments.runs import Run
from unrandom.experiments.unseen_modulus.accuracy import about
from unrandom.experiments.unseen_modulus.inside import SEQUENCES, unseen_sequences
from unrandom.experiments.unseen_modulus.modulus_estimate import estimating_head, head_rows
from unrandom.experiments.unseen_modulus.runs import main_runs
from unrandom.figures.panels import MapPanel, Panel, save_panels
from unrandom.interpretation import patch_all, patch_parameters

CLAIMS = (
    Claim(
        "moves",
        "Patching the head that attends to the largest numbers moves predictions below m_patch: change of their share, "
        "beyond that of the control.",
        "fig:multip_cosine",
        0.2,
        at_laptop="In the seed with a head that attends to the largest numbers, it moves a third of the "
        "predictions; the other has no such head.",
    ),
    Claim(
        "strongest",
        "No other head does it as well: effect of that head, less the largest of all others.",
        "fig:patch_appendix",
        0.05,
        at_laptop="In one seed it is so; in the other, two heads that do not attend to the largest numbers move a "
        "third each.",
    ),
    Claim(
        "alone",
        "No other head does it at all: largest effect of another head, as a share of its effect.",
        "fig:patch_appendix",
        0.25,
        at_least=False,
        at_laptop="In one seed it is so; in the other, two heads that do not attend to the largest numbers move a "
        "third each.",
    ),
)


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: Rows = []
    for run in runs:
        head = estimating_head(head_rows(run, scale))
        m = max(run.config.data.test_moduli, key=lambda each: (is_power_of_two(each), each))  # the paper's is 2048
        sequences = unseen_sequences(run, SEQUENCES[scale])[m]
        patch = SequenceSet.of(patch_parameters(sequences.parameters, m // 2), sequences.numbers.shape[1])
        others = SequenceSet(sequences.parameters, np.roll(sequences.numbers, 1, axis=0))  # of the same modulus
        predictor = run.predictor()
        controls = patch_all(predictor, sequences, others, limit=m // 2)
        rows += [
            {
                **about(run),
                "modulus": m,
                **patched.tree(),
                "control": control.effect,
                "estimates": (patched.layer, patched.head) == (0, head),
            }
            for patched, control in zip(patch_all(predictor, sequences, patch), controls, strict=True)
        ]
    return {"heads": rows}


def evidence(tables: Tables) -> Evidence:
    found: dict[str, list[float]] = {claim.key: [] for claim in CLAIMS}
    for rows in by_run(tables["heads"]).values():
        beyond = [(row["effect"] - row["control"], row["estimates"]) for row in rows]
        (effect,) = (value for value, estimates in beyond if estimates)
        found["moves"].append(effect)
        if len(beyond) > 1:
            other = max(value for value, estimates in beyond if not estimates)
            found["strongest"].append(effect - other)
            found["alone"].append(other / effect if effect > 0 else 1.0)
    return found


def draw(tables: Tables, folder: Path) -> None:
    """For each seed: the effect of every head, the control's, and what patching does to the accuracy."""
    panels: list[Panel] = []
    for rows in by_run(tables["heads"]).values():
        (chosen,) = (row for row in rows if row["estimates"])
        which = f"seed {chosen['seed']}, head 0.{chosen['head']} on the largest"
        bar = f"share below {chosen['limit']}, change"
        panels += [
            _head_map(f"{which}: from m / 2", rows, "effect", bar, (-0.5, 0.5)),
            _head_map("control: from the same m", rows, "control", bar, (-0.5, 0.5)),
            _head_map(f"right, of {chosen['right_before']:.2f} before", rows, "right_after", "share right", (0, 1)),
        ]
    save_panels(panels, folder / "um-patching", columns=3)


def _head_map(title: str, rows: Rows, key: str, bar: str, limits: tuple[float, float]) -> MapPanel:
    layers, heads = (sorted({row[name] for row in rows}) for name in ("layer", "head"))
    of = {(row["layer"], row["head"]): row[key] for row in rows}
    values = [[of[layer, head] for head in heads] for layer in layers]
    names = [str(head) for head in heads], [str(layer) for layer in layers]
    return MapPanel(title, "head", "layer", values, *names, bar, limits, written=True)


EXPERIMENT = Experiment(
    name="um-patching",
    about="which head makes the model believe in another modulus",
    figures=("fig:multip_cosine", "fig:patch_appendix"),
    claims=CLAIMS,
    runs=main_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=2,
)
