"""Tests whether each first-layer head groups numbers by a residue. (fig:multip_prune a1, b1, c1; fig:pca_appendix)

For every first-layer head of the main runs, every q up to 32, several positions and every unseen modulus, the share of
the variance of the head's output between residues modulo q is measured (tables ``scores``, ``heads``); ``planes`` has
the two largest components of the outputs. The claim tests whether each head has a prime of its own.
"""

import numpy as np
import polars as pl

from unrandom.experiments.claims import Evidence, LateClaim, at_least
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, Scale, by_scale
from unrandom.experiments.summaries import by_run, each_run, heat_map, rows_of, run_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import unseen_sequences
from unrandom.experiments.unseen_modulus.presets import main_experiment
from unrandom.figures.panels import MapPanel, ScatterPanel
from unrandom.interpretation import ResidueScores, head_plane, residue_scores
from unrandom.models import Transformer
from unrandom.runs.tables import Tables, table
from unrandom.tasks import lcg_task

ENTRY = Entry(
    name="um-heads",
    section="unseen modulus",
    place=9,
    about="which residues the first-layer heads pass on",
    minutes=100,
    figures={
        "fig:multip_prune": "first-layer heads and the digits lost without them",
        "fig:pca_appendix": "first-layer heads at other positions and moduli",
    },
)

SEQUENCES = by_scale(smoke=48, laptop=1024, paper=4096)
DRAWN_POINTS = 256  # per panel
SPECIALISED_SHARE = 0.5  # from this share of the variance on, corrected for chance, a head counts as specialised

CLAIMS = {
    "primes": LateClaim(
        statement="First-layer heads group numbers by residue, each by those of a prime of its own.",
        quantity=f"number of primes that are the own one of a head of which some q explains {SPECIALISED_SHARE:.0%} of "
        "the output at t = 0 beyond chance, on most unseen moduli",
        wanted=at_least(3, "primes"),
    ),
}


def positions(context: int) -> tuple[int, ...]:
    """The paper's positions t = 0, 47 and 128 of a context of 256, in proportion to ``context``."""
    return tuple(sorted({0, round(context * 47 / 256), context // 2}))


def own_primes(scores: list[ResidueScores]) -> list[int]:
    """The prime that is a head's own in most of the scores (0: none), for each head."""
    named = np.array([score.own_prime for score in scores])
    return [int(np.bincount(column).argmax()) for column in named.T]


def first_position_scores(run: Run, scale: Scale) -> list[ResidueScores]:
    """Scores at t = 0 on each unseen modulus, where the head sees a single number."""
    model, sets = run.load_model(), unseen_sequences(run, SEQUENCES[scale])
    return [residue_scores(model, sequences.numbers, 0) for sequences in sets.values()]


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: dict[str, Rows] = {"scores": [], "heads": [], "planes": []}
    for run in runs:
        model = run.load_model()
        for m, sequences in unseen_sequences(run, SEQUENCES[scale]).items():
            for t in positions(run.config.data.context):
                found = residue_scores(model, sequences.numbers, t)
                key_columns = {**run_columns(run), "modulus": m, "position": t}
                rows["scores"] += _score_rows(key_columns, found)
                own = {key: getattr(found, key) for key in ("own_modulus", "own_prime", "size_excess")}
                rows["heads"] += rows_of(key_columns, head=range(model.config.n_heads), **own)
                if m == max(lcg_task(run.config.data).moduli) and run is runs[0]:
                    rows["planes"] += _plane_rows(key_columns, model, sequences.numbers, found)
    return {name: table(each) for name, each in rows.items()}


def _score_rows(key_columns: dict, found: ResidueScores) -> Rows:
    columns = ("share", "shuffled", "excess", "plane_excess")
    return [
        {**key_columns, "head": head, "q": int(q), **{name: float(getattr(found, name)[head, i]) for name in columns}}
        for head in range(len(found.share))
        for i, q in enumerate(found.moduli)
    ]


def _plane_rows(key_columns: dict, model: Transformer, numbers: np.ndarray, found: ResidueScores) -> Rows:
    t = key_columns["position"]
    rows = []
    for head in range(model.config.n_heads):
        points = head_plane(model, numbers, 0, head, t).values
        if points.shape[1] == 2:
            q = int(found.own_modulus[head])
            rows += [
                {**key_columns, "head": head, "q": q, "number": int(x), "PC1": float(one), "PC2": float(two)}
                for x, (one, two) in zip(numbers[:DRAWN_POINTS, t], points[:DRAWN_POINTS], strict=True)
            ]
    return rows


def evidence(tables: Tables) -> Evidence:
    """By run. If several primes are a head's own on equally many moduli, the smallest is."""
    at_zero = pl.col("position") == 0
    keys = ["run", "seed", "head", "modulus"]
    best = tables["scores"].filter(at_zero).group_by(keys).agg(pl.col("excess").max())
    heads = tables["heads"].filter(at_zero).join(best, on=keys)
    each = heads.group_by("run", "seed", "head").agg(
        pl.col("own_prime").mode().min(), (pl.col("excess") >= SPECIALISED_SHARE).mean().alias("grouped")
    )
    own = pl.col("own_prime").filter(pl.col("own_prime") > 0, pl.col("grouped") > 1 / 2)
    return {"primes": each_run(each, own.n_unique().cast(pl.Float64))}


def draw(tables: Tables) -> Pictures:
    """For each seed, maps of heads by q at the first and the last position, averaged over moduli; then the planes of
    the first seed's heads, where most of them have a residue of their own."""
    position = pl.col("position")
    ends = tables["scores"].filter((position == position.min()) | (position == position.max()))
    maps = [
        _score_map(f"seed {seed}, t = {t}", scores)
        for (_, seed, t), scores in ends.group_by("run", "seed", "position", maintain_order=True)
    ]
    yield Picture(maps)
    if len(tables["planes"]):
        each = by_run(tables["planes"])[0].sort("position", "head", maintain_order=True).partition_by("position")
        most = max(each, key=lambda points: points.filter(pl.col("q") > 0)["head"].n_unique())
        yield Picture([_plane(points) for points in most.partition_by("head")], suffix="-planes")


def _plane(points: pl.DataFrame) -> ScatterPanel:
    """The plane of one head at one position, coloured by the residues modulo the head's own modulus."""
    head, t, m, q = points.select("head", "position", "modulus", "q").row(0)
    title = f"m = {m}, t = {t}, head {head}: " + (f"mod {q}" if q else "no residue")
    groups = points["number"] % max(q, 1)
    return ScatterPanel(title, "PC1", "PC2", points.select("PC1", "PC2").rows(), groups.to_list(), "≡")


def _score_map(title: str, scores: pl.DataFrame) -> MapPanel:
    means = scores.group_by("head", "q").agg(pl.col("excess").mean())
    return heat_map(title, means, ("head", "q"), "excess", "excess share", written=False)


EXPERIMENT = main_experiment(ENTRY, CLAIMS, measure=measure, evidence=evidence, draw=draw)
