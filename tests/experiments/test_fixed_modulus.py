"""The verdicts on fixed-modulus experiments follow from their tables: planted tables, known answers."""

from dataclasses import replace

import pytest

from frames import frames
from unrandom.core.errors import UserError
from unrandom.experiments.claims import Bound, Unknown
from unrandom.experiments.fixed_modulus import grokking, lookback_ablation
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import table


def curve(seed, repeated, *, short=100, rule=200, full=200, test=200, steps=400):
    """Metrics of a run whose groups are learned at these steps; None means never."""
    groups = {grokking.SHORT: short, grokking.LONG_NOT_COUNTING: rule, grokking.FULL: full, grokking.TEST: test}
    return [
        {"run": f"{seed}-{repeated}", "seed": seed, "repeated": repeated, "step": step}
        | {key: float(at is not None and step >= at) for key, at in groups.items()}
        for step in range(100, steps + 1, 100)
    ]


def learning(*runs):
    return grokking.learning(table(row for run in runs for row in run))


def verdicts(runs):
    tables = {"metrics": [row for run in runs for row in run]}
    return {each.claim.key: each for each in grokking.EXPERIMENT.judge(frames(tables))}


def test_short_periods_first_and_unseen_parameters_last_is_reproduced():
    fresh = [curve(seed, False) for seed in (0, 1, 2)]
    found = verdicts([*fresh, *(curve(seed, True, test=400) for seed in (0, 1, 2))])
    assert {key: each.verdict for key, each in found.items()} == {
        "solved": "reproduced",
        "solved-repeated": "reproduced",
        "short-first": "reproduced",
        "test-after-train": "reproduced",
    }
    assert found["short-first"].found.value == 2
    assert found["test-after-train"].found.value == 1  # 400 / 200 with repeated data, 200 / 200 with fresh data


def test_a_gap_that_fresh_data_have_too_is_not_reproduced():
    runs = [curve(seed, repeated, test=400) for seed in (0, 1, 2) for repeated in (False, True)]
    assert verdicts(runs)["test-after-train"].verdict == "not reproduced"


def test_a_run_that_never_reaches_the_target_gives_a_bound():
    fresh = [curve(seed, False) for seed in (0, 1, 2)]
    found = verdicts([*fresh, *(curve(seed, True, test=None if seed else 300) for seed in (0, 1, 2))])
    assert found["test-after-train"].verdict == "not judged"  # the runs with repeated data have not learned, on average
    repeated = learning(*(curve(seed, True, test=None if seed else 300) for seed in (0, 1, 2)))
    late = grokking.unseen_last(learning(*fresh), repeated)
    assert isinstance(late, Bound)
    assert (late.limits, late.at_least) == ([0.5, 1.0, 1.0], True)
    slow = grokking.short_first(learning(curve(0, False, rule=None), curve(1, False)))
    assert isinstance(slow, Bound)
    assert slow.limits == [4.0, 2.0]


def test_without_a_control_nothing_is_compared():
    every = learning(curve(0, True))
    assert isinstance(grokking.unseen_last(every.clear(), every), Unknown)


@pytest.mark.parametrize("reading", ["zeroed", "renormalised"])
def test_bit_k_is_not_one_of_the_lost_bits(reading):
    """Bit k is wrong every time and would count as a loss; those above it are judged by themselves."""
    one, two, renormalised = lookback_ablation.READINGS[reading]
    kinds = [("all", None), *((keep, flag) for keep in (one, two, "random 1") for flag in (False, True))]
    kinds += [("heaviest 1", True), ("heaviest 2", True)]
    key_columns = {"run": "r", "seed": 0}
    summary = [{**key_columns, "keep": k, "renormalised": r, "low": 1.0, "high": 1.0} for k, r in kinds]
    digits = [
        {**key_columns, "keep": keep, "renormalised": flag, "digit": f"2^{bit}", "seen": 4, "value": value}
        for keep, flag in kinds
        for bit, value in ((2, 0.0 if keep == one else 1.0), (3, 0.9 if keep == one and flag == renormalised else 1.0))
    ]
    found = lookback_ablation.evidence(frames({"summary": summary, "digits": digits}))
    assert found[f"high-lost-{reading}"] == pytest.approx([0.8])
    assert found["bit-k"] == [0.0]


def test_the_claims_of_both_readings_are_named():
    keys = {claim.key for claim in EXPERIMENTS["fm-lookback-ablation"].claims}
    assert {f"low-kept-{reading}" for reading in lookback_ablation.READINGS} <= keys


def test_the_ablation_refuses_moduli_other_than_powers_of_two(finished_run):
    other = RunSpec("other", finished_run.config.replace(data={"modulus": 60}))
    with pytest.raises(UserError, match="fm-lookback-ablation reads models of powers of two"):
        lookback_ablation.measure([replace(finished_run, spec=other)], "smoke")
