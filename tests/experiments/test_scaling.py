"""The scaling experiments judge what they say they judge, from tables whose answer is known."""

import pytest

from unrandom.data import make_split
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.scaling import fixed_modulus, runs, unseen_modulus, what_helps
from unrandom.experiments.scaling.elements import needed_by_modulus, reached
from unrandom.generators.spectral import best_multipliers


@pytest.mark.parametrize("modulus", [2**4, 2**6, 2**8])
def test_the_spectrally_good_are_what_the_spectral_test_finds(modulus):
    assert runs.SPECTRALLY_GOOD[modulus] == best_multipliers(modulus, len(runs.SPECTRALLY_GOOD[modulus]))


def test_the_paper_s_scale_is_the_paper_s():
    planned = EXPERIMENTS["fm-scaling"].runs("paper", 5)
    assert [run.config.data.modulus for run in planned[::5]] == [2**k for k in range(16, 33, 2)]
    largest = planned[-1].config
    assert (largest.data.n_a, largest.data.n_c, largest.data.context_tokens) == (1024, 1024, 2047)
    assert (largest.steps, largest.batch_size, largest.model.d_model, largest.model.depth) == (200_000, 512, 1024, 2)
    held_out = make_split(largest.data, 0)
    assert (len(held_out.held_out[0].multipliers), len(held_out.held_out[0].increments)) == (512, 64)
    assert {0xD9F5, 0x915F77F5} <= set(held_out.extra_multipliers)


def element_rows(gamma, **columns):
    return [
        {"modulus": 2**k, "seed": seed, "group": fixed_modulus.ARBITRARY, "threshold": threshold,
         "needed": round(100 * 2 ** (gamma * k) + seed), "low": 1, "high": 999, "longest": 10**6, **columns}
        for k in (8, 10, 12, 14, 16) for seed in (0, 1) for threshold in (0.6, 0.9, 0.99, 1.0)
    ]  # fmt: skip


def test_the_exponent_is_judged_by_its_interval():
    positions = [
        {"run": f"{k}-{seed}", "modulus": 2**k, "seed": seed, "group": fixed_modulus.ARBITRARY, "seen": 1, "value": 1.0}
        for k in (8, 16)
        for seed in (0, 1)
    ]
    multipliers = [
        {"modulus": 2**16, "seed": seed, "group": group, "multiplier": a, "merit": a / 100, "accuracy": 1 - a / 200}
        for seed in (0, 1)
        for group, few in ((fixed_modulus.ARBITRARY, range(60)), (fixed_modulus.SPECTRAL, range(60, 70)))
        for a in few
    ]
    bits = [
        {"modulus": 2**16, "seed": seed, "bit": bit, "needed": 2 ** (1 + bit // 2)}
        for seed in (0, 1)
        for bit in range(16)
    ]
    tables = {"elements": element_rows(0.25), "positions": positions, "bits": bits, "multipliers": multipliers}
    found = EXPERIMENTS["fm-scaling"].evidence(tables)
    verdicts = {claim.key: claim.judge(found[claim.key]).verdict for claim in EXPERIMENTS["fm-scaling"].claims}
    assert verdicts.pop("by-hand") == "not reproduced"  # look-back by hand needs 16 to 256
    assert set(verdicts.values()) == {"reproduced"}
    assert found["exponent-low"].value == pytest.approx(0.25, abs=0.01)
    assert found["merit"].value == pytest.approx(-1)
    tables["elements"] = element_rows(0.4)
    found = EXPERIMENTS["fm-scaling"].evidence(tables)
    verdicts = {claim.key: claim.judge(found[claim.key]).verdict for claim in EXPERIMENTS["fm-scaling"].claims}
    assert verdicts["exponent-low"] == "reproduced"
    assert verdicts["exponent-high"] == "not reproduced"


def test_a_modulus_that_one_seed_does_not_reach_is_no_part_of_the_law():
    rows = element_rows(0.25)
    rows[0] = {**rows[0], "needed": None}
    assert reached(needed_by_modulus(rows, 0.6)).keys() == {2**k for k in (10, 12, 14, 16)}
    assert reached(needed_by_modulus(rows, 0.9)).keys() == {2**k for k in (8, 10, 12, 14, 16)}


def test_the_law_of_the_best_seed_takes_every_modulus_that_one_seed_reached():
    rows = [{**row, "group": "arbitrary"} for row in element_rows(0.25)]
    lost = [{**row, "needed": None} if row["seed"] == 1 else row for row in rows]
    assert any(row["needed"] is None for row in lost)
    assert any(row["needed"] for row in lost)
    laws = fixed_modulus._laws(lost, 0.9)
    assert laws["all"] is None
    assert laws["least"].exponent.units == 5
    assert laws["least"].exponent.value == pytest.approx(0.25, abs=0.02)


def test_own_prime_compares_each_prime_in_both_bases():
    rows = [
        {"run": str(base), "base": base, "prime": prime, "modulus": prime**3, "accuracy": accuracy + 0.1 * (pair % 2)}
        for base in (16, 27)
        for prime, accuracy in ((2, 0.5 + 0.2 * (base == 16)), (3, 0.4 + 0.2 * (base == 27)), (5, base / 100))
        for pair in range(40)
    ]
    found = unseen_modulus._own_prime(rows)
    assert found.value == pytest.approx(0.2)
    assert 0.15 < found.low < 0.2 < found.high < 0.25
    assert found.units == 4


def test_a_winner_that_never_gets_there_has_not_won():
    rows = [
        {"means": means, "seed": 0, "flops": flops, "censored": True, "elements": None, "track": "open"}
        for means, flops in ((what_helps.PLAIN, 10.0), ("AdamW, rate 0.001", 20.0))
    ]
    found = EXPERIMENTS["fm-what-helps"].evidence({"runs": rows})
    assert found["muon"] == [0.0]


def test_compute_is_compared_seed_by_seed_and_a_run_that_never_gets_there_counts_whole():
    rows = [
        {"means": means, "seed": seed, "flops": flops, "censored": False, "elements": elements, "track": "open"}
        for means, flops, elements in ((what_helps.PLAIN, 10.0, 30), (what_helps.ROTARY, 30.0, None))
        for seed in (0, 1)
    ]
    assert what_helps._ratios(rows, what_helps.ROTARY, what_helps.PLAIN, "flops") == {0: 3.0, 1: 3.0}
    assert what_helps._ratios(rows, what_helps.ROTARY, what_helps.PLAIN, "elements") == {}
    (plain, rotary) = what_helps._summary(rows)
    assert (rotary["compute_ratio"], rotary["elements_ratio"], plain["elements_ratio"]) == (3.0, None, 1.0)
