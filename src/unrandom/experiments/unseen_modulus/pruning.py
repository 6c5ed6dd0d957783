"""Whose digits are lost without a head? (fig:multip_prune a2 to c3; fig:prune_appendix_2048, …_2352)

Every head is pruned in turn, by each of three replacements: a matrix of heads by digits for every unseen modulus.
"""

from pathlib import Path
from typing import Any, get_args

import numpy as np

from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows, Scale
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned
from unrandom.experiments.summaries import about
from unrandom.experiments.unseen_modulus.heads import first_position_scores, own_primes
from unrandom.experiments.unseen_modulus.presets import main_runs
from unrandom.experiments.unseen_modulus.probes import REFERENCE, SEQUENCES, training_numbers, unseen_sequences
from unrandom.figures.panels import MapPanel, Panel, save_panels
from unrandom.interpretation import Damage, Replacement, digit_damage, mean_head_values, own_prime_share, prune_heads
from unrandom.runs.run import Run
from unrandom.runs.tables import Tables
from unrandom.tasks import UnseenModulus

PAPERS = "scalar-mean"

CLAIMS = (
    Claim(
        key="own-prime",
        statement="Pruning a first-layer head hits the digits of its own prime.",
        quantity="share of the damage there, less the share under permutations of the heads' primes",
        unit="difference of shares",
        figure="fig:multip_prune",
        threshold=0.05,
    ),
    Claim(
        key="lost",
        statement="The digits of its own prime lose more than those of other primes.",
        quantity="accuracy above chance that is lost, as a share: own prime less other primes, mean over heads",
        unit="difference of shares",
        figure="fig:multip_prune",
        threshold=0.25,
        written="after",
    ),
    Claim(
        key="spared",
        statement="The digits of other primes are spared.",
        quantity="accuracy above chance that is lost, as a share, mean over heads",
        unit="share",
        figure="fig:prune_appendix_2048",
        threshold=0.25,
        at_least=False,
    ),
)


def measure(runs: list[Run], scale: Scale) -> RowTables:
    digits: Rows = []
    shares: Rows = []
    for run in runs:
        predictor = run.predictor()
        means = mean_head_values(predictor.model, training_numbers(run, REFERENCE[scale]))
        primes = own_primes(first_position_scores(run, scale))
        sets = unseen_sequences(run, SEQUENCES[scale]).values()
        whole = [evaluate(predictor, sequences) for sequences in sets]
        for replacement in get_args(Replacement):
            damages = [
                digit_damage(before, prune_heads(predictor, sequences, means, replacement))
                for before, sequences in zip(whole, sets, strict=True)
            ]
            which = {**about(run), "replacement": replacement}
            digits += [row for damage in damages for row in _digit_rows(which, damage, primes)]
            shares.append({**which, **_share(damages, primes, run.config.seed)})
    return {"digits": digits, "specialisation": shares}


def _digit_rows(which: dict[str, Any], damage: Damage, primes: list[int]) -> Rows:
    return [
        {
            **which,
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


def _share(damages: list[Damage], primes: list[int], seed: int) -> dict[str, Any]:
    """The number for specialisation, over the digits of all unseen moduli and the heads of the first layer."""
    first = [i for i, (layer, _) in enumerate(damages[0].heads) if layer == 0]
    relative = np.concatenate([damage.relative[first] for damage in damages], axis=1)
    of_digits = np.concatenate([damage.primes for damage in damages])
    share = own_prime_share(relative, of_digits, np.array(primes), seed).tree()
    return {**share, "primes": len({prime for prime in primes if prime})}


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    found: dict[str, list[float]] = {claim.key: [] for claim in CLAIMS}
    for row in tables["specialisation"]:
        if row["replacement"] == PAPERS and row["value"] is not None and row["primes"] > 1:
            found["own-prime"].append(row["value"] - row["permuted"])
    for rows in by_run(tables["digits"]).values():
        own: list[float] = []
        other: list[float] = []
        for row in rows:
            if row["replacement"] == PAPERS and row["own_prime"] and row["damage"] is not None:
                (own if row["prime"] == row["own_prime"] else other).append(row["damage"])
        if own and other:
            found["lost"].append(float(np.mean(own) - np.mean(other)))
            found["spared"].append(float(np.mean(other)))
    return Evidence(found, {"learned": learned(tables)})


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """The paper's replacement: heads by digits for each modulus, a row of maps a seed; then the others."""
    for replacement in get_args(Replacement):
        panels: list[Panel] = []
        for rows in by_run([row for row in tables["digits"] if row["replacement"] == replacement]).values():
            for m in dict.fromkeys(row["modulus"] for row in rows):
                panels.append(_damage_map(rows[0]["seed"], m, [row for row in rows if row["modulus"] == m]))
        columns = len({row["modulus"] for row in tables["digits"]})
        save_panels(panels, folder / f"um-pruning-{replacement}", columns=columns)


def _damage_map(seed: int, m: int, rows: Rows) -> MapPanel:
    heads = list(dict.fromkeys((row["layer"], row["head"], row["own_prime"]) for row in rows))
    digits = list(dict.fromkeys(row["digit"] for row in rows))
    damage = {(row["layer"], row["head"], row["digit"]): row["damage"] for row in rows}
    values = [
        [np.nan if (lost := damage[layer, head, digit]) is None else lost for digit in digits]
        for layer, head, _ in heads
    ]
    names = [f"{layer}.{head}" + (f" (mod {prime})" if prime else "") for layer, head, prime in heads]
    bar = "accuracy above chance lost"
    return MapPanel(f"seed {seed}, m = {m}", "digit", "layer.head", values, digits, names, bar, (-1, 1))


EXPERIMENT = Experiment(
    name="um-pruning",
    task=UnseenModulus,
    claims=CLAIMS,
    runs=main_runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=3,
)
