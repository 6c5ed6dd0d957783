"""Finds the digits that the two strongest attention lines carry. (fig:digits_topk)

The paper: with only the key at t − p^k left, the k low digits stay right and the high ones are lost; the key at
t − p^(k−1) restores them. In one-layer models of powers of two, all other attention weights are set to zero. The paper
does not say whether the remaining ones are rescaled; its public code masks before the softmax, so that they are
(*renormalised*: the paper's own reading). They are also left as they are (*zeroed*). That code keeps the heaviest keys
in place of those at t − p^k and t − p^(k−1), which is a third reading (*heaviest*). A random key is the control. The
tables are ``digits`` (accuracy by digit and position) and ``summary`` (low and high digits).
"""

import polars as pl

from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.errors import UserError
from unrandom.experiments.claims import Claim, Evidence, Finding, LateClaim, Origin, Written, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.fixed_modulus.accuracy import columns
from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, fast_runs
from unrandom.experiments.summaries import by_run, rows_of, seed_means
from unrandom.figures.panels import digit_map
from unrandom.generators.residues import digits_of
from unrandom.interpretation import lookback_ablation
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus, lcg_split, lcg_task

ENTRY = Entry(
    name="fm-lookback-ablation",
    section="fixed modulus",
    place=6,
    about="which digits the two strongest attention lines carry",
    minutes=6.2,
    figures={"fig:digits_topk": "digits that survive with one or two attention lines"},
)

SEQUENCES = by_scale(smoke=16, laptop=1024)
ONE_KEY, TWO_KEYS = "t-p^k", "t-p^k, t-p^(k-1)"
BIT_INDEX = pl.col("digit").str.strip_prefix("2^").cast(pl.Int64)  # the index w of the digit 2^w
ABLATION_COLUMNS = ("keep", "renormalised")
PAPERS = "renormalised"  # the reading of the paper's public code
# By reading: the meaning of one key and of two, and whether the remaining weights are rescaled to sum to 1
READINGS = {
    "zeroed": (ONE_KEY, TWO_KEYS, False),
    PAPERS: (ONE_KEY, TWO_KEYS, True),
    "heaviest": ("heaviest 1", "heaviest 2", True),
}
# What is drawn, with titles
TITLES = {
    ("all", None): "all attention",
    ("random 1", True): "only a look-back at random",
    (ONE_KEY, True): "only the look-back 2ᵏ",
    (TWO_KEYS, True): "only 2ᵏ and 2ᵏ⁻¹",
    ("heaviest 1", True): "only the heaviest key",
    ("heaviest 2", True): "only the two heaviest keys",
    (ONE_KEY, False): "only 2ᵏ, its weight as it was",
    (TWO_KEYS, False): "only 2ᵏ and 2ᵏ⁻¹, weights as they were",
}


def _claims(reading: str) -> dict[str, Claim]:
    """The paper's claims on its ablation, in one reading of "mask (zero) out the attention weights"."""
    written: Written = "before" if reading == PAPERS else "after"
    origin: Origin = "paper" if reading == PAPERS else "beyond"
    one, other = (
        ("the heaviest key", "the second heaviest key")
        if reading == "heaviest"
        else ("the key at t − 2^k", "the key at t − 2^(k−1)")
    )
    return {
        f"low-kept-{reading}": Claim(
            statement=f"With only {one} left ({reading}), the k low bits stay right.",
            quantity="accuracy of the bits below k",
            wanted=at_least(0.9, "share"),
            written=written,
            origin=origin,
        ),
        f"high-lost-{reading}": LateClaim(
            statement=f"With only {one} left ({reading}), the bits above bit k are lost.",
            quantity="their accuracy above chance, over that without ablation",
            wanted=at_most(0.25, "ratio"),
            origin=origin,
        ),
        f"high-restored-{reading}": Claim(
            statement=f"With {other} left too ({reading}), bit k and those above come back.",
            quantity="their accuracy above chance, over that without ablation",
            wanted=at_least(0.5, "ratio"),
            written=written,
            origin=origin,
        ),
    }


