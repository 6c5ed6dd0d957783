"""Does each first-layer head group numbers by a residue? (fig:multip_prune a1, b1, c1; fig:pca_appendix)

Scored for every head and every modulus q up to 32, at several positions and for every unseen modulus; then the
pictures of the best.
"""

from pathlib import Path

import numpy as np

from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows, Scale
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned
from unrandom.experiments.summaries import about
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.experiments.unseen_modulus.probes import unseen_sequences
from unrandom.figures.panels import MapPanel, Panel, ScatterPanel, save_panels
from unrandom.interpretation import ResidueScores, head_plane, residue_scores
from unrandom.models import Transformer
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus, lcg_task

SEQUENCES: dict[Scale, int] = {"smoke": 48, "laptop": 1024, "gpu": 4096, "paper": 4096}
POINTS = 256  # of a picture
SPECIALISED = 0.5  # of the variance, corrected for chance

CLAIMS = (
    Claim(
        key="grouped",
        statement="First-layer heads group numbers by residue.",
        quantity=f"share of heads and unseen moduli for which some q explains {SPECIALISED:.0%} of the output at t = 0 "
        "beyond chance",
        unit="share",
        figure="fig:multip_prune",
        threshold=0.75,
    ),
    Claim(
        key="plane",
        statement="The grouping is what the two largest components of a head show.",
        quantity=f"share of heads and unseen moduli for which some q explains {SPECIALISED:.0%} of the plane at t = 0 "
        "beyond chance",
        unit="share",
        figure="fig:multip_prune",
        threshold=0.75,
    ),
    Claim(
        key="primes",
        statement="Different heads take different primes.",
        quantity="number of primes that are some head's own",
        unit="primes",
        figure="fig:multip_prune",
        threshold=3,
    ),
    Claim(
        key="invariant",
        statement="A head's prime does not depend on a, c, m and t.",
        quantity="share of other moduli and positions at which it is the same",
        unit="share",
        figure="fig:pca_appendix",
        threshold=0.8,
    ),
)


