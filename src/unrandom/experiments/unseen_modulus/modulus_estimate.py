"""Tests how a model estimates the modulus: by the largest number so far (fig:multip_cosine a, b; appendix:estimate).

For every first-layer head of the main runs, the table ``heads`` has how often its strongest key is the largest number
so far, and how similar its output is to that number's embedding; ``similarity`` has one sequence in detail. The claims
are judged on the head that attends to the largest number most often.
"""

import numpy as np
import polars as pl

from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, Scale
from unrandom.experiments.summaries import by_run, matrix, rows_of, run_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import SEQUENCES, unseen_sequences
from unrandom.experiments.unseen_modulus.presets import main_experiment
from unrandom.figures.panels import MapPanel, Panel
from unrandom.interpretation import (
    head_outputs,
    modulus_estimates,
    number_similarity,
    size_rank_correlation,
    token_vectors,
)
from unrandom.runs.measurement import attention_patterns
from unrandom.runs.tables import Tables, table
from unrandom.tasks import lcg_task

ENTRY = Entry(
    name="um-modulus-estimate",
    section="unseen modulus",
    place=11,
    about="a first-layer head passes on the largest number so far",
    minutes=100,
    figures={
        "fig:multip_cosine": "the head that estimates the modulus",
        "appendix:estimate": "error of the estimated modulus",
    },
)

CLAIMS = {
    "attends": Claim(
        statement="A first-layer head attends to the largest numbers.",
        quantity="share of its queries whose strongest key is the largest number so far, mean over moduli",
        wanted=at_least(0.5, "share"),
    ),
    "nearest": LateClaim(
        statement="The output of the head that attends to the largest numbers is most like the embedding of the "
        "largest number so far.",
        quantity="rank correlation of the two, less that with the largest number of another sequence, mean over moduli",
        wanted=at_least(0.5, "difference of correlations"),
    ),
    "estimate": Claim(
        statement="At the end of the context, the number whose embedding is most like the output of the head "
        "that attends to the largest numbers is near the modulus.",
        quantity="distance of that number from m, over m, mean over moduli",
        wanted=at_most(0.05, "ratio"),
        figure="appendix:estimate",
    ),
}


def estimating_head(heads: pl.DataFrame) -> int:
    """The head whose strongest key is the largest number so far most often, on average over moduli."""
    shares = heads.group_by("head", maintain_order=True).agg(pl.col("strongest_is_largest").mean())
    return int(shares.sort("strongest_is_largest", descending=True, maintain_order=True)["head"][0])


def measured_heads(run: Run, scale: Scale) -> pl.DataFrame:
    """What every first-layer head attends to, and what its output is similar to, for every unseen modulus."""
    rows: Rows = []
    predictor = run.predictor()
    for m, sequences in unseen_sequences(run, SEQUENCES[scale]).items():
        pattern = attention_patterns(predictor, sequences)[0]
        attended = size_rank_correlation(pattern, sequences.numbers, start=_start(run))
        for estimate in modulus_estimates(predictor.model, sequences, start=_start(run)):
            estimated = estimate.to_json()
            rows.append(
                {
                    **run_columns(run),
                    "modulus": m,
                    "head": estimate.head,
                    "size_correlation": float(attended.correlation[estimate.head].mean()),
                    "strongest_is_largest": float(attended.strongest_is_largest[estimate.head].mean()),
                    "chance": attended.chance,
                    **{key: estimated[key] for key in ("correlation", "control_correlation", "distance", "estimate")},
                }
            )
    return table(rows)


def _start(run: Run) -> int:
    """The first position that is measured."""
    return min(8, run.config.data.context // 2)


def measure(runs: list[Run], scale: Scale) -> Tables:
    heads = [measured_heads(run, scale) for run in runs]
    similarity = [
        row
        for run, run_heads in zip(runs, heads, strict=True)
        for row in _similarity_rows(run, estimating_head(run_heads))
    ]
    return {"heads": pl.concat(heads, how="vertical_relaxed"), "similarity": table(similarity)}


def _similarity_rows(run: Run, head: int) -> Rows:
    """Cosine of the head's output with the embedding of every number, for one sequence of the largest modulus."""
    m = max(lcg_task(run.config.data).moduli)
    sequences = unseen_sequences(run, 1)[m]
    model = run.load_model()
    found = number_similarity(head_outputs(model, sequences.numbers, 0, head)[0], token_vectors(model))
    largest, cosines = np.maximum.accumulate(sequences.numbers[0]), np.round(found.astype(float), 4)
    key_columns = {**run_columns(run), "modulus": m, "head": head}
    return rows_of(key_columns, position=range(len(found)), largest=largest[: len(found)], cosines=cosines)


def evidence(tables: Tables) -> Evidence:
    found: dict[str, list[float]] = {key: [] for key in CLAIMS}
    for heads in by_run(tables["heads"]):
        chosen = heads.filter(pl.col("head") == estimating_head(heads))
        found["attends"].append(float(np.mean(chosen["strongest_is_largest"].to_list())))
        found["nearest"].append(float(np.mean((chosen["correlation"] - chosen["control_correlation"]).to_list())))
        distance = (chosen["estimate"] - chosen["modulus"]).abs() / chosen["modulus"]
        found["estimate"].append(float(np.mean(distance.to_list())))
    return found


def draw(tables: Tables) -> Pictures:
    """All heads by two measures, for each seed; then the similarity maps of the estimating heads of two seeds."""
    measures = (
        ("strongest_is_largest", "strongest key is the largest number so far", "share of queries"),
        ("correlation", "output like the largest number so far", "rank correlation"),
    )
    panels: list[Panel] = []
    similarities: list[Panel] = []
    for heads, similarity in zip(by_run(tables["heads"]), by_run(tables["similarity"]), strict=True):
        seed = f"seed {heads['seed'][0]}"
        columns = [str(m) for m in heads["modulus"].unique(maintain_order=True)]
        rows = [str(head) for head in heads["head"].unique().sort()]
        for column, title, bar in measures:
            values = matrix(heads, ["head"], "modulus", column)
            signed = column == "correlation"
            limits = (-1, 1) if signed else (0, 1)
            title = f"{seed}: {title}"
            panels.append(MapPanel(title, "modulus", "head", values, columns, rows, bar, limits, signed, written=True))
        similarities.append(_similarity_map(seed, similarity))
    yield Picture([*panels, *similarities[:2]])


def _similarity_map(seed: str, similarity: pl.DataFrame) -> MapPanel:
    values = list(zip(*similarity["cosines"].to_list(), strict=True))
    title = f"{seed}: head {similarity['head'][0]}, m = {similarity['modulus'][0]}; line: largest so far"
    line = similarity.select(pl.col("position", "largest").cast(pl.Float64)).rows()
    return MapPanel(title, "position", "number", values, bar="cosine", limits=(None, None), signed=True, stairs=line)


EXPERIMENT = main_experiment(ENTRY, CLAIMS, measure=measure, evidence=evidence, draw=draw)
