"""Tests whether unseen primes are harder than unseen powers of two. (fig:um_prime_modulus)

A prime has no digits to copy. The paper does not say with which multipliers a prime was tested; both readings are
judged: primitive roots, whose sequences have period m − 1, and a = 1, the only multiplier of full period, which merely
counts. The small run is trained with two primes and a power of two held out (tables ``accuracy`` and ``metrics``).
"""

import polars as pl

from unrandom.core.arithmetic import is_prime
from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, Unknown, at_least
from unrandom.experiments.experiment import Entry, Picture, Pictures, Run, RunSpec, Scale, by_scale
from unrandom.experiments.summaries import column_lines, mean_or_none
from unrandom.experiments.unseen_modulus.accuracy import counting_rows, last_number_rows
from unrandom.experiments.unseen_modulus.grokking import curves, unseen_columns
from unrandom.experiments.unseen_modulus.presets import Settings, comparison, small_run, variant, with_seeds
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables, table

ENTRY = Entry(
    name="um-primes",
    section="unseen modulus",
    place=7,
    about="unseen primes against an unseen power of two",
    minutes=19,
    figures={"fig:um_prime_modulus": "unseen primes beside a power of two"},
)

MODULI = by_scale(smoke=(23, 31, 32), laptop=(29, 31, 32), paper=(1801, 2039, 2048))

DATA: dict[Scale, Settings] = {
    "laptop": {"min_modulus": 16},  # so that the tested moduli are not the smallest
    "paper": {"n_m": 512, "n_a": 22, "n_c": 23},  # about 262,144 sequences
}

POWER = Precondition("last-number accuracy on the power of two", 0.9)
ROOTS, COUNTING = "primitive roots", "a = 1"
KEYS = {ROOTS: "as-easy-roots", COUNTING: "as-easy-counting"}

CLAIMS = {
    key: Claim(
        statement=f"Unseen primes, tested with {reading}, are as easy as an unseen power of two.",
        quantity="accuracy on the last number, mean over primes over that of the power of two",
        wanted=at_least(0.9, "ratio"),
        written="before" if reading == ROOTS else "after",
    )
    for reading, key in KEYS.items()
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    usual = small_run(scale)
    data = {"test_moduli": MODULI[scale], "test_multipliers": "primitive-root", **DATA.get(scale, {})}
    return with_seeds([variant(usual, {}, data=data)], seeds)


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows = [
        {**row, "reading": ROOTS, "prime": is_prime(row["modulus"])}
        for row in last_number_rows(runs, scale, hard=False)
    ]
    counted = [{**row, "reading": COUNTING, "prime": True} for row in counting_rows(runs, scale)]
    return {"accuracy": table(rows + counted), "metrics": curves(runs)}


def evidence(tables: Tables) -> Evidence:
    accuracy = tables["accuracy"]
    return {
        **{key: _over_power(accuracy, reading) for reading, key in KEYS.items()},
        POWER: mean_or_none(accuracy.filter(~pl.col("prime"))["value"]),
    }


def _over_power(accuracy: pl.DataFrame, reading: str) -> Finding:
    """By run, the mean accuracy on primes, in one reading, over the accuracy on the power of two."""
    primes = pl.col("prime") & (pl.col("reading") == reading)
    if accuracy.filter(primes).is_empty():
        return Unknown(f"primes with {reading} were not measured")
    means = accuracy.group_by("run", maintain_order=True).agg(
        pl.col("value").filter(primes).mean().alias("primes"),
        pl.col("value").filter(~pl.col("prime")).mean().alias("power"),
    )
    learned = means.filter(pl.col("power") > 0)
    return (learned["primes"] / learned["power"]).to_list()


def draw(tables: Tables) -> Pictures:
    """Accuracy by step for each unseen modulus; one line per seed."""
    metrics = tables["metrics"]
    lines = column_lines(metrics, "step", {column: f"m = {m}" for m, column in unseen_columns(metrics).items()})
    yield Picture([LinePanel("unseen moduli", "training step", "last number right", lines)])


EXPERIMENT = comparison(ENTRY, CLAIMS, runs, measure, evidence, draw, presupposes=POWER)
