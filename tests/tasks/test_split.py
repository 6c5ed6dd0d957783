"""Train and test never share a test modulus, nor, by the rule of the configuration, a pair (a, c) or an a or a c."""

import re
from dataclasses import replace
from math import gcd

import numpy as np
import pytest

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.full_period import full_period_multipliers
from unrandom.runs.recipes import recipe
from unrandom.tasks import FixedModulus, UnseenModulus

CASES = [
    FixedModulus(modulus=64, context=8, n_test_a=4, n_test_c=4),
    FixedModulus(modulus=360, context=8, n_test_a=3, n_test_c=8, full_period_share=0.5),
    FixedModulus(modulus=64, context=8, n_test_a=4, n_test_c=4, n_a=10, n_c=7),
    FixedModulus(modulus=2**48 + 1, base=256, context=8, n_test_a=1, n_test_c=9),
    FixedModulus(modulus=2**64, base=256, context=8, full_period_share=0.25),
    UnseenModulus(test_moduli=(50, 64, 61), context=16, n_test_a=5, n_test_c=5),
    UnseenModulus(test_moduli=(50, 64), context=16, n_test_a=5, n_test_c=5, full_period_share=0.5),
    UnseenModulus(test_moduli=(50, 64), context=16, n_m=9, n_a=6, n_c=4, n_test_a=5, n_test_c=5),
]


PAIRS = [config.replace(hold_out="pairs") for config in CASES]


@pytest.mark.parametrize("config", CASES, ids=lambda c: f"{c.name}-{c.largest_modulus}")
@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_held_out_is_never_drawn(config, seed):
    split = config.split(seed)
    drawn = split.draws.draw(stream(seed, "draws"), 3000)
    assert not np.isin(drawn.a, split.withheld.a).any()
    assert not np.isin(drawn.c, split.withheld.c).any()
    moduli = {drawn.modulus(row) for row in range(len(drawn))}
    if config.unseen_moduli:
        assert not moduli & set(config.moduli)
        assert moduli <= set(range(config.smallest_modulus, config.largest_modulus + 1))
    else:
        assert moduli == {config.modulus}
    assert all(0 < int(drawn.a[row]) < drawn.modulus(row) for row in range(len(drawn)))
    assert all(int(drawn.c[row]) < drawn.modulus(row) for row in range(len(drawn)))


@pytest.mark.parametrize("config", PAIRS, ids=lambda c: f"{c.name}-{c.largest_modulus}")
@pytest.mark.parametrize("seed", [0, 1])
def test_held_out_pairs_are_never_drawn_and_their_values_are(config, seed):
    split = config.split(seed)
    kept = {(int(a), int(c)) for part in split.held_out for a in part.multipliers for c in part.increments}
    drawn = split.draws.draw(stream(seed, "draws"), 20_000)
    assert not kept & set(zip(drawn.a.tolist(), drawn.c.tolist(), strict=True))
    split.check(drawn)
    if config.unseen_moduli:
        assert not {*np.unique(drawn.m).tolist()} & set(config.moduli)
    if config.n_a is None and config.largest_modulus < 1000:
        assert set(split.withheld.a.tolist()) <= set(drawn.a.tolist())
        assert set(split.withheld.c.tolist()) <= set(drawn.c.tolist())


def test_every_pair_that_is_not_held_out_is_drawn():
    config = FixedModulus(modulus=30, context=8, n_test_a=1, n_test_c=3, hold_out="pairs")
    split = config.split(0)
    drawn = split.draws.draw(stream(0, "draws"), 40_000)
    (part,) = split.held_out
    every = {(a, c) for a in range(1, 30) for c in range(30)}
    kept = {(int(a), int(c)) for a in part.multipliers for c in part.increments}
    assert set(zip(drawn.a.tolist(), drawn.c.tolist(), strict=True)) == every - kept


def test_a_training_set_of_all_pairs_leaves_out_those_that_are_held_out():
    config = FixedModulus(modulus=16, context=8, n_test_a=2, n_test_c=3, hold_out="pairs", full_period_share=1.0)
    split = config.replace(n_a=4, n_c=8, n_sequences=None).split(0)
    rows = split.draws.product(stream(0, "product"))
    assert len(rows) == 4 * 8 - 2 * 3
    split.check(rows)


