"""How far back does the head look? (fig:fixed_p_attn_mlp a)

The strongest key for guessing number t is number t − p^k for the largest p^k ≤ t, the second strongest t − p^(k−1).
"""

from pathlib import Path

import numpy as np
from jaxtyping import Float

from unrandom.core.arithmetic import factorize, is_power_of_two, largest_power
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.fixed_modulus.accuracy import about
from unrandom.experiments.fixed_modulus.presets import fast_runs, moduli
from unrandom.experiments.rows import RowTables, as_rows, by_run, learned, seed_lines, seed_means
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import LinePanel, MapPanel, Panel, save_panels
from unrandom.interpretation import attention_by_distance, lookback_shares, strongest_distances
from unrandom.runs.measurement import attention_patterns
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, lcg_task

SEQUENCES = {"smoke": 8, "laptop": 256, "gpu": 128, "paper": 128}

FIGURE = "fig:fixed_p_attn_mlp"
CLAIMS = (
    Claim(
        key="strongest",
        statement="For m = 2^K the strongest key is at t − 2^k, k = ⌊log2 t⌋.",
        quantity="share of all queries",
        unit="share",
        figure=FIGURE,
        threshold=0.9,
    ),
    Claim(
        key="second",
        statement="For m = 2^K the second strongest key is at t − 2^(k−1).",
        quantity="share of all queries",
        unit="share",
        figure=FIGURE,
        threshold=0.9,
    ),
    Claim(
        key="strongest-between",
        statement="Between the powers of two, the strongest key is at t − 2^k.",
        quantity="share of queries with t neither 2^k nor 2^k + 1, where the head changes over",
        unit="share",
        figure=FIGURE,
        threshold=0.9,
        written="after",
    ),
    Claim(
        key="second-between",
        statement="Between the powers of two, the second strongest key is at t − 2^(k−1).",
        quantity="share of queries with t neither 2^k nor 2^k + 1, where the head changes over",
        unit="share",
        figure=FIGURE,
        threshold=0.9,
        written="after",
    ),
    Claim(
        key="divisors-two-primes",
        statement="For m = 2^i 3^j the strongest key is at t − r for a divisor r of m.",
        quantity="share of queries",
        unit="share",
        threshold=0.9,
        origin="beyond",
    ),
    Claim(
        key="divisors-three-primes",
        statement="For m = 2^i 3^j 5^k the strongest key is at t − r for a divisor r of m.",
        quantity="share of queries",
        unit="share",
        threshold=0.9,
        origin="beyond",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    return fast_runs(scale, seeds, moduli(scale))


def measure(runs: list[Run], scale: Scale) -> RowTables:
    distances: Rows = []
    primes: Rows = []
    divisors: Rows = []
    between: Rows = []
    example: Rows = []
    for run in runs:
        (m,) = lcg_task(run.config.data).moduli
        sequences = run.split().test(m, SEQUENCES[scale], name="attention")
        pattern = attention_patterns(run.predictor(), sequences)[0]  # [sequences, head, query, key]
        mean = attention_by_distance(pattern)
        distances += [{**about(run), "back": d + 1, "weight": float(weight)} for d, weight in enumerate(mean)]
        for head in range(pattern.shape[1]):
            found = lookback_shares(pattern[:, head], m)
            for entry in found.primes:
                shares = {"strongest": entry.strongest.pooled.value, "second": entry.second.pooled.value}
                values = {key: float(value) for key, value in shares.items()}
                primes.append({**about(run), "head": head, "prime": entry.prime, **values, "chance": entry.chance})
            if is_power_of_two(m):
                between.append({**about(run), "head": head, **_between_powers(pattern[:, head])})
            for each in found.divisors:
                share, weight = float(each.strongest.pooled.value), float(np.mean(each.weight))
                divisors.append({**about(run), "head": head, "r": each.divisor, "strongest": share, "weight": weight})
        if run.config.seed == 0 or len(runs) == 1:  # one picture a modulus is enough
            example += [
                {**about(run), "query": q, "key": k, "weight": round(float(pattern[0, 0, q, k]), 5)}
                for q in range(pattern.shape[-1])
                for k in range(q + 1)
            ]
    return {"by_distance": distances, "primes": primes, "between": between, "divisors": divisors, "example": example}


def _between_powers(pattern: Float[np.ndarray, "sequences queries keys"]) -> dict[str, float]:
    """Shares of queries whose strongest keys are where the paper says, for t ≥ 4 without 2^k and 2^k + 1."""
    back = strongest_distances(pattern, k=2) + 1
    t = np.arange(1, back.shape[1] + 1)
    power = np.array([largest_power(int(each), 2) for each in t])
    asked = (t >= 4) & (t - power > 1)
    return {
        "strongest": float((back[:, asked, 0] == power[asked]).mean()),
        "second": float((back[:, asked, 1] == power[asked] // 2).mean()),
    }


def evidence(frames: Tables) -> Evidence:
    tables = as_rows(frames)
    primes, divisors = by_run(tables["primes"]), by_run(tables["divisors"])
    powers = [rows[0] for rows in primes.values() if is_power_of_two(rows[0]["modulus"])]
    shares: dict[int, list[float]] = {}
    for rows in divisors.values():
        shares.setdefault(len(factorize(rows[0]["modulus"])), []).append(sum(row["strongest"] for row in rows))
    return Evidence(
        {
            "strongest": seed_means((row["seed"], row["strongest"]) for row in powers),
            "second": seed_means((row["seed"], row["second"]) for row in powers),
            "strongest-between": seed_means((row["seed"], row["strongest"]) for row in tables["between"]),
            "second-between": seed_means((row["seed"], row["second"]) for row in tables["between"]),
            "divisors-two-primes": shares.get(2, []),
            "divisors-three-primes": shares.get(3, []),
        },
        {"learned": learned(tables)},
    )


def draw(frames: Tables, folder: Path) -> None:
    tables = as_rows(frames)
    """For each modulus: one sequence's pattern, mean weight by look-back of every seed, and the divisors preferred."""
    panels: list[Panel] = []
    for m in dict.fromkeys(row["modulus"] for row in tables["by_distance"]):
        drawn = ("by_distance", "divisors", "example")
        own = {name: [row for row in tables[name] if row["modulus"] == m] for name in drawn}
        lines = list(seed_lines(own["by_distance"], "back", "weight", "one line per seed", 0))
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
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    kept_seeds=1,
)
