"""Does the embedding hold the digits? (fig:fixed_p_embedding_pca, figapp:embedding_m=512, …_m=7776, …_m=1800)

Principal components group numbers by residue modulo the prime powers of m; shared low digits mean similar vectors.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from unrandom.core.arithmetic import factorize, is_power_of_two
from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.runs import fast_runs, moduli
from unrandom.experiments.measure import prime_powers
from unrandom.experiments.rows import by_run, seed_lines
from unrandom.experiments.runs import Run
from unrandom.figures.panels import LinePanel, MapPanel, Panel, ScatterPanel, save_panels
from unrandom.interpretation import cosine_by_shared_digits, embedding_table

COMPONENTS = 6

CLAIMS = (
    Claim(
        "parity",
        "For m = 2^K the first principal component groups numbers mod 2: share of its variance.",
        "fig:fixed_p_embedding_pca",
        0.9,
    ),
    Claim(
        "mod-four",
        "The 2nd and 3rd components group numbers mod 4: share of their variance between the four residues.",
        "fig:fixed_p_embedding_pca",
        0.9,
    ),
    Claim(
        "digits",
        "For any m, each of the first six components groups numbers modulo a prime power of m: the largest share of "
        "variance, averaged over components.",
        "figapp:embedding_m=7776",
        0.9,
        at_laptop="For the composite moduli some components mix residues of different primes.",
    ),
    Claim(
        "cosine",
        "The more low digits two numbers share, the more similar their vectors: share of steps up in mean cosine.",
        "fig:fixed_p_embedding_pca",
        1.0,
        at_laptop="In the composite moduli a second shared bit changes the cosine by almost nothing.",
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    return fast_runs(scale, seeds, moduli(scale))


def measure(runs: list[Run], _scale: Scale) -> Tables:
    shares: Rows = []
    cosines: Rows = []
    points: Rows = []
    for run in runs:
        m = run.config.data.largest_modulus
        matrix = run.load_model().embed.weight.detach().numpy()
        table = embedding_table(matrix, prime_powers(m), COMPONENTS)
        shares += [row for entry in table["residue_variance"] for row in _share_rows(about(run), entry)]
        for p in factorize(m):
            found = cosine_by_shared_digits(matrix, m, p).tree()
            keys = ("shared", "pairs", "raw", "centred")
            cosines += [
                {**about(run), "prime": p, **dict(zip(keys, values, strict=True))}
                for values in zip(*(found[key] for key in keys), strict=True)
            ]
        points += [
            {**about(run), "number": number, **{f"PC{i + 1}": value for i, value in enumerate(values)}}
            for number, values in enumerate(table["values"])
        ]
    return {"shares": shares, "cosines": cosines, "points": points}


def _share_rows(which: dict[str, Any], entry: dict[str, Any]) -> Rows:
    return [
        {**which, "residue": entry["modulus"], "component": i + 1, "share": share, "shuffled": shuffled}
        for i, (share, shuffled) in enumerate(zip(entry["shares"], entry["shuffled"], strict=True))
    ]


def evidence(tables: Tables) -> Evidence:
    parity, four, digits, cosine = [], [], [], []
    for rows in by_run(tables["shares"]).values():
        share = {(row["residue"], row["component"]): row["share"] for row in rows}
        m = rows[0]["modulus"]
        coarse = {residue for residue, _ in share if residue**2 <= m}  # finer classes explain anything
        components = sorted({component for _, component in share})
        digits.append(float(np.mean([max(share[residue, i] for residue in coarse) for i in components])))
        if is_power_of_two(m):
            parity.append(share[2, 1])
            four.append((share[4, 2] + share[4, 3]) / 2)
    for rows in by_run(tables["cosines"]).values():
        steps = [later["centred"] > row["centred"] for row, later in pairwise(rows) if row["prime"] == later["prime"]]
        cosine.append(float(np.mean(steps)))
    return {"parity": parity, "mod-four": four, "digits": digits, "cosine": cosine}


def draw(tables: Tables, folder: Path) -> None:
    """For each modulus: two planes and the shares of variance of the first seed; cosine by shared digits of all."""
    panels: list[Panel] = []
    for m in dict.fromkeys(row["modulus"] for row in tables["points"]):
        points = next(iter(by_run([row for row in tables["points"] if row["modulus"] == m]).values()))
        prime = next(iter(factorize(m)))
        for (x, y), residue in (((1, 2), prime), ((2, 3), prime**2)):
            plane = [(row[f"PC{x}"], row[f"PC{y}"]) for row in points]
            groups = [row["number"] % residue for row in points]
            panels.append(ScatterPanel(f"m = {m}: mod {residue}", f"PC{x}", f"PC{y}", plane, groups, "≡"))
        panels.append(_share_map(m, tables["shares"]))
        own = [row for row in tables["cosines"] if row["modulus"] == m]
        lines = [
            line
            for kind, p in enumerate(factorize(m))
            for line in seed_lines([row for row in own if row["prime"] == p], "shared", "centred", f"base {p}", kind)
        ]
        panels.append(LinePanel(f"m = {m}", "shared low digits", "mean cosine (centred)", lines, limits=(None, None)))
    save_panels(panels, folder / "fm-embedding", columns=4)


def _share_map(m: int, rows: Rows) -> MapPanel:
    first = next(iter(by_run([row for row in rows if row["modulus"] == m]).values()))
    residues = list(dict.fromkeys(row["residue"] for row in first))
    values = [[row["share"] for row in first if row["residue"] == residue] for residue in residues]
    names = [f"PC{i + 1}" for i in range(len(values[0]))]
    rows_named = [f"mod {residue}" for residue in residues]
    return MapPanel(f"m = {m}: variance by residue", "", "", values, names, rows_named, "share", written=True)


EXPERIMENT = Experiment(
    name="fm-embedding",
    about="the embedding groups numbers by their digits",
    figures=(
        "fig:fixed_p_embedding_pca",
        "figapp:embedding_m=512",
        "figapp:embedding_m=7776",
        "figapp:embedding_m=1800",
    ),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