def test_a_modulus_whose_every_pair_is_held_out_is_not_trained_on():
    config = UnseenModulus(
        test_moduli=(8,),
        min_modulus=2,
        max_modulus=9,
        context=4,
        n_test_a=9,
        n_test_c=9,
        full_period_share=1.0,
        hold_out="pairs",
    )  # 5 with any odd c; 4 has only the multiplier 1, so that its pairs are left
    assert set(config.split(0).draws.draw(stream(0, "draws"), 500).m.tolist()) == {2, 3, 4, 5, 6, 7, 9}
    prime = UnseenModulus(
        test_moduli=(7, 8),
        min_modulus=2,
        max_modulus=9,
        context=4,
        n_test_a=9,
        n_test_c=9,
        full_period_share=1.0,
        test_multipliers="primitive-root",
        hold_out="pairs",
    )  # a = 1 is tested for the prime 7, with every c from 1 to 6
    assert set(prime.split(0).draws.draw(stream(0, "draws"), 500).m.tolist()) == {9}


@pytest.mark.parametrize("mode", [{"n_sequences": 500}, {"n_sequences": None}, {"mode": "streaming"}])
def test_a_modulus_whose_pools_have_withheld_pairs_alone_is_not_trained_on(mode):
    left_out = 0
    for seed in range(8):
        config = UnseenModulus(
            test_moduli=(27, 32),
            min_modulus=8,
            max_modulus=40,
            context=8,
            n_a=1,
            n_c=1,
            hold_out="pairs",
            full_period_share=1.0,
            n_test_a=8,
            n_test_c=16,
            **mode,
        )
        split = config.split(seed)
        draws = split.draws
        rows = draws.product(stream(seed, "product"))
        left_out += len(split.train_moduli) - len(np.unique(rows.m))
        split.check(rows)
        split.check(draws.draw(stream(seed, "draws"), 300))
    assert left_out


@pytest.mark.parametrize("rule", ["pairs", "values"])
def test_a_leak_is_noticed_by_either_rule(rule):
    config = UnseenModulus(test_moduli=(50, 64), context=16, n_test_a=5, n_test_c=5, hold_out=rule)
    split = config.split(0)
    drawn = split.draws.draw(stream(0, "draws"), 8)
    split.check(drawn)
    a, c = (values.copy() for values in (drawn.a, drawn.c))
    a[3] = split.held_out[0].multipliers[1]
    if rule == "pairs":  # one value of the test alone is allowed
        split.check(replace(drawn, a=a))
        c[3] = split.held_out[0].increments[2]
    with pytest.raises(RuntimeError, match="overlap"):
        split.check(replace(drawn, a=a, c=c))
    with pytest.raises(RuntimeError, match="overlap"):
        split.check(replace(drawn, m=np.full(8, 64, dtype=np.uint64)))


def test_the_validation_moduli_are_held_out_by_the_same_rule():
    config = UnseenModulus(
        test_moduli=(60,), validation_moduli=(64,), context=16, n_test_a=4, n_test_c=4, hold_out="pairs"
    )
    split = config.split(0)
    drawn = split.draws.draw(stream(0, "draws"), 20_000)
    (part,) = split.held_out_for_validation
    assert not part.has(drawn.a, drawn.c).any()
    assert np.isin(part.multipliers, drawn.a).all()


@pytest.mark.parametrize(("rule", "counts"), [("values", (5, 8, 8)), ("pairs", (8, 8, 8))])
def test_by_pairs_all_multipliers_may_be_tested_but_the_one_that_counts(rule, counts):
    config = UnseenModulus(test_moduli=(54, 64, 81), context=16, n_test_a=8, n_test_c=8, hold_out=rule)
    split = config.split(0)
    assert tuple(len(part.multipliers) for part in split.held_out) == counts
    assert all(1 not in part.multipliers for part in split.held_out)