CLAIMS = {
    **{key: claim for reading in READINGS for key, claim in _claims(reading).items()},
    "faint-lines": LateClaim(
        statement="The other, fainter lines help with the high bits: two keys alone do not restore all of them.",
        quantity="accuracy above chance of bit k and those above with two keys (renormalised), over that without "
        "ablation",
        wanted=at_most(0.9, "ratio"),
    ),
    "control": Claim(
        statement="A random key instead of that at t − 2^k (renormalised) does not keep the low bits.",
        quantity="accuracy of the bits below k",
        wanted=at_most(0.75, "share"),
        origin="beyond",
    ),
    "bit-k": LateClaim(
        statement="Bit k itself is copied from t − 2^k, where it was the opposite: it comes out wrong every time.",
        quantity="accuracy of bit k with only that key left (renormalised)",
        wanted=at_most(0.1, "share"),
        origin="beyond",
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    return fast_runs(scale, seeds, POWERS_OF_TWO[scale])


def measure(runs: list[Run], scale: Scale) -> Tables:
    digits: Rows = []
    summary: Rows = []
    for run in runs:
        (m,) = lcg_task(run.config.data).moduli
        if not is_power_of_two(m):
            raise UserError(f"{run.id} has m = {m}; fm-lookback-ablation reads models of powers of two")
        sequences = lcg_split(run.split()).test(m, SEQUENCES[scale], name="ablation")
        for ablation in lookback_ablation(run.predictor(), sequences, p=2, seed=run.config.seed):
            key_columns = {**columns(run), "keep": ablation.keep, "renormalised": ablation.renormalised}
            shares = ablation.digit_shares()
            low, high = (float(share.pooled.value) for share in (shares.low, shares.high))
            summary.append({**key_columns, "low": low, "high": high})
            for digit, tally in ablation.by_digit().items():
                seen = range(1, len(tally.value) + 1)
                digits += rows_of({**key_columns, "digit": digit}, seen=seen, value=tally.value)
    return {"summary": table(summary), "digits": table(digits)}


def evidence(tables: Tables) -> Evidence:
    """Bits above k are judged without bit k: its copy is always wrong and would count as a loss."""
    key_columns = ("run", "seed")
    by_bit = _accuracy_by_bit(tables["digits"])
    ablations = tables["summary"].join(
        by_bit, on=[*key_columns, *ABLATION_COLUMNS], nulls_equal=True, maintain_order="left"
    )
    before = ablations.filter(keep="all").select(*key_columns, high_before="high", above_before="above")
    ablations = ablations.join(before, on=key_columns, maintain_order="left")
    # A model that never had the high bits cannot lose them.
    with_high_bits = ablations.filter(pl.min_horizontal("high_before", "above_before") - 0.5 > 0.05)
    lost, restored = (
        with_high_bits.with_columns(value=(pl.col(left) - 0.5) / (pl.col(f"{left}_before") - 0.5))
        for left in ("above", "high")
    )
    found: dict[str, Finding] = {}
    for reading, (*keys, renormalised) in READINGS.items():
        one, two = ({"keep": keep, "renormalised": renormalised} for keep in keys)
        found |= {
            f"low-kept-{reading}": seed_means(ablations.filter(**one), "low"),
            f"high-lost-{reading}": seed_means(lost.filter(**one)),
            f"high-restored-{reading}": seed_means(restored.filter(**two)),
        }
    found["faint-lines"] = found[f"high-restored-{PAPERS}"]
    found["control"] = seed_means(ablations.filter(keep="random 1", renormalised=True), "low")
    found["bit-k"] = seed_means(ablations.filter(keep=ONE_KEY, renormalised=True), "bit k")
    return found


def _accuracy_by_bit(digits: pl.DataFrame) -> pl.DataFrame:
    """Mean accuracy for each ablation, of bit k = ⌊log2 t⌋ alone and of the bits above it, over t ≥ 2."""
    seen, weight, value = pl.col("seen"), pl.lit(2).pow(BIT_INDEX), pl.col("value")  # 2^k ≤ seen < 2^(k+1)
    at_k, above = (weight <= seen) & (2 * weight > seen), weight > seen
    groups = digits.filter(seen >= 2).group_by("run", "seed", *ABLATION_COLUMNS)
    return groups.agg(value.filter(at_k).mean().alias("bit k"), value.filter(above).mean().alias("above"))


def draw(tables: Tables) -> Pictures:
    """Digit accuracies of the first seed: without ablation, and with each one that a claim speaks about."""
    first = by_run(tables["digits"])[0]
    digits = [str(digit) for digit in digits_of(first["modulus"][0])]
    panels = []
    for (keep, renormalised), title in TITLES.items():
        kept = first.filter(pl.col("keep") == keep, pl.col("renormalised").eq_missing(pl.lit(renormalised)))
        values = [of_digit["value"].to_list() for of_digit in kept.partition_by("digit", maintain_order=True)]
        seen = kept["seen"].unique(maintain_order=True).to_list()
        panels.append(digit_map(f"m = {first['modulus'][0]}: {title}", digits, values, seen))
    yield Picture(panels)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=FixedModulus, archived_seeds=1)