def positions(context: int) -> tuple[int, ...]:
    """Where the paper looks, in proportion: t = 0, 47 and 128 of 256."""
    return tuple(sorted({0, round(context * 47 / 256), context // 2}))


def own_primes(scores: list[ResidueScores]) -> list[int]:
    """For each head, the prime that most of the scores name as its own (0: none)."""
    named = np.array([score.own_prime for score in scores])
    return [int(np.bincount(column).argmax()) for column in named.T]


def first_position_scores(run: Run, scale: Scale) -> list[ResidueScores]:
    """Scores at t = 0 on each unseen modulus: what a head says of a number alone."""
    model, sets = run.load_model(), unseen_sequences(run, SEQUENCES[scale])
    return [residue_scores(model, sequences.numbers, 0) for sequences in sets.values()]


def measure(runs: list[Run], scale: Scale) -> RowTables:
    scores: Rows = []
    heads: Rows = []
    planes: Rows = []
    for run in runs:
        model = run.load_model()
        for m, sequences in unseen_sequences(run, SEQUENCES[scale]).items():
            for t in positions(run.config.data.context):
                found = residue_scores(model, sequences.numbers, t)
                which = {**about(run), "modulus": m, "position": t}
                scores += _score_rows(which, found)
                heads += [
                    {
                        **which,
                        "head": head,
                        "own_modulus": int(found.own_modulus[head]),
                        "own_prime": int(found.own_prime[head]),
                        "size_excess": float(found.size_excess[head]),
                    }
                    for head in range(model.config.n_heads)
                ]
                if m == max(lcg_task(run.config.data).moduli) and run is runs[0]:
                    planes += _plane_rows(which, model, sequences.numbers, found)
    return {"scores": scores, "heads": heads, "planes": planes}


def _score_rows(which: dict, found: ResidueScores) -> Rows:
    columns = ("share", "shuffled", "excess", "plane_excess")
    return [
        {**which, "head": head, "q": int(q), **{name: float(getattr(found, name)[head, i]) for name in columns}}
        for head in range(len(found.share))
        for i, q in enumerate(found.moduli)
    ]


def _plane_rows(which: dict, model: Transformer, numbers: np.ndarray, found: ResidueScores) -> Rows:
    t = which["position"]
    rows = []
    for head in range(model.config.n_heads):
        points = head_plane(model, numbers, 0, head, t).values
        if points.shape[1] == 2:
            q = int(found.own_modulus[head])
            rows += [
                {**which, "head": head, "q": q, "number": int(x), "PC1": float(one), "PC2": float(two)}
                for x, (one, two) in zip(numbers[:POINTS, t], points[:POINTS], strict=True)
            ]
    return rows


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    found: dict[str, list[float]] = {claim.key: [] for claim in CLAIMS}
    heads = by_run(tables["heads"])
    for run, rows in by_run(tables["scores"]).items():
        for key, column in (("grouped", "excess"), ("plane", "plane_excess")):
            best: dict[tuple[int, int], float] = {}
            for row in rows:
                if row["position"] == 0:
                    cell = (row["head"], row["modulus"])
                    best[cell] = max(best.get(cell, 0.0), row[column])
            found[key].append(float(np.mean([value >= SPECIALISED for value in best.values()])))
        own = {(row["head"], row["modulus"], row["position"]): row["own_prime"] for row in heads[run]}
        first = {head: _most([own[key] for key in own if key[0] == head and key[2] == 0]) for head, _, _ in own}
        found["primes"].append(float(len({prime for prime in first.values() if prime})))
        elsewhere = [prime == first[head] for (head, _, t), prime in own.items() if t and first[head]]
        if elsewhere:
            found["invariant"].append(float(np.mean(elsewhere)))
    return Evidence(found, {"learned": learned(tables)})


def _most(values: list[int]) -> int:
    return max(sorted(set(values)), key=values.count)


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """For each seed: every head against every q, at t = 0, in the mean over moduli; then planes of the first seed."""
    panels: list[Panel] = []
    for rows in by_run(tables["scores"]).values():
        for t in sorted({row["position"] for row in rows}):
            panels.append(_score_map(f"seed {rows[0]['seed']}, t = {t}", [r for r in rows if r["position"] == t]))
    save_panels(panels, folder / "um-heads", columns=3)
    planes: list[Panel] = []
    first = next(iter(by_run(tables["planes"]).values()), [])
    for t in sorted({row["position"] for row in first}):
        for head in sorted({row["head"] for row in first}):
            rows = [row for row in first if (row["position"], row["head"]) == (t, head)]
            if rows:
                planes.append(_plane(rows))
    if planes:
        save_panels(planes, folder / "um-heads-planes", columns=len({row["head"] for row in first}))


def _plane(rows: Rows) -> ScatterPanel:
    """The plane of one head at one position, coloured by the residue that explains most of it."""
    head, t, m, seed, q = (rows[0][key] for key in ("head", "position", "modulus", "seed", "q"))
    points = [(row["PC1"], row["PC2"]) for row in rows]
    title = f"seed {seed}, m = {m}, head {head}, t = {t}: " + (f"mod {q}" if q else "no residue")
    return ScatterPanel(title, "PC1", "PC2", points, [row["number"] % max(q, 1) for row in rows], "≡")


def _score_map(title: str, rows: Rows) -> MapPanel:
    heads, moduli = (sorted({row[key] for row in rows}) for key in ("head", "q"))
    sums = {(head, q): [] for head in heads for q in moduli}  # type: dict[tuple[int, int], list[float]]
    for row in rows:
        sums[row["head"], row["q"]].append(row["excess"])
    values = [[float(np.mean(sums[head, q])) for q in moduli] for head in heads]
    return MapPanel(title, "q", "head", values, [str(q) for q in moduli], [str(head) for head in heads], "excess share")


EXPERIMENT = Experiment(
    name="um-heads",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=main_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=3,
)