@pytest.mark.parametrize("rule", ["pairs", "values"])
def test_a_prime_is_tested_in_both_readings_and_neither_is_trained_on(rule):
    config = UnseenModulus(
        test_moduli=(61, 64), context=16, n_test_a=5, n_test_c=5, test_multipliers="primitive-root", hold_out=rule
    )
    split = config.split(0)
    counting = split.counting()
    assert [part.modulus for part in counting.held_out] == [61]
    tested = counting.test(61, 50).parameters
    assert set(tested.a.tolist()) == {1}
    assert (tested.periods() == 61).all()
    assert set(tested.c.tolist()) == set(split.held_out[0].increments.tolist())
    drawn = split.draws.draw(stream(0, "draws"), 20_000)
    assert not counting.held_out[0].has(drawn.a, drawn.c).any()
    assert (drawn.a == 1).any()


@pytest.mark.parametrize("config", CASES, ids=lambda c: f"{c.name}-{c.largest_modulus}")
def test_test_sequences_have_full_period_and_only_held_out_parameters(config):
    split = config.split(0)
    for modulus in split.task.moduli:
        test = split.test(modulus, 100).parameters
        assert test.has_full_period().all()
        assert np.isin(test.a, split.withheld.a).all()
        assert np.isin(test.c, split.withheld.c).all()


@pytest.mark.parametrize("seed", range(5))
def test_unseen_moduli_are_not_tested_on_mere_counting(seed):
    split = UnseenModulus(test_moduli=(50, 64, 120), context=16, n_test_a=5, n_test_c=5).split(seed)
    assert all(1 not in part.multipliers for part in split.held_out)


def test_every_pair_of_test_parameters_is_used_as_often_as_another():
    split = FixedModulus(modulus=64, context=8, n_test_a=4, n_test_c=4).split(0)
    test = split.test(64, 48).parameters
    _, counts = np.unique(np.stack([test.a, test.c]), axis=1, return_counts=True)
    assert counts.tolist() == [3] * 16


def test_the_split_is_a_function_of_the_seed(fm_data):
    assert fm_data.split(3).manifest() == fm_data.split(3).manifest()
    assert fm_data.split(3).manifest() != fm_data.split(4).manifest()


def test_n_m_moduli_are_drawn():
    split = UnseenModulus(test_moduli=(50, 64), context=16, n_m=9).split(0)
    assert len(split.train_moduli) == len(set(split.train_moduli)) == 9


def test_a_modulus_with_too_few_multipliers_says_how_many_it_has():
    with pytest.raises(UserError, match=r"251.*1.*64"):
        FixedModulus(modulus=251, context=8).split(0)


def test_full_period_training_needs_multipliers_that_are_left():
    config = FixedModulus(modulus=64, context=8, n_test_a=16, n_test_c=4, full_period_share=0.5)
    with pytest.raises(UserError, match=r"lower data\.n_test_a"):
        config.split(0).draw_training(stream(0, "draws"), 1)


def test_an_unknown_test_modulus_is_refused(fm_data):
    with pytest.raises(UserError, match="65 is not a test modulus"):
        fm_data.split(0).test(65, 1)


def test_validation_moduli_are_held_out_beside_the_test_moduli():
    config = UnseenModulus(
        test_moduli=(32, 27), validation_moduli=(36, 25), context=12, mode="streaming", n_sequences=None
    )
    split = config.split(0)
    assert {part.modulus for part in split.held_out} == {32, 27}
    assert not set(split.train_moduli) & {32, 27, 36, 25}
    validation, test = split.validation_and_test()
    assert [part.modulus for part in validation.held_out] == [36, 25]
    assert test is split
    held = np.concatenate([part.multipliers for part in (*split.held_out, *validation.held_out)])
    assert set(held.tolist()) <= set(split.withheld.a.tolist())
    assert len(split.manifest()["validation"]) == 2


