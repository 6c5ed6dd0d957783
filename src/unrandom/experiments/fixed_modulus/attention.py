"""Measures how far back the attention head looks. (fig:fixed_p_attn_mlp a)

The paper: when number t is guessed, the strongest key is number t − p^k for the largest p^k ≤ t, the second strongest
t − p^(k−1). This is tested on one-layer models of powers of two and composites. The tables have the mean attention by
look-back (``by_distance``), the share of queries whose strongest keys are at these numbers (``primes``, ``between``) or
at divisors of m (``divisors``), and one attention pattern (``example``).
"""

import numpy as np
import polars as pl
from jaxtyping import Float

from unrandom.core.arithmetic import factorize, is_power_of_two, largest_power
from unrandom.core.errors import UserError
from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, Scale, by_scale
from unrandom.experiments.fixed_modulus.accuracy import IS_POWER_OF_TWO, PRIME_COUNT, columns
from unrandom.experiments.fixed_modulus.presets import all_runs
from unrandom.experiments.summaries import by_run, matrix, rows_of, seed_lines, seed_means
from unrandom.figures import style
from unrandom.figures.panels import Axis, LinePanel, MapPanel, Panel
from unrandom.interpretation import attention_by_distance, lookback_shares, strongest_distances
from unrandom.interpretation.attention import DivisorLookback, PrimeLookback
from unrandom.runs.measurement import attention_patterns
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus, lcg_task

ENTRY = Entry(
    name="fm-attention",
    section="fixed modulus",
    place=5,
    about="the head looks back by the largest power that fits",
    minutes=19,
    figures={"fig:fixed_p_attn_mlp": "attention, neurons and their sum, m = 2048"},
)

SEQUENCES = by_scale(smoke=8, laptop=256, overnight=128)

