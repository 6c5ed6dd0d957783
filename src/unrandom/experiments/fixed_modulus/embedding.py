"""Does the embedding hold the digits? (fig:fixed_p_embedding_pca, figapp:embedding_m=512, …_m=7776, …_m=1800)

Principal components group numbers by residue modulo the prime powers of m; shared low digits mean similar vectors.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from unrandom.core.arithmetic import factorize, is_power_of_two
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.presets import fast_runs, moduli
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned, seed_lines, seed_means
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import LinePanel, MapPanel, Panel, ScatterPanel, save_panels
from unrandom.interpretation import additive_variance, cosine_by_shared_digits, embedding_table
from unrandom.runs.measurement import prime_powers
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_task

COMPONENTS = 6

CLAIMS = (
    Claim(
        key="parity",
        statement="For m = 2^K the first principal component groups numbers mod 2.",
        quantity="share of its variance between even and odd",
        unit="share",
        figure="fig:fixed_p_embedding_pca",
        threshold=0.9,
    ),
    Claim(
        key="mod-four",
        statement="For m = 2^K the second and third components group numbers mod 4.",
        quantity="share of their variance between the four residues, mean of the two",
        unit="share",
        figure="fig:fixed_p_embedding_pca",
        threshold=0.9,
    ),
    Claim(
        key="digits",
        statement="For composite m the principal components group numbers modulo the prime powers of m.",
        quantity="share of the variance of the first six that a sum of one vector for each residue modulo each prime "
        "power explains, mean over moduli",
        unit="share",
        figure="figapp:embedding_m=7776",
        threshold=0.9,
        written="after",
    ),
    Claim(
        key="cosine",
        statement="For m = 2^K, the more low bits two numbers share, the more similar are their vectors.",
        quantity="share of further shared bits with which the mean cosine rises",
        unit="share",
        figure="fig:fixed_p_embedding_pca",
        threshold=0.95,
        written="after",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    return fast_runs(scale, seeds, moduli(scale))


def measure(runs: list[Run], _scale: Scale) -> RowTables:
    shares: Rows = []
    cosines: Rows = []
    additive: Rows = []
    points: Rows = []
    for run in runs:
        m = lcg_task(run.config.data).largest_modulus
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
        powers = [q**k for q, k in factorize(m).items()]
        fit, whole = additive_variance(np.array(table["values"]), powers), additive_variance(matrix, powers)
        additive.append({**about(run), "share": fit.share, "shuffled": fit.shuffled, "whole": whole.share})
        points += [
            {**about(run), "number": number, **{f"PC{i + 1}": value for i, value in enumerate(values)}}
            for number, values in enumerate(table["values"])
        ]
    return {"shares": shares, "cosines": cosines, "additive": additive, "points": points}


def _share_rows(which: dict[str, Any], entry: dict[str, Any]) -> Rows:
    return [
        {**which, "residue": entry["modulus"], "component": i + 1, "share": share, "shuffled": shuffled}
        for i, (share, shuffled) in enumerate(zip(entry["shares"], entry["shuffled"], strict=True))
    ]


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    parity, four, cosine = [], [], []
    for rows in by_run(tables["shares"]).values():
        share = {(row["residue"], row["component"]): row["share"] for row in rows}
        if is_power_of_two(rows[0]["modulus"]):
            parity.append((rows[0]["seed"], share[2, 1]))
            four.append((rows[0]["seed"], (share[4, 2] + share[4, 3]) / 2))
    for rows in by_run(tables["cosines"]).values():
        if is_power_of_two(rows[0]["modulus"]):
            steps = [later["centred"] > row["centred"] for row, later in pairwise(rows)]
            cosine.append((rows[0]["seed"], float(np.mean(steps))))
    composite = [row for row in tables["additive"] if not is_power_of_two(row["modulus"])]
    additive = [(row["seed"], row["share"]) for row in composite]
    return Evidence(
        {
            "parity": seed_means(parity),
            "mod-four": seed_means(four),
            "digits": seed_means(additive),
            "cosine": seed_means(cosine),
        },
        {"learned": learned(tables)},
    )


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """For each modulus: two planes and the shares of variance of the first seed; cosine by shared digits of all.

    A plane is coloured by the residue that explains most of its two components.
    """
    panels: list[Panel] = []
    for m in dict.fromkeys(row["modulus"] for row in tables["points"]):
        points = next(iter(by_run([row for row in tables["points"] if row["modulus"] == m]).values()))
        shares = next(iter(by_run([row for row in tables["shares"] if row["modulus"] == m]).values()))
        for x, y in ((1, 2), (2, 3)):
            plane = [(row[f"PC{x}"], row[f"PC{y}"]) for row in points]
            residue = _residue_of(shares, (x, y))
            groups = [row["number"] % residue for row in points]
            title = f"m = {m}, seed {points[0]['seed']}: mod {residue}"
            panels.append(ScatterPanel(title, f"PC{x}", f"PC{y}", plane, groups, "≡"))
        panels.append(_share_map(m, tables["shares"]))
        own = [row for row in tables["cosines"] if row["modulus"] == m]
        lines = [
            line
            for kind, p in enumerate(factorize(m))
            for line in seed_lines([row for row in own if row["prime"] == p], "shared", "centred", f"base {p}", kind)
        ]
        panels.append(LinePanel(f"m = {m}", "shared low digits", "mean cosine (centred)", lines, limits=(None, None)))
    save_panels(panels, folder / "fm-embedding", columns=4)


def _residue_of(shares: Rows, components: tuple[int, int]) -> int:
    """The residue that explains most of two components beyond chance, the smallest within .02 of the best."""
    gain: dict[int, float] = {}
    for row in shares:
        if row["component"] in components:
            gain[row["residue"]] = gain.get(row["residue"], 0.0) + row["share"] - row["shuffled"]
    return min(residue for residue, value in gain.items() if value >= max(gain.values()) - 0.04)


def _share_map(m: int, rows: Rows) -> MapPanel:
    first = next(iter(by_run([row for row in rows if row["modulus"] == m]).values()))
    residues = list(dict.fromkeys(row["residue"] for row in first))
    values = [[row["share"] for row in first if row["residue"] == residue] for residue in residues]
    names = [f"PC{i + 1}" for i in range(len(values[0]))]
    rows_named = [f"mod {residue}" for residue in residues]
    title = f"m = {m}, seed {first[0]['seed']}: variance by residue"
    return MapPanel(title, "", "", values, names, rows_named, "share", written=True)


EXPERIMENT = Experiment(
    name="fm-embedding",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
