"""Tests whether the embedding encodes digits. (fig:fixed_p_embedding_pca, figapp:embedding_m=512, …_m=7776, …_m=1800)

The paper: principal components group numbers by residue modulo the prime powers of m, and numbers that share low digits
have similar vectors. This is tested on one-layer models. The tables have the components (``points``), the share of each
component's variance between residues (``shares``; the column ``residue`` is their modulus), the share that a sum over
digits explains (``additive``), and the cosine similarity by shared digits (``cosines``).
"""

from typing import Any

import numpy as np
import polars as pl

from unrandom.core.arithmetic import factorize
from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, Scale
from unrandom.experiments.fixed_modulus.accuracy import IS_POWER_OF_TWO, columns
from unrandom.experiments.fixed_modulus.presets import all_runs
from unrandom.experiments.summaries import by_run, each_run, group_lines, matrix, named, seed_means, tables_by_run
from unrandom.figures.panels import LinePanel, MapPanel, Panel, ScatterPanel
from unrandom.interpretation import additive_variance, cosine_by_shared_digits, embedding_table, token_vectors
from unrandom.runs.measurement import prime_powers
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_task

ENTRY = Entry(
    name="fm-embedding",
    section="fixed modulus",
    place=4,
    about="the embedding groups numbers by their digits",
    minutes=19,
    figures={
        "fig:fixed_p_embedding_pca": "embedding of a fixed modulus, m = 2048",
        "figapp:embedding_m=512": "embedding, m = 512",
        "figapp:embedding_m=7776": "embedding, m = 7776",
        "figapp:embedding_m=1800": "embedding, m = 1800",
    },
)

COMPONENTS = 6

CLAIMS = {
    "parity": Claim(
        statement="For m = 2^K the first principal component groups numbers mod 2.",
        quantity="share of its variance between even and odd",
        wanted=at_least(0.9, "share"),
    ),
    "mod-four": Claim(
        statement="For m = 2^K the second and third components group numbers mod 4.",
        quantity="share of their variance between the four residues, mean of the two",
        wanted=at_least(0.9, "share"),
    ),
    "digits": LateClaim(
        statement="For composite m the principal components group numbers modulo the prime powers of m.",
        quantity="share of the variance of the first six that a sum of one vector for each residue modulo each prime "
        "power explains, mean over moduli",
        wanted=at_least(0.9, "share"),
        figure="figapp:embedding_m=7776",
    ),
    "cosine": LateClaim(
        statement="For m = 2^K, the more low bits two numbers share, the more similar are their vectors.",
        quantity="share of further shared bits with which the mean cosine rises",
        wanted=at_least(0.95, "share"),
    ),
}


def measure(runs: list[Run], _scale: Scale) -> Tables:
    return tables_by_run(runs, _measured, columns)


def _measured(run: Run) -> dict[str, Rows]:
    m, vectors = lcg_task(run.config.data).largest_modulus, token_vectors(run.load_model())
    found = embedding_table(vectors, prime_powers(m), COMPONENTS)
    cosines = {p: pl.DataFrame(cosine_by_shared_digits(vectors, m, p).to_json()) for p in factorize(m)}
    powers = [q**k for q, k in factorize(m).items()]
    fit, whole = additive_variance(np.array(found["values"]), powers), additive_variance(vectors, powers)
    return {
        "shares": [row for entry in found["residue_variance"] for row in _share_rows(entry)],
        "cosines": [
            {"prime": p, **row}
            for p, by_digits in cosines.items()
            for row in by_digits.select("shared", "pairs", "raw", "centred").to_dicts()
        ],
        "additive": [{"share": fit.share, "shuffled": fit.shuffled, "whole": whole.share}],
        "points": [
            {"number": number, **{f"PC{i}": value for i, value in enumerate(values, 1)}}
            for number, values in enumerate(found["values"])
        ],
    }


def _share_rows(entry: dict[str, Any]) -> Rows:
    return [
        {"residue": entry["modulus"], "component": i, "share": share, "shuffled": shuffled}
        for i, (share, shuffled) in enumerate(zip(entry["shares"], entry["shuffled"], strict=True), 1)
    ]


def evidence(tables: Tables) -> Evidence:
    powers = tables["shares"].filter(IS_POWER_OF_TWO)
    four = powers.filter(pl.col("component").is_in((2, 3)), residue=4)
    rises = pl.col("centred").diff().drop_nulls() > 0
    return {
        "parity": seed_means(powers.filter(residue=2, component=1), "share"),
        "mod-four": seed_means(four, "share"),
        "digits": seed_means(tables["additive"].filter(~IS_POWER_OF_TWO), "share"),
        "cosine": each_run(tables["cosines"].filter(IS_POWER_OF_TWO), rises.mean()),
    }


def draw(tables: Tables) -> Pictures:
    """Two planes and the shares of variance for the first seed, and cosine by shared digits for all, for each modulus.

    A plane has the colours of the residue that explains most of its two components.
    """
    panels: list[Panel] = []
    for (m,), points in tables["points"].group_by("modulus", maintain_order=True):
        shares = by_run(tables["shares"].filter(modulus=m))[0]
        panels += [_plane(m, by_run(points)[0], shares, components) for components in ((1, 2), (2, 3))]
        lines = group_lines(named(tables["cosines"].filter(modulus=m), "prime", "base {}"), "shared", "centred")
        panels += [
            _share_map(m, shares),
            LinePanel(f"m = {m}", "shared low digits", "mean cosine (centred)", lines, limits=(None, None)),
        ]
    yield Picture(panels)


def _plane(m: int, points: pl.DataFrame, shares: pl.DataFrame, components: tuple[int, int]) -> ScatterPanel:
    x, y = (f"PC{component}" for component in components)
    residue = _best_residue(shares.filter(pl.col("component").is_in(components)))
    title = f"m = {m}, seed {points['seed'][0]}: mod {residue}"
    groups = (points["number"] % residue).to_list()
    return ScatterPanel(title, x, y, points.select(x, y).rows(), groups, "≡")


def _best_residue(shares: pl.DataFrame) -> int:
    """The smallest modulus whose residues explain at most 0.04 less of both components, beyond chance, than the
    best."""
    gain = shares.group_by("residue").agg((pl.col("share") - pl.col("shuffled")).sum().alias("gain"))
    return min(gain.filter(pl.col("gain") >= pl.col("gain").max() - 0.04)["residue"])


def _share_map(m: int, shares: pl.DataFrame) -> MapPanel:
    """Heat map of the variance shares of one run, by modulus of the residues and component."""
    values, residues = matrix(shares, ["residue"], "component", "share"), shares["residue"].unique().sort()
    names = [str(component) for component in shares["component"].unique(maintain_order=True)]
    title = f"m = {m}, seed {shares['seed'][0]}: variance by residue"
    return MapPanel(
        title, "principal component", "", values, names, [f"mod {each}" for each in residues], "share", written=True
    )


EXPERIMENT = Experiment(ENTRY, CLAIMS, all_runs, measure, evidence, draw, task=FixedModulus, archived_seeds=1)
