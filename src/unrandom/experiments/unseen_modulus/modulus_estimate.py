"""How does the model learn the modulus? From the largest number so far (fig:multip_cosine a, b; appendix:estimate)."""

from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows, Scale
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned
from unrandom.experiments.summaries import about
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.experiments.unseen_modulus.probes import SEQUENCES, unseen_sequences
from unrandom.figures.panels import MapPanel, Panel, save_panels
from unrandom.interpretation import head_outputs, modulus_estimates, number_similarity, size_rank_correlation
from unrandom.runs.measurement import attention_patterns
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus, lcg_task

CLAIMS = (
    Claim(
        key="attends",
        statement="A first-layer head attends to the largest numbers.",
        quantity="share of its queries whose strongest key is the largest number so far, mean over moduli",
        unit="share",
        figure="fig:multip_cosine",
        threshold=0.5,
    ),
    Claim(
        key="nearest",
        statement="Its output is most like the embedding of the largest number so far.",
        quantity="rank correlation of the two, less that with the largest number of another sequence, mean over moduli",
        unit="difference of correlations",
        figure="fig:multip_cosine",
        threshold=0.5,
        written="after",
    ),
    Claim(
        key="estimate",
        statement="At the end of the context, that number is near the modulus.",
        quantity="its distance from m, over m, mean over moduli",
        unit="ratio",
        figure="appendix:estimate",
        threshold=0.05,
        at_least=False,
    ),
)


def estimating_head(rows: Rows) -> int:
    """The head whose strongest key is the largest number so far most often, in the mean over moduli."""
    shares: dict[int, list[float]] = {}
    for row in rows:
        shares.setdefault(row["head"], []).append(row["strongest_is_largest"])
    return max(shares, key=lambda head: np.mean(shares[head]))


def head_rows(run: Run, scale: Scale) -> Rows:
    """Every first-layer head on every unseen modulus: whom it attends to, and what its output is like."""
    rows: Rows = []
    predictor = run.predictor()
    for m, sequences in unseen_sequences(run, SEQUENCES[scale]).items():
        pattern = attention_patterns(predictor, sequences)[0]
        attended = size_rank_correlation(pattern, sequences.numbers, start=_start(run))
        for estimate in modulus_estimates(predictor.model, sequences, start=_start(run)):
            tree = estimate.tree()
            rows.append(
                {
                    **about(run),
                    "modulus": m,
                    "head": estimate.head,
                    "size_correlation": float(attended.correlation[estimate.head].mean()),
                    "strongest_is_largest": float(attended.strongest_is_largest[estimate.head].mean()),
                    "chance": attended.chance,
                    **{key: tree[key] for key in ("correlation", "control_correlation", "distance", "estimate")},
                }
            )
    return rows


def _start(run: Run) -> int:
    return min(8, run.config.data.context // 2)


def measure(runs: list[Run], scale: Scale) -> RowTables:
    heads: Rows = []
    similarity: Rows = []
    for run in runs:
        rows = head_rows(run, scale)
        heads += rows
        similarity += _similarity_rows(run, estimating_head(rows))
    return {"heads": heads, "similarity": similarity}


def _similarity_rows(run: Run, head: int) -> Rows:
    """One sequence of the largest unseen modulus: cosine of the head's output with every number, by position."""
    m = max(lcg_task(run.config.data).moduli)
    sequences = unseen_sequences(run, 1)[m]
    model = run.load_model()
    found = number_similarity(
        head_outputs(model, sequences.numbers, 0, head)[0], model.embed.weight.detach().cpu().numpy()
    )
    largest = np.maximum.accumulate(sequences.numbers[0])
    return [
        {
            **about(run),
            "modulus": m,
            "head": head,
            "position": t,
            "largest": int(largest[t]),
            "cosines": np.round(row.astype(float), 4).tolist(),
        }
        for t, row in enumerate(found)
    ]


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    found: dict[str, list[float]] = {claim.key: [] for claim in CLAIMS}
    for rows in by_run(tables["heads"]).values():
        head = estimating_head(rows)
        own = [row for row in rows if row["head"] == head]
        found["attends"].append(float(np.mean([row["strongest_is_largest"] for row in own])))
        found["nearest"].append(float(np.mean([row["correlation"] - row["control_correlation"] for row in own])))
        found["estimate"].append(
            float(np.mean([abs(row["estimate"] - row["modulus"]) / row["modulus"] for row in own]))
        )
    return Evidence(found, {"learned": learned(tables)})


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """For each seed: all heads by the three measures, then the likeness map of the head that estimates."""
    panels: list[Panel] = []
    for run, rows in by_run(tables["heads"]).items():
        seed = f"seed {rows[0]['seed']}"
        heads = sorted({row["head"] for row in rows})
        for key, bar in (("strongest_is_largest", "share of queries"), ("correlation", "rank correlation")):
            moduli = list(dict.fromkeys(row["modulus"] for row in rows))
            value = {(row["head"], row["modulus"]): row[key] for row in rows}
            values = [[value[head, m] for m in moduli] for head in heads]
            names = [str(m) for m in moduli], [str(head) for head in heads]
            title = {"strongest_is_largest": "strongest key is the largest", "correlation": "output ~ largest"}[key]
            panels.append(MapPanel(f"{seed}: {title}", "modulus", "head", values, *names, bar, written=True))
        panels.append(_likeness_map(seed, [row for row in tables["similarity"] if row["run"] == run]))
    save_panels(panels, folder / "um-modulus-estimate", columns=3)


def _likeness_map(seed: str, rows: Rows) -> MapPanel:
    values = [list(column) for column in zip(*(row["cosines"] for row in rows), strict=True)]
    title = f"{seed}: head {rows[0]['head']}, m = {rows[0]['modulus']}; line: largest so far"
    line = [(float(row["position"]), float(row["largest"])) for row in rows]
    return MapPanel(title, "position", "number", values, bar="cosine", limits=(None, None), stairs=line)


EXPERIMENT = Experiment(
    name="um-modulus-estimate",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=main_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=3,
)
