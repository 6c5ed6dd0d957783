"""The verdicts of the scaling experiments are right for tables whose answer is known."""

import pytest

from frames import frames
from unrandom.core.arithmetic import factorize
from unrandom.experiments.claims import Bound, Unknown, judge
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.scaling import fixed_modulus, laws, unseen_modulus, what_helps
from unrandom.experiments.scaling.measurement import moduli_reached_by_all, needed_for
from unrandom.runs.tables import table
from verdicts import verdicts_of


def test_paper_scale_has_the_paper_s_settings():
    planned = EXPERIMENTS["fm-scaling"].runs("paper", 5)
    assert [run.config.data.modulus for run in planned[::5]] == [2**k for k in range(16, 33, 2)]
    largest = planned[-1].config
    assert (largest.data.n_a, largest.data.n_c, largest.data.context_tokens) == (1024, 1024, 2047)
    assert (largest.steps, largest.batch_size, largest.model.d_model, largest.model.depth) == (200_000, 512, 1024, 2)
    held_out = largest.data.split(0)
    assert (len(held_out.held_out[0].multipliers), len(held_out.held_out[0].increments)) == (512, 64)
    assert {0xD9F5, 0x915F77F5} <= set(held_out.extra_multipliers)


def context_rows(gamma, **columns):
    return [
        {"modulus": 2**k, "seed": seed, "group": laws.ARBITRARY, "threshold": threshold,
         "needed": round(100 * 2 ** (gamma * k) + seed), "low": 1, "high": 999, "longest": 10**6, **columns}
        for k in (8, 10, 12, 14, 16) for seed in (0, 1, 2) for threshold in (0.6, 0.9, 0.99, 1.0)
    ]  # fmt: skip


def cost_rows(gamma, paper=10.0**9):
    return [
        {"modulus": 2**k, "seed": seed, "flops": 1e3 * 2 ** (gamma * k) * (1 + seed / 100), "censored": False,
         "papers_flops": paper if k == 16 else None}
        for k in (8, 10, 12, 14, 16) for seed in (0, 1, 2)
    ]  # fmt: skip


