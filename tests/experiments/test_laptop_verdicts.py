"""The published verdicts at laptop scale agree with a recomputation from the saved tables, by other means.

Three claims of each verdict, and claims of each kind of interval: Student's t, Wilson's, a regression's, a bound.
"""

import tomllib
from pathlib import Path

import numpy as np
import polars
import pytest
from scipy.stats import binomtest, linregress, spearmanr, t, ttest_1samp

from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.reproduce import all_judgements

RESULTS = Path(__file__).parents[2] / "results"
LAPTOP = RESULTS / "laptop"


@pytest.fixture(scope="module")
def published():
    rows = all_judgements(list(EXPERIMENTS.values()), "laptop", RESULTS)
    return {(row["experiment"], row["key"]): row for row in rows}


def table(name):
    return polars.read_parquet(LAPTOP / f"{name}.parquet")


def last_by_run(name, *, order="seen", value="value", **wanted):
    """The last value of each seed's run, in the order of the seeds."""
    frame = table(name).filter(**wanted).sort("seed", order)
    return frame.group_by("seed", maintain_order=True).last()[value].to_list()


def agrees(row, values, verdict):
    """Check a verdict with scipy's one-sample t-test over seeds."""
    interval = ttest_1samp(values, 0).confidence_interval(0.95)
    low, high = interval.low, interval.high
    if row["unit"] == "share":
        low, high = max(low, 0), min(high, 1)
    assert row["value"] == pytest.approx(np.mean(values), abs=2e-4)
    assert row["interval"] == pytest.approx([low, high], abs=1e-3)
    assert row["units"] == len(values)
    sign, threshold = row["threshold"].split()
    above, below = low >= float(threshold), high < float(threshold)
    if sign == "≤":
        above, below = high <= float(threshold), low > float(threshold)
    assert row["verdict"] == verdict == ("reproduced" if above else "not reproduced" if below else "inconclusive")


def test_reproduced(published):
    repeated = last_by_run("fm-grokking/metrics", order="step", value="last_number_accuracy", repeated=True)
    agrees(published["fm-grokking", "solved-repeated"], repeated, "reproduced")
    neurons = table("fm-neurons/periods").filter(polars.col("alive") & (polars.col("frequency") > 0))
    periodic = neurons.group_by("seed").agg((polars.col("beyond") >= 0.99).mean()).sort("seed")["beyond"].to_list()
    agrees(published["fm-neurons", "periodic"], periodic, "reproduced")
    parity = table("fm-embedding/shares").filter(modulus=256, residue=2, component=1).sort("seed")["share"].to_list()
    agrees(published["fm-embedding", "parity"], parity, "reproduced")
    staircase = table("fm-staircase/digits").filter(polars.col("seen") >= digit_period(polars.col("digit")))
    runs = staircase.group_by("run", "seed").agg(polars.col("value").mean())
    seeds = runs.group_by("seed").agg(polars.col("value").mean()).sort("seed")["value"].to_list()
    agrees(published["fm-staircase", "digits"], seeds, "reproduced")


def digit_period(digit):
    base, power = (digit.str.split("^").list.get(i).cast(polars.Int64) for i in (0, 1))
    return base.pow(power + 1)


def test_not_reproduced(published):
    pairs = table("fm-invariance/pairs").with_columns(share=polars.col("correct") / polars.col("total"))
    spread = (polars.col("share").max() - polars.col("share").min()).alias("spread")
    ranges = pairs.group_by("seed", "seen").agg(spread).group_by("seed").agg(polars.col("spread").max())
    agrees(published["fm-invariance", "on-top"], ranges.sort("seed")["spread"].to_list(), "not reproduced")
    positions = table("fm-staircase/positions").with_columns(gap=(polars.col("value") - polars.col("product")).abs())
    gaps = (
        positions.group_by("seed", "modulus")
        .agg(polars.col("gap").max())
        .group_by("seed")
        .agg(polars.col("gap").mean())
    )
    agrees(published["fm-staircase", "product"], gaps.sort("seed")["gap"].to_list(), "not reproduced")


def test_inconclusive(published):
    correlations = []
    for seed in (0, 1, 2):
        at = table("fm-scaling/multipliers").filter(polars.col("multiplier") % 8 == 5, modulus=2**16, seed=seed)
        correlations.append(spearmanr(at["merit"], at["accuracy"]).statistic)
    agrees(published["fm-scaling", "merit"], correlations, "inconclusive")
    jumps = []
    for seed in (0, 1, 2):
        curve = table("fm-staircase/positions").filter(modulus=256, seed=seed).sort("seen")["value"].to_list()
        rises = sum(curve[k] - curve[k - 2] for k in (4, 8, 16, 32))  # index k: the guess after k + 1 numbers
        jumps.append(rises / (max(curve) - curve[0]))
    agrees(published["fm-staircase", "jumps"], jumps, "inconclusive")
    runs = table("fm-what-helps/runs")
    half, plain = (
        runs.filter(polars.col("intervention").str.starts_with(name)).sort("seed")["flops"]
        for name in ("half", "plain")
    )
    agrees(published["fm-what-helps", "full-period"], (half / plain).to_list(), "inconclusive")
    rotary = runs.filter(polars.col("intervention").str.starts_with("rotary")).sort("seed")["flops"]
    agrees(published["fm-what-helps", "abacus"], (rotary / plain).to_list(), "inconclusive")


