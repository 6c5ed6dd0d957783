"""Finds the digits that are lost without each head. (fig:multip_prune a2 to c3; fig:prune_appendix_2048, …_2352)

Every head of the main runs is pruned in turn, with each replacement of its output (zero, its mean at each position, or
its mean over all positions and dimensions: ``interpretation.Replacement``). The table ``digits`` has the accuracy of
every digit before and after, for every unseen modulus. The claims test whether a first-layer head damages the digits of
its own prime alone. They count heads whose prime divides some unseen modulus: without any of the others, no digit of
its own could be lost.
"""

from typing import Any, get_args

import numpy as np
import polars as pl

from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, Scale
from unrandom.experiments.summaries import by_run, matrix, run_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import (
    REFERENCE_SEQUENCES,
    SEQUENCES,
    training_numbers,
    unseen_sequences,
)
from unrandom.experiments.unseen_modulus.heads import first_position_scores, own_primes
from unrandom.experiments.unseen_modulus.presets import main_experiment
from unrandom.figures.panels import MapPanel
from unrandom.figures.style import DIGIT, power
from unrandom.interpretation import Damage, Replacement, digit_damage, mean_head_values, prune_heads
from unrandom.runs.tables import Tables, table

ENTRY = Entry(
    name="um-pruning",
    section="unseen modulus",
    place=10,
    about="which digits are lost without each head",
    minutes=100,
    figures={
        "fig:multip_prune": "first-layer heads and the digits lost without them",
        "fig:prune_appendix_2048": "digits lost without a head, m = 2048",
        "fig:prune_appendix_2352": "digits lost without a head, m = 2352",
    },
)

PAPER_REPLACEMENT = "scalar-mean"

CLAIMS = {
    "lost": LateClaim(
        statement="Without a first-layer head, the digits of its own prime lose more than those of other primes.",
        quantity="accuracy above chance that is lost, as a share: own prime less other primes, mean over heads",
        wanted=at_least(0.25, "difference of shares"),
    ),
    "spared": Claim(
        statement="Without a first-layer head, the digits of other primes than its own are spared.",
        quantity="accuracy above chance that is lost, as a share, mean over heads",
        wanted=at_most(0.25, "share"),
        figure="fig:prune_appendix_2048",
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    digits: Rows = []
    for run in runs:
        predictor = run.predictor()
        means = mean_head_values(predictor.model, training_numbers(run, REFERENCE_SEQUENCES[scale]))
        primes = own_primes(first_position_scores(run, scale))
        sets = unseen_sequences(run, SEQUENCES[scale]).values()
        unpruned = [evaluate(predictor, sequences) for sequences in sets]
        for replacement in get_args(Replacement):
            damages = [
                digit_damage(before, prune_heads(predictor, sequences, means, replacement))
                for before, sequences in zip(unpruned, sets, strict=True)
            ]
            key_columns = {**run_columns(run), "replacement": replacement}
            digits += [row for damage in damages for row in _digit_rows(key_columns, damage, primes)]
    return {"digits": table(digits)}


def _digit_rows(key_columns: dict[str, Any], damage: Damage, primes: list[int]) -> Rows:
    return [
        {
            **key_columns,
            "modulus": damage.modulus,
            "layer": layer,
            "head": head,
            "own_prime": primes[head] if layer == 0 else 0,
            "digit": str(digit),
            "prime": digit.prime,
            "before": float(damage.before[j]),
            "after": float(damage.after[i, j]),
            "damage": None if np.isnan(damage.relative[i, j]) else float(damage.relative[i, j]),
        }
        for i, (layer, head) in enumerate(damage.heads)
        for j, digit in enumerate(damage.digits)
    ]


def evidence(tables: Tables) -> Evidence:
    found: dict[str, list[float]] = {key: [] for key in CLAIMS}
    papers = tables["digits"].filter(pl.col("replacement") == PAPER_REPLACEMENT).drop_nulls("damage")
    is_own = pl.col("prime") == pl.col("own_prime")
    for digits in by_run(papers.filter(is_own.any().over("run", "layer", "head"))):
        own, other = (digits.filter(those)["damage"].to_list() for those in (is_own, ~is_own))
        if own and other:
            found["lost"].append(float(np.mean(own) - np.mean(other)))
            found["spared"].append(float(np.mean(other)))
    return found


def draw(tables: Tables) -> Pictures:
    """One figure per replacement: heat maps of the first seed's heads by digits, one per modulus.

    ``zero`` is left out: LayerNorm removes one scalar in every dimension, so that it looks as ``scalar-mean`` does.
    """
    drawn = by_run(tables["digits"].filter(pl.col("replacement") != "zero"))[0]
    for (replacement,), digits in drawn.group_by("replacement", maintain_order=True):
        maps = [
            _damage_map(f"seed {seed}, m = {m}", damage)
            for (_, seed, m), damage in digits.group_by("run", "seed", "modulus", maintain_order=True)
        ]
        yield Picture(maps, suffix=f"-{replacement}")


def _damage_map(title: str, damage: pl.DataFrame) -> MapPanel:
    heads = damage.unique(["layer", "head"], maintain_order=True).select("layer", "head", "own_prime")
    names = [f"{layer}.{head}" + (f" (mod {prime})" if prime else "") for layer, head, prime in heads.rows()]
    digits = [power(*map(int, digit.split("^"))) for digit in damage["digit"].unique(maintain_order=True)]
    values = matrix(damage, ["layer", "head"], "digit", "damage")
    return MapPanel(title, DIGIT, "layer.head", values, digits, names, "accuracy above chance lost", (-1, 1), True)


EXPERIMENT = main_experiment(ENTRY, CLAIMS, measure=measure, evidence=evidence, draw=draw)