def test_the_exponent_is_judged_by_its_interval():
    positions = [
        {"run": f"{k}-{seed}", "modulus": 2**k, "seed": seed, "group": laws.ARBITRARY, "seen": 1, "value": 1.0}
        for k in (8, 16)
        for seed in (0, 1, 2)
    ]
    multipliers = [
        {
            "modulus": 2**16,
            "seed": seed,
            "group": group,
            "multiplier": 8 * a + 5,
            "merit": a / 100,
            "accuracy": 1 - a / 200,
        }
        for seed in (0, 1, 2)
        for group, few in ((laws.ARBITRARY, range(60)), (laws.SPECTRAL, range(60, 70)))
        for a in few
    ]
    bits = [
        {"modulus": 2**16, "seed": seed, "bit": bit, "needed": 2 ** (1 + bit // 2)}
        for seed in (0, 1, 2)
        for bit in range(16)
    ]
    tables = {"context_needed": context_rows(0.25), "positions": positions, "bits": bits, "multipliers": multipliers}
    tables["costs"] = cost_rows(0.25)
    verdicts = verdicts_of("fm-scaling", tables)
    assert verdicts.pop("by-hand") == "not reproduced"  # a hand-written look-back needs 16 to 256
    assert verdicts.pop("few-seeds") == "inconclusive"  # three of three
    assert verdicts.pop("spectral-at-v") == "not reproduced"  # all of these multipliers have v = 2
    assert set(verdicts.values()) == {"reproduced"}
    found = EXPERIMENTS["fm-scaling"].evidence(frames(tables))
    assert found["exponent"].value == pytest.approx(0.25, abs=0.01)
    assert found["merit"] == pytest.approx([-1, -1, -1])
    verdicts = verdicts_of("fm-scaling", {**tables, "context_needed": context_rows(0.4)})
    assert verdicts["exponent"] == "not reproduced"
    verdicts = verdicts_of("fm-scaling", {**tables, "context_needed": context_rows(0.4)[:24]})
    assert verdicts["exponent"] == "not judged"  # two moduli are too few for a law


def test_a_run_that_never_got_there_only_bounds_what_its_modulus_costs():
    exponent, cheaper = (fixed_modulus._compute_exponent, fixed_modulus._times_cheaper)
    rows = cost_rows(0.5)
    assert exponent(table(rows)).value == pytest.approx(0.5)
    assert cheaper(table(rows)) == pytest.approx([10**9 / (256e3 * (1 + seed / 100)) for seed in (0, 1, 2)])
    rows[-1]["censored"] = True
    assert exponent(table(rows)).too_low
    assert exponent(table(rows)).units == 4
    assert cheaper(table(rows)).at_least is False
    assert isinstance(exponent(table(rows[:6])), Unknown)


def test_a_modulus_that_one_seed_does_not_reach_is_left_out_of_the_law():
    rows = context_rows(0.25)
    rows[0] = {**rows[0], "needed": None}
    assert set(moduli_reached_by_all(needed_for(table(rows), 0.6))["modulus"]) == {2**k for k in (10, 12, 14, 16)}
    assert set(moduli_reached_by_all(needed_for(table(rows), 0.9))["modulus"]) == {2**k for k in (8, 10, 12, 14, 16)}


def test_the_law_of_the_best_seed_takes_every_modulus_that_one_seed_reached():
    rows = [{**row, "group": "arbitrary"} for row in context_rows(0.25)]
    lost = [{**row, "needed": None} if row["seed"] == 1 else row for row in rows]
    assert any(row["needed"] is None for row in lost)
    assert any(row["needed"] for row in lost)
    found = laws.laws(table(lost), 0.9)
    assert found["all"] is None
    assert found["least"].exponent.units == 5
    assert found["least"].exponent.value == pytest.approx(0.25, abs=0.02)


def test_own_prime_compares_each_prime_in_both_bases_seed_by_seed():
    rows = [
        {"seed": seed, "base": base, "prime": prime, "modulus": prime**3, "accuracy": accuracy + 0.01 * seed * own}
        for seed in (0, 1, 2)
        for base in (16, 27)
        for prime, own in ((2, base == 16), (3, base == 27), (5, False))
        for accuracy in [0.5 + 0.2 * own if prime < 5 else base / 100]
    ]
    assert unseen_modulus.own_prime(table(rows)) == pytest.approx([0.2, 0.21, 0.22])


@pytest.mark.parametrize("scale", ["smoke", "laptop", "overnight", "paper"])
def test_unseen_moduli_are_above_the_context_and_three_of_the_prime_of_each_base(scale):
    for planned in EXPERIMENTS["um-scaling"].runs(scale, 1):
        data = planned.config.data
        assert min(data.test_moduli) > data.context
        for base in unseen_modulus.BASES[scale]:
            (prime,) = factorize(base)
            assert sum(m % prime == 0 for m in data.test_moduli) >= 3


def helps(track="open", /, **interventions):
    """Table rows of runs: for each intervention and seed, compute, whether it is censored, and context needed."""
    return [
        {"intervention": name, "seed": seed, "flops": flops, "censored": censored, "context_needed": elements,
         "track": track,
         "final": 0.2 if censored else 1.0}
        for name, of in interventions.items() for seed, (flops, censored, elements) in enumerate(of)
    ]  # fmt: skip


def test_moduli_that_were_not_solved_could_only_make_the_exponent_larger():
    rows = context_rows(0.1)
    for row in rows:
        row["needed"] = None if row["modulus"] == 2**16 else row["needed"]
    claims = {claim.key: claim for claim in EXPERIMENTS["fm-scaling"].claims}
    found = fixed_modulus._exponent(table(rows))
    assert found.too_low
    assert judge(claims["exponent"], found, {}).verdict == "not judged"
    every = fixed_modulus._exponent(table(context_rows(0.1)))
    assert judge(claims["exponent"], every, {}).verdict == "reproduced"


@pytest.mark.parametrize("bases", [(16, 27), (16,)])
def test_the_law_of_unseen_moduli_is_that_of_both_bases(bases):
    def rows(base, prime, gamma, reached=4):
        return [
            {"base": base, "prime": prime, "modulus": prime**k, "seed": seed, "threshold": 0.6,
             "needed": round(100 * prime ** (gamma * k)) if k < 3 + reached else None}
            for k in (3, 4, 5, 6) for seed in (0, 1, 2)
        ]  # fmt: skip

    elements = rows(16, 2, 0.2) + rows(27, 3, 0.4, reached=4 if 27 in bases else 1)
    found = unseen_modulus.own_exponent(table(elements))
    if len(bases) == 1:
        assert isinstance(found, Unknown)
    else:
        assert found.value == pytest.approx(0.3, abs=0.02)
        assert found.low < 0.3 < found.high


def test_compute_is_compared_seed_by_seed():
    rows = table(helps(plain=[(10.0, False, 30), (20.0, False, 30)], rotary=[(30.0, False, None), (30.0, False, None)]))
    assert what_helps.ratio(rows, "rotary", "plain") == [3.0, 1.5]
    assert isinstance(what_helps.ratio(rows, "rotary", "plain", "context_needed"), Unknown)


def test_censored_runs_give_a_bound_without_an_interval():
    rows = helps(
        plain=[(10.0, False, 30)] * 3, late=[(30.0, True, None), (30.0, True, None), (20.0, False, 30)],
        never=[(50.0, True, None)] * 3,
    )  # fmt: skip
    rows = table(rows)
    least = what_helps.ratio(rows, "late", "plain")
    assert isinstance(least, Bound)
    assert (least.at_least, least.value, least.why) == (True, 2.0, "2 of 3 runs never reached 90 % (late)")
    most = what_helps.ratio(rows, "plain", "never")
    assert isinstance(most, Bound)
    assert (most.at_least, most.value) == (False, 0.2)
    assert isinstance(what_helps.ratio(rows, "late", "never"), Unknown)
    assert what_helps.finding_columns("x", least) == {"x": 2.0, "x_bound": "≥", "x_low": None, "x_high": None}


def test_muon_is_judged_by_the_compute_of_censored_adamw_runs():
    adamw = {"AdamW, rate 0.001": [(40.0, True, None)] * 3, "AdamW, rate 0.003": [(40.0, True, None)] * 3}
    others = (what_helps.MIXED, what_helps.CURRICULUM, what_helps.GROWN, what_helps.ROTARY, what_helps.DEEPER)
    plain = {what_helps.PLAIN: [(10.0, False, 30), (11.0, False, 30), (12.0, False, 30)]}
    rows = helps(**dict.fromkeys(others, plain[what_helps.PLAIN])) + helps(what_helps.NEUTRAL, **plain, **adamw)
    judged = {j.claim.key: j for j in what_helps.EXPERIMENT.judge(frames({"runs": rows}))}
    assert judged["muon"].verdict == "reproduced"
    assert judged["muon"].to_json()["interval"] is None
    assert judged["curriculum"].verdict == "not reproduced"
    for row in rows:
        row["final"] = 0.2
    again = what_helps.EXPERIMENT.judge(frames({"runs": rows}))
    assert {each.verdict for each in again} == {"not judged"}  # the plain run has learned nothing
