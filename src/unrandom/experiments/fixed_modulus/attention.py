"""How far back does the head look? (fig:fixed_p_attn_mlp a)

The strongest key for guessing number t is number t − p^k for the largest p^k ≤ t, the second strongest t − p^(k−1).
"""

from pathlib import Path

import numpy as np

from unrandom.core.arithmetic import factorize, is_power_of_two
from unrandom.data import SequenceSet
from unrandom.experiments.claims import Claim
from unrandom.experiments.experiment import Evidence, Experiment, PlannedRun, Rows, Scale, Tables
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.runs import fast_runs, moduli
from unrandom.experiments.measure import attention_patterns
from unrandom.experiments.rows import by_run, seed_lines
from unrandom.experiments.runs import Run
from unrandom.figures.panels import LinePanel, MapPanel, Panel, save_panels
from unrandom.interpretation import attention_by_distance, lookback_shares

SEQUENCES = {"smoke": 8, "laptop": 256, "gpu": 128, "paper": 128}

CLAIMS = (
    Claim(
        "strongest",
        "For m = 2^K the strongest key is at t − 2^k, k = ⌊log2 t⌋: share of queries.",
        "fig:fixed_p_attn_mlp",
        0.9,
        at_laptop="The mean is above, a seed is below: at short distances the head is less sharp.",
    ),
    Claim(
        "second",
        "The second strongest key is at t − 2^(k−1): share of queries.",
        "fig:fixed_p_attn_mlp",
        0.9,
        at_laptop="The mean is above, a seed is below.",
    ),
    Claim(
        "divisors",
        "For composite m the strongest key is at t − r for a divisor r of m: share of queries.",
        "fig:fixed_p_attn_mlp",
        0.9,
        at_laptop="It holds for 216 and falls short for 360.",
    ),
)


def runs(scale: Scale, seeds: int) -> list[PlannedRun]:
    return fast_runs(scale, seeds, moduli(scale))


def measure(runs: list[Run], scale: Scale) -> Tables:
    distances: Rows = []
    primes: Rows = []
    divisors: Rows = []
    example: Rows = []
    for run in runs:
        (m,) = run.config.data.test_moduli
        parameters = run.split().test_parameters(m, SEQUENCES[scale], name="attention")
        sequences = SequenceSet.of(parameters, run.config.data.context + 1)
        pattern = attention_patterns(run.predictor(), sequences)[0]  # [sequences, head, query, key]
        mean = attention_by_distance(pattern)
        distances += [{**about(run), "back": d + 1, "weight": float(weight)} for d, weight in enumerate(mean)]
        for head in range(pattern.shape[1]):
            found = lookback_shares(pattern[:, head], m)
            for entry in found.primes:
                shares = {"strongest": entry.strongest.pooled.value, "second": entry.second.pooled.value}
                values = {key: float(value) for key, value in shares.items()}
                primes.append({**about(run), "head": head, "prime": entry.prime, **values, "chance": entry.chance})
            for each in found.divisors:
                share, weight = float(each.strongest.pooled.value), float(np.mean(each.weight))
                divisors.append({**about(run), "head": head, "r": each.divisor, "strongest": share, "weight": weight})
        if run.config.seed == 0 or len(runs) == 1:  # one picture a modulus is enough
            example += [
                {**about(run), "query": q, "key": k, "weight": round(float(pattern[0, 0, q, k]), 5)}
                for q in range(pattern.shape[-1])
                for k in range(q + 1)
            ]
    return {"by_distance": distances, "primes": primes, "divisors": divisors, "example": example}


def evidence(tables: Tables) -> Evidence:
    primes, divisors = by_run(tables["primes"]), by_run(tables["divisors"])
    powers = [rows[0] for rows in primes.values() if is_power_of_two(rows[0]["modulus"])]
    composite = [rows for rows in divisors.values() if len(factorize(rows[0]["modulus"])) > 1]
    return {
        "strongest": [row["strongest"] for row in powers],
        "second": [row["second"] for row in powers],
        "divisors": [sum(row["strongest"] for row in rows) for rows in composite],
    }


def draw(tables: Tables, folder: Path) -> None:
    """For each modulus: one sequence's pattern, mean weight by look-back of every seed, and the divisors preferred."""
    panels: list[Panel] = []
    for m in dict.fromkeys(row["modulus"] for row in tables["by_distance"]):
        own = {name: [row for row in rows if row["modulus"] == m] for name, rows in tables.items()}
        lines = list(seed_lines(own["by_distance"], "back", "weight", "a line a seed", 0))
        longest = max(row["back"] for row in own["by_distance"])
        prime = min(factorize(m))
        ticks = [prime**k for k in range(12) if prime**k <= longest]
        back = "numbers back from the guessed one"
        panels += [
            _pattern_map(m, next(iter(by_run(own["example"]).values()))),
            LinePanel(f"m = {m}", back, "mean weight", lines, ticks, limits=(0, None)),
            _divisor_map(m, own["divisors"]),
        ]
    save_panels(panels, folder / "fm-attention", columns=3)


def _pattern_map(m: int, rows: Rows) -> MapPanel:
    size = max(row["query"] for row in rows) + 1
    roots = np.full((size, size), np.nan)  # of the weights, so that faint lines show
    for row in rows:
        roots[row["query"], row["key"]] = row["weight"] ** 0.5
    title = f"m = {m}, seed {rows[0]['seed']}"
    return MapPanel(title, "key", "query", roots.tolist(), bar="√weight", limits=(0, None))


def _divisor_map(m: int, rows: Rows) -> MapPanel:
    runs = by_run(rows).values()
    divisors = [str(r) for r in dict.fromkeys(row["r"] for row in rows)]
    values = [[row["strongest"] for row in of_run] for of_run in runs]
    seeds = [f"seed {of_run[0]['seed']}" for of_run in runs]
    title = f"m = {m}: strongest key at t − r"
    return MapPanel(title, "r", "", values, divisors, seeds, "share of queries", written=len(divisors) <= 12)


EXPERIMENT = Experiment(
    name="fm-attention",
    about="the head looks back by the largest power that fits",
    figures=("fig:fixed_p_attn_mlp",),
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