@pytest.mark.parametrize("name", ["um-grokking", "um-lookback", "um-digits"])
def test_the_algorithm_for_unseen_moduli_is_judged_only_where_no_shortcut_does_as_well(published, name):
    """What a look-back of one distance predicts is counted here by trying all multipliers."""
    trained = table(f"{name}/trained")
    moduli, context = (96, 98, 100, 108), 23
    of_stride = {
        s: np.mean([np.mean([s**2 % (m // np.gcd(m, k)) == 0 for k in differences(m)]) for m in moduli])
        for s in range(1, context // 2 + 1)
    }
    assert trained["shortcut"].to_list() == pytest.approx([max(of_stride.values())] * len(trained), abs=1e-5)
    accuracy, shortcut = trained["accuracy"].mean(), trained["shortcut"].mean()
    rows = [row for (experiment, key), row in published.items() if experiment == name and key != "solved"]
    assert all("beyond that of the best fixed look-back" in row["precondition"] for row in rows)
    assert ({row["verdict"] for row in rows} == {"not judged"}) == (accuracy - shortcut < 0.4)


def differences(m):
    """a − 1 of the full-period multipliers a of m other than 1, by trying all."""
    primes = [p for p in range(2, m + 1) if m % p == 0 and all(p % q for q in range(2, p))]
    return [k for k in range(1, m) if all(k % p == 0 for p in primes) and (m % 4 or k % 4 == 0)]


def test_not_judged(published):
    learned = table("um-primes/accuracy").filter(prime=False)["value"].mean()
    row = published["um-primes", "as-easy-roots"]
    assert row["verdict"] == "not judged"
    assert float(row["reason"].rsplit(" ", 1)[1]) == pytest.approx(learned, abs=1e-3)
    assert learned < 0.9
    spread = table("fm-seeds/context_needed").filter(threshold=0.99, data_seed=0)["needed"]
    row = published["fm-seeds", "model-spread"]
    assert (row["verdict"], row["units"], row["value"]) == ("not judged", 1, spread.max() / spread.min())


def test_the_ratio_to_lookback_is_that_of_the_moduli_of_every_seed(published):
    needed = table("fm-scaling/context_needed").filter(group="arbitrary", threshold=0.99)
    of_every_seed = needed.filter(polars.len().over("modulus") == 3)
    ratio = (polars.col("needed") / polars.col("modulus").sqrt()).mean().alias("ratio")
    ratios = of_every_seed.group_by("seed").agg(ratio)["ratio"].to_list()
    agrees(published["fm-scaling", "by-hand"], ratios, "reproduced")


def test_every_claim_was_run(published):
    assert not [key for key, row in published.items() if row["verdict"] == "not run"]


def test_a_share_of_independent_runs_is_wilson_s(published):
    last = last_of_each_run("fm-seeds/positions", data_seed=0)
    found = binomtest(int((last >= 0.99).sum()), len(last)).proportion_ci(method="wilson")
    row = published["fm-seeds", "success"]
    assert row["interval"] == pytest.approx([found.low, found.high], abs=1e-3)
    assert row["verdict"] == "reproduced"
    assert found.low >= 0.5


def last_of_each_run(name, **wanted):
    return table(name).filter(**wanted).sort("run", "seen").group_by("run").last()["value"]


def test_a_law_is_a_regression_over_moduli(published):
    needed = table("fm-scaling/context_needed").filter(group="arbitrary", threshold=1.0).drop_nulls("needed")
    least = needed.group_by("modulus").agg(polars.col("needed").min()).sort("modulus")
    line = linregress(np.log(least["modulus"]), np.log(least["needed"]))
    reach = t.ppf(0.975, len(least) - 2) * line.stderr
    row = published["fm-scaling", "exponent"]
    assert row["interval"] == pytest.approx([line.slope - reach, line.slope + reach], abs=1e-3)
    assert row["verdict"] == "inconclusive"
    assert line.slope - reach < 0.3 < line.slope + reach
    small = needed.filter(polars.col("modulus") <= 2**12).group_by("modulus")
    seeds = small.agg(polars.len(), polars.col("needed").unique()).sort("modulus")
    assert seeds.rows() == [(2**8, 3, [16]), (2**10, 3, [32]), (2**12, 3, [64])]  # √m, without a residual


def test_a_ratio_with_censored_runs_is_a_bound(published):
    runs = table("fm-what-helps/runs").sort("seed")
    plain = runs.filter(polars.col("intervention").str.starts_with("plain"))
    assert not plain["censored"].any()
    for key, name, verdict in (("muon", "AdamW, rate 0.001", "reproduced"), ("grown", "from a", "not reproduced")):
        other = runs.filter(polars.col("intervention").str.starts_with(name))
        assert other["censored"].any()
        ratios = other["flops"] / plain["flops"] if key == "muon" else plain["flops"] / other["flops"]
        row = published["fm-what-helps", key]
        assert row["interval"] is None
        assert row["value"] == pytest.approx(ratios.min() if key == "muon" else ratios.max(), abs=1e-3)
        assert (row["bound"], row["verdict"]) == ("≥" if key == "muon" else "≤", verdict)


def test_no_verdict_contradicts_its_interval(published):
    for row in published.values():
        if row["verdict"] in ("reproduced", "not reproduced") and row["interval"] is not None:
            low, high = row["interval"]
            assert not low < float(row["threshold"].split()[1]) < high, (row["experiment"], row["key"])
            assert row["units"] >= 3


def test_no_note_is_out_of_date(published):
    notes = tomllib.loads((LAPTOP / "notes.toml").read_text())
    for experiment, claims in notes.items():
        for key, note in claims.items():
            assert published[experiment, key]["verdict"] == note["verdict"], (experiment, key)