CLAIMS = {
    "strongest": Claim(
        statement="For m = 2^K the strongest key is at t − 2^k, k = ⌊log2 t⌋.",
        quantity="share of all queries",
        wanted=at_least(0.9, "share"),
    ),
    "second": Claim(
        statement="For m = 2^K the second strongest key is at t − 2^(k−1).",
        quantity="share of all queries",
        wanted=at_least(0.9, "share"),
    ),
    "strongest-between": LateClaim(
        statement="Between the powers of two, the strongest key is at t − 2^k.",
        quantity="share of queries with t neither 2^k nor 2^k + 1, where the head changes over",
        wanted=at_least(0.9, "share"),
    ),
    "second-between": LateClaim(
        statement="Between the powers of two, the second strongest key is at t − 2^(k−1).",
        quantity="share of queries with t neither 2^k nor 2^k + 1, where the head changes over",
        wanted=at_least(0.9, "share"),
    ),
    "divisors-two-primes": Claim(
        statement="For m = 2^i 3^j the strongest key is at t − r for a divisor r of m.",
        quantity="share of queries",
        wanted=at_least(0.9, "share"),
        origin="beyond",
    ),
    "divisors-three-primes": Claim(
        statement="For m = 2^i 3^j 5^k the strongest key is at t − r for a divisor r of m.",
        quantity="share of queries",
        wanted=at_least(0.9, "share"),
        origin="beyond",
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: dict[str, Rows] = {"by_distance": [], "primes": [], "between": [], "divisors": [], "example": []}
    for run in runs:
        (m,) = lcg_task(run.config.data).moduli
        sequences = run.split().test(m, SEQUENCES[scale], name="attention")
        pattern = attention_patterns(run.predictor(), sequences)[0]  # [sequences, head, query, key]
        key_columns = columns(run)
        mean = attention_by_distance(pattern)
        rows["by_distance"] += rows_of(key_columns, back=range(1, len(mean) + 1), weight=mean)
        for head in range(pattern.shape[1]):
            found, head_columns = lookback_shares(pattern[:, head], m), {**key_columns, "head": head}
            if not found.divisors:
                raise UserError(f"{run.id} has m = {m}, and no divisor of it fits into {len(mean)} numbers")
            rows["primes"] += [{**head_columns, **_prime_shares(each)} for each in found.primes]
            rows["divisors"] += [{**head_columns, **_divisor_shares(each)} for each in found.divisors]
            if is_power_of_two(m):
                rows["between"].append({**head_columns, **_between_powers(pattern[:, head])})
        if run.config.seed == 0 or len(runs) == 1:  # one example per modulus is enough
            rows["example"] += [
                {**key_columns, "query": q, "key": k, "weight": round(float(pattern[0, 0, q, k]), 5)}
                for q in range(pattern.shape[-1])
                for k in range(q + 1)
            ]
    return {name: table(each) for name, each in rows.items()}


def _prime_shares(found: PrimeLookback) -> dict[str, float]:
    strongest, second = (float(share.pooled.value) for share in (found.strongest, found.second))
    return {"prime": found.prime, "strongest": strongest, "second": second, "chance": found.chance}


def _divisor_shares(found: DivisorLookback) -> dict[str, float]:
    strongest = float(found.strongest.pooled.value)
    return {"r": found.divisor, "strongest": strongest, "weight": float(np.mean(found.weight))}


def _between_powers(pattern: Float[np.ndarray, "sequences queries keys"]) -> dict[str, float]:
    """Shares of queries whose two strongest keys are where the paper says; t ≥ 4, without t = 2^k and 2^k + 1."""
    back = strongest_distances(pattern, k=2) + 1
    t = np.arange(1, back.shape[1] + 1)
    power = np.array([largest_power(int(each), 2) for each in t])
    selected = (t >= 4) & (t - power > 1)
    return {
        "strongest": float((back[:, selected, 0] == power[selected]).mean()),
        "second": float((back[:, selected, 1] == power[selected] // 2).mean()),
    }


def evidence(tables: Tables) -> Evidence:
    powers, between = tables["primes"].filter(IS_POWER_OF_TWO), tables["between"]
    first = powers.unique("run", keep="first")
    divisors = tables["divisors"].group_by("run", "modulus", maintain_order=True).agg(pl.col("strongest").sum())
    return {
        "strongest": seed_means(first, "strongest"),
        "second": seed_means(first, "second"),
        # The table is empty where no modulus is a power of two.
        "strongest-between": [] if between.is_empty() else seed_means(between, "strongest"),
        "second-between": [] if between.is_empty() else seed_means(between, "second"),
        "divisors-two-primes": divisors.filter(PRIME_COUNT == 2)["strongest"].to_list(),
        "divisors-three-primes": divisors.filter(PRIME_COUNT == 3)["strongest"].to_list(),
    }


def draw(tables: Tables) -> Pictures:
    """One sequence's pattern, mean weight by look-back for every seed, and the preferred divisors, for each modulus."""
    panels: list[Panel] = []
    for (m,), distances in tables["by_distance"].group_by("modulus", maintain_order=True):
        lines = list(seed_lines(distances, "back", "weight", "one line per seed", 0))
        prime = min(factorize(m))
        ticks = style.powers(prime, max(distances["back"]))
        panels += [
            _pattern_map(m, by_run(tables["example"].filter(modulus=m))[0]),
            LinePanel(f"m = {m}: mean", "numbers back", "mean weight", lines, ticks, limits=(0, None)),
        ]
    yield Picture(panels)


def _pattern_map(m: int, example: pl.DataFrame) -> MapPanel:
    """Queries run downwards, keys to the right; small weights are brightened, so that faint lines show."""
    values = matrix(example, ["query"], "key", "weight")
    brightest = max(max(row[: query + 1]) for query, row in enumerate(values) if query >= len(values) // 8)
    title = f"m = {m}, seed {example['seed'][0]}: one sequence"
    down = Axis("query (place)", limits=(len(values) - 0.5, -0.5))
    return MapPanel(title, "key (place)", down, values, bar="attention weight", limits=(0, brightest), root=True)


EXPERIMENT = Experiment(ENTRY, CLAIMS, all_runs, measure, evidence, draw, task=FixedModulus, archived_seeds=1)