def test_without_validation_moduli_the_held_out_parameters_are_halved():
    split = FixedModulus(modulus=256, context=12, n_test_a=8, n_test_c=6).split(0)
    (validation,), (test,) = (part.held_out for part in split.validation_and_test())
    for first, second in ((validation.multipliers, test.multipliers), (validation.increments, test.increments)):
        assert len(first) == len(second)
        assert not set(first.tolist()) & set(second.tolist())
    few = FixedModulus(modulus=256, context=12, n_test_a=1, n_test_c=1).split(0)
    with pytest.raises(UserError, match="choosing by validation needs 2"):
        few.validation_and_test()


def test_a_modulus_is_not_for_test_and_validation():
    with pytest.raises(ValueError, match="both a test modulus and a validation modulus"):
        UnseenModulus(test_moduli=(32,), validation_moduli=(32,), context=12)


def test_unseen_primes_are_tested_by_primitive_roots_and_the_others_at_full_period():
    config = UnseenModulus(
        test_moduli=(31, 32), context=12, n_test_a=4, n_test_c=4, test_multipliers="primitive-root", n_sequences=64
    )
    split = config.split(0)
    assert (split.test(31, 64).parameters.periods() == 30).all()
    assert (split.test(32, 64).parameters.periods() == 32).all()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"modulus": 16},
            "modulus 16 has 4 full-period multipliers and 8 full-period increments, too few for data.n_test_a=16 and "
            "data.n_test_c=16: set data.n_test_a=1 and data.n_test_c=2",
        ),
        (
            {"modulus": 100},
            "modulus 100 has 5 full-period multipliers, too few for data.n_test_a=16: set data.n_test_a=1",
        ),
        (
            {"modulus": 97, "n_test_a": 64, "test_multipliers": "primitive-root"},
            "modulus 97 has 32 primitive roots, too few for data.n_test_a=64: set data.n_test_a=8",
        ),
        (
            {"modulus": 16, "n_test_a": 1, "n_test_c": 2, "extra_test_multipliers": (1, 5, 9, 13)},
            "modulus 16 has 4 full-period multipliers, of which data.extra_test_multipliers has 4, too few for "
            "data.n_test_a=1: name fewer in data.extra_test_multipliers",
        ),
    ],
)
def test_too_few_values_to_hold_out_name_settings_that_fit(changes, said):
    task = recipe("fm-256").build().data.replace(**changes)
    with pytest.raises(UserError) as raised:
        task.split(0)
    assert str(raised.value) == said
    settings = dict(re.findall(r"data\.(n_test_[ac])=(\d+)", said.partition(": set")[2]))
    if settings:
        task.replace(**{name: int(value) for name, value in settings.items()}).split(0).try_drawing(8)


def test_what_is_left_to_train_on_is_made_more_by_the_settings_that_the_message_names():
    task = recipe("classroom").build().data.replace(full_period_share=1.0, n_test_a=4, n_test_c=8)
    said = r"lower data\.n_test_a to 1 and data\.n_test_c to 2, or set data\.full_period"
    with pytest.raises(UserError, match=said):
        task.split(0).try_drawing(8)
    task.replace(n_test_a=1, n_test_c=2).split(0).try_drawing(8)


@pytest.mark.parametrize(("modulus", "a", "c"), [(16, 5, {1, 11}), (100, 61, {27, 69})])
def test_a_class_tests_a_multiplier_with_the_longest_look_back(modulus, a, c):
    config = recipe("classroom").build().override([f"data.modulus={modulus}", "data.context=48", "seed=7"])
    (held,) = config.data.split(config.split_seed).held_out
    assert (held.multipliers.tolist(), set(held.increments.tolist())) == ([a], c)
    longest = max(modulus // gcd(modulus, other - 1) for other in full_period_multipliers(modulus))
    assert modulus // gcd(modulus, a - 1) == longest


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["data_seed=5"], ""),
        (["data_seed=0"], "the only multiplier of the test is 1, whose sequences count; set another data_seed"),
        (["data.modulus=15"], "whose sequences count; modulo 15 no other has full period"),
    ],
)
def test_a_test_of_counting_alone_is_said_to_be_one(settings, said):
    config = recipe("classroom").build().override(settings)
    caution = config.data.split(config.split_seed).caution
    assert said in caution
    assert bool(caution) == bool(said)
