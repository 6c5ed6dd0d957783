"""Does a later head look back by a divisor of the modulus, whatever the modulus is? (fig:attn_stats)"""

from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from unrandom.core.arithmetic import is_prime
from unrandom.core.errors import UserError
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows, Scale
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned
from unrandom.experiments.summaries import about
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.experiments.unseen_modulus.probes import SEQUENCES, unseen_sequences
from unrandom.figures.panels import Line, LinePanel, MapPanel, Panel, save_panels
from unrandom.interpretation import common_divisor, follows, strongest_key_distances
from unrandom.runs.measurement import attention_patterns
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus

CLEAR = 0.5  # A divisor is the head's if this share of the spacings, beyond chance, are multiples of it.

CLAIMS = (
    Claim(
        key="divides",
        statement="In some later head, the spacings of the four strongest keys are multiples of a divisor of m.",
        quantity=f"share of unseen composite moduli for which {CLEAR:.0%} of its spacings are, beyond chance",
        unit="share",
        figure="fig:attn_stats",
        threshold=0.95,
        written="after",
    ),
    Claim(
        key="clear",
        statement="In that head most spacings are multiples of a divisor of m.",
        quantity="share of spacings beyond chance, mean over unseen composite moduli",
        unit="share",
        figure="fig:attn_stats",
        threshold=0.5,
    ),
)


def measure(runs: list[Run], scale: Scale) -> RowTables:
    heads: Rows = []
    spacings: Rows = []
    distances: Rows = []
    for run in runs:
        if run.config.model.depth < 2:
            raise UserError(f"{run.id} has one layer; um-lookback looks at the later ones")
        for m, sequences in unseen_sequences(run, SEQUENCES[scale]).items():
            patterns = attention_patterns(run.predictor(), sequences)
            for layer in range(1, len(patterns)):
                which = {**about(run), "modulus": m, "layer": layer}
                middle = len(patterns[layer]) // 2
                for half, part in enumerate((patterns[layer][:middle], patterns[layer][middle:])):
                    heads += [
                        {**which, "head": head, "half": half, **_divisor(counts)}
                        for head, counts in enumerate(strongest_key_distances(part).spacings)
                    ]
                found = strongest_key_distances(patterns[layer])
                for head, counts in enumerate(found.spacings):
                    spacings += _share_rows({**which, "head": head}, "spacing", counts)
                    distances += _share_rows({**which, "head": head}, "distance", found.distances[head])
    return {"heads": heads, "spacings": spacings, "distances": distances}


def _divisor(spacings: Int[np.ndarray, " tokens"]) -> dict[str, Any]:
    """The preferred divisor of the spacings, and how clearly it divides them."""
    divisor = common_divisor(spacings)
    excess = float(divisor.excess[divisor.divisors == divisor.preferred].sum())
    return {"preferred": divisor.preferred, "excess": excess}


def _share_rows(which: dict[str, Any], name: str, counts: Int[np.ndarray, " tokens"]) -> Rows:
    """How often each spacing, or distance, comes; those that never do are left out."""
    share = counts / counts.sum()
    return [{**which, name: r, "share": float(share[r])} for r in np.flatnonzero(counts).tolist()]


def best_head(rows: Rows) -> tuple[int, int]:
    """The later head whose divisor divides the most composite moduli, then most clearly; by the first half."""
    first = [row for row in rows if row["half"] == 0]

    def merit(head: tuple[int, int]) -> tuple[int, float]:
        dividing = [row["excess"] for row in _composite(first, head) if _divides(row)]
        return len(dividing), sum(dividing)

    return max(sorted({(row["layer"], row["head"]) for row in first}), key=merit)


def _composite(rows: Rows, head: tuple[int, int]) -> Rows:
    own = [row for row in rows if (row["layer"], row["head"]) == head]
    return [row for row in own if not is_prime(row["modulus"])]


def _divides(row: dict[str, Any]) -> bool:
    return follows({row["modulus"]: row["preferred"]}).divides[row["modulus"]]


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    """The head is chosen on one half of the sequences, and judged on the other."""
    found: dict[str, list[float]] = {claim.key: [] for claim in CLAIMS}
    for rows in by_run(tables["heads"]).values():
        second = [row for row in rows if row["half"] == 1]
        excess = [row["excess"] * _divides(row) for row in _composite(second, best_head(rows))]
        if excess:
            found["divides"].append(float(np.mean([each >= CLEAR for each in excess])))
            found["clear"].append(float(np.mean(excess)))
    return Evidence(found, {"learned": learned(tables)})


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """For each seed: the preferred divisor of every later head by modulus, and the spacings of the best."""
    panels: list[Panel] = []
    for run, rows in by_run(tables["heads"]).items():
        heads = sorted({(row["layer"], row["head"]) for row in rows})
        moduli = list(dict.fromkeys(row["modulus"] for row in rows))
        preferred = {(row["layer"], row["head"], row["modulus"]): row["preferred"] for row in rows if row["half"]}
        values = [[float(preferred[layer, head, m]) for m in moduli] for layer, head in heads]
        names = [str(m) for m in moduli], [f"{layer}.{head}" for layer, head in heads]
        title = f"seed {rows[0]['seed']}: common divisor of spacings"
        panels.append(MapPanel(title, "modulus", "layer.head", values, *names, "r", (None, None), written=True))
        layer, head = best_head(rows)
        for table, name in (("distances", "distance"), ("spacings", "spacing")):
            own = [row for row in tables[table] if (row["run"], row["layer"], row["head"]) == (run, layer, head)]
            lines = [_share_line(own, name, m, kind) for kind, m in enumerate(moduli)]
            x = f"{name} of the four strongest keys"
            panels.append(LinePanel(f"head {layer}.{head}", x, "share", lines, limits=(0, None)))
    save_panels(panels, folder / "um-lookback", columns=3)


def _share_line(rows: Rows, name: str, m: int, kind: int) -> Line:
    own = {row[name]: row["share"] for row in rows if row["modulus"] == m}
    x = list(range(max(own) + 1))
    return Line(x, [own.get(r, 0.0) for r in x], f"m = {m}", kind)


EXPERIMENT = Experiment(
    name="um-lookback",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=main_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=3,
)
