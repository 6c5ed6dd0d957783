"""Skipping sequences have the digits of a smaller LCG above digits that stand still, and are never of the test."""

from itertools import product
from math import gcd

import numpy as np
import pytest
from scipy.stats import chisquare

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.full_period import full_period_multipliers, lookback
from unrandom.generators.lcg import LCG
from unrandom.tasks import FixedModulus, Phase, UnseenModulus
from unrandom.tasks.permuted_lcg import PermutedLCG
from unrandom.tasks.quadratic import Quadratic
from unrandom.tasks.skipping import skips_of
from unrandom.tasks.truncated_lcg import TruncatedLCG

SKIPS = {"full_period_share": 1.0, "skipping_share": 1.0}
STREAM = {"context": 8, "mode": "streaming", "n_sequences": None}


def fixed(modulus: int, **changes) -> FixedModulus:
    held = {"n_test_a": min(4, max(1, modulus // 64)), "n_test_c": min(4, max(1, modulus // 16))}
    return FixedModulus(**{**STREAM, **SKIPS, "modulus": modulus, "base": 16, **held, **changes})


def drawn(task, rows: int = 2000):
    split = task.split(0)
    parameters = split.draw_training(stream(0, "draws"), rows)
    split.check(parameters)
    return parameters


def skip_of(lcg: LCG, x0: int) -> int:
    """The largest divisor of m modulo which the sequence stands still."""
    return gcd(lcg(x0) - x0, lcg.m)


def sequences(parameters) -> list[tuple[LCG, int]]:
    rows = zip(parameters.a.tolist(), parameters.c.tolist(), parameters.x0.tolist(), strict=True)
    return [(LCG(parameters.modulus(row), a, c), x0) for row, (a, c, x0) in enumerate(rows)]


@pytest.mark.parametrize("balanced", [0.0, 1.0])
@pytest.mark.parametrize("modulus", [2**10, 6**4, 3**7, 12, 2**32, 2**64, 10**12])
def test_low_digits_stand_still_and_the_others_are_a_smaller_lcg(modulus, balanced):
    for lcg, x0 in sequences(drawn(fixed(modulus, balanced_share=balanced), 300)):
        q = skip_of(lcg, x0)
        smaller = modulus // q
        assert 1 < q < modulus
        x = lcg.orbit(x0, 6)
        assert {each % q for each in x} == {x0 % q}
        y = [each // q for each in x]
        assert y == LCG(smaller, lcg.a % smaller, (y[1] - lcg.a * y[0]) % smaller).orbit(y[0], 6)
        assert lcg.period(x0) == smaller


@pytest.mark.parametrize("modulus", [2**8, 6**3])
def test_every_such_sequence_can_be_drawn(modulus):
    """For each skip: all that stands still with each multiplier of y, all increments and starts of y, and all multiples
    of its modulus that the multiplier has in addition."""
    rows = sequences(drawn(fixed(modulus, hold_out="pairs"), 40_000))
    for q in skips_of(modulus):
        small, ones = modulus // q, [(lcg, x0) for lcg, x0 in rows if skip_of(lcg, x0) == q]
        increments = [c for c in range(small) if gcd(c, small) == 1]
        for found, wanted in (
            ({(x0 % q, lcg.a % small) for lcg, x0 in ones}, set(product(range(q), full_period_multipliers(small)))),
            ({(lcg(x0) // q - lcg.a * (x0 // q)) % small for lcg, x0 in ones}, set(increments)),
            ({x0 // q for _, x0 in ones}, set(range(small))),
            ({lcg.a // small for lcg, _ in ones}, set(range(q))),
        ):
            assert found <= wanted
            assert len(found) > 0.9 * len(wanted)


@pytest.mark.parametrize("modulus", [2**8, 6**4])
def test_each_skip_is_drawn_as_often(modulus):
    skips = [skip_of(lcg, x0) for lcg, x0 in sequences(drawn(fixed(modulus), 10_000))]
    values, counts = np.unique(skips, return_counts=True)
    assert values.tolist() == sorted(skips_of(modulus))
    assert chisquare(counts).pvalue > 1e-3


def test_skips_up_to_the_largest():
    skips = {skip_of(lcg, x0) for lcg, x0 in sequences(drawn(fixed(6**4, largest_skip=9)))}
    assert skips == {2, 3, 4, 6, 8, 9}


def test_the_largest_skip_of_a_phase():
    curriculum = Phase(modulus=6**4, share=0.5, skipping=True), Phase(modulus=6**3, share=0.5)
    data = fixed(6**4, skipping_share=0.0, largest_skip=9, curriculum=curriculum)
    (_, skipping), (_, easier) = data.split(0).curriculum()
    assert {skip_of(*each) for each in sequences(skipping.draw_training(stream(0, "draws"), 500))} == {2, 3, 4, 6, 8, 9}
    assert easier.draw_training(stream(0, "draws"), 500).has_full_period().all()


@pytest.mark.parametrize("modulus", [2**10, 6**4])
def test_balanced_ones_have_each_look_back_of_the_smaller_lcg_as_often(modulus):
    q = min(skips_of(modulus))
    rows = sequences(drawn(fixed(modulus, balanced_share=1.0), 10_000))
    lookbacks = [lookback(modulus // q, lcg.a % (modulus // q)) for lcg, x0 in rows if skip_of(lcg, x0) == q]
    found, counts = np.unique(lookbacks, return_counts=True)
    assert len(found) > 3
    assert 1 not in found  # which only counts
    assert chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("modulus", [2**k for k in range(2, 9)] + [6**k for k in range(2, 4)])
@pytest.mark.parametrize("hold_out", ["pairs", "values"])
def test_none_has_full_period_so_that_none_is_of_the_test(modulus, hold_out):
    rows = drawn(fixed(modulus, hold_out=hold_out, n_test_a=1), 500)
    assert not rows.has_full_period().any()
    assert (np.gcd(rows.c, np.uint64(modulus)) > 1)[(rows.a % np.uint64(6 if modulus % 3 == 0 else 2)) == 1].all()


def test_the_share_is_of_the_rows_of_full_period_and_balanced_rows_are_of_both():
    data = fixed(2**10, full_period_share=0.8, skipping_share=0.5, balanced_share=0.25)
    rows = drawn(data, 1000)
    full, skipping = rows[:400], rows[400:800]
    assert full.has_full_period().all()
    assert all(1 < skip_of(*each) < 2**10 for each in sequences(skipping))
    assert rows[800:].has_full_period().mean() < 0.3  # arbitrary


def test_unseen_moduli_skip_where_they_are_not_square_free():
    data = UnseenModulus(test_moduli=(50, 64), **STREAM, **SKIPS, n_test_a=4, n_test_c=4)
    split = data.split(0)
    rows = split.draw_training(stream(0, "draws"), 8000)
    split.check(rows)
    found, counts = np.unique(rows.m, return_counts=True)
    assert set(found.tolist()) == {m for m in split.train_moduli if skips_of(m)}
    assert chisquare(counts).pvalue > 1e-3
    assert all(1 < skip_of(*each) < each[0].m for each in sequences(rows[:500]))


def test_a_square_free_modulus_has_none_and_says_so():
    with pytest.raises(ValueError, match="modulus 30 is square-free, so that no sequence can skip"):
        fixed(30, base=None)
    data = UnseenModulus(test_moduli=(15,), min_modulus=13, max_modulus=15, **STREAM, **SKIPS)
    with pytest.raises(UserError, match="no modulus of training has rows that skip"):
        data.split(0).draw_training(stream(0, "draws"), 1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"full_period_share": 0.0}, "give full_period_share, too"),
        ({"n_a": 4}, "rows that skip need n_a=none and n_c=none"),
        ({"n_c": 4}, "rows that skip need n_a=none and n_c=none"),
        ({"skipping_share": 0.0, "largest_skip": 4}, "give skipping_share, too"),
    ],
)
def test_what_they_cannot_be_with_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        fixed(2**10, **changes)
    with pytest.raises(ValueError, match="largest_skip=2 is below all prime divisors of the modulus 2187"):
        fixed(3**7, largest_skip=2)


def test_a_curriculum_skips_in_its_smaller_moduli():
    data = fixed(2**10, curriculum=(Phase(modulus=64, share=0.5),))
    ((_, easier),) = data.split(0).curriculum()
    assert all(1 < skip_of(*each) < 64 for each in sequences(easier.draw_training(stream(0, "draws"), 200)))
    with pytest.raises(ValueError, match="modulus 30 is square-free"):
        fixed(2**10, curriculum=(Phase(modulus=30),))


@pytest.mark.parametrize(
    "task",
    [
        FixedModulus(modulus=2**10, base=16, n_test_a=4, n_test_c=4, full_period_share=0.5, **STREAM),
        UnseenModulus(test_moduli=(50, 64), n_test_a=4, n_test_c=4, **STREAM),
        TruncatedLCG(modulus=2**12, low=4, bits=6, **STREAM),
        PermutedLCG(state_bits=12, tagged=True, **STREAM),
    ],
)
def test_a_phase_of_rows_that_skip(task):
    """In its steps, the stated share of every batch skips; the test stays what it is."""
    top = task.largest_modulus if hasattr(task, "largest_modulus") else task.modulus
    phased = task.replace(curriculum=(Phase(modulus=top, share=0.5, steps=10, skipping=True),))
    split = phased.split(0)
    ((share_at, easier),) = split.curriculum()
    assert [share_at(step) for step in (0, 9, 10)] == [0.5, 0.5, 0]
    rows = easier.draw_training(stream(0, "draws"), 300)
    split.check(rows)
    moduli = rows.m if hasattr(rows, "m") else task.modulus
    for m, a, c, x0 in zip(np.broadcast_to(moduli, 300), rows.a, rows.c, rows.x0, strict=True):
        assert 1 < skip_of(LCG(int(m), int(a) % int(m), int(c)), int(x0)) < m
    part = split.parts[0]
    assert (split.test(part, 20).numbers == task.split(0).test(part, 20).numbers).all()


def test_the_id_of_a_curriculum_without_them_is_what_it_was():
    phases = (Phase(modulus=64, share=0.5),)
    assert fixed(2**10, curriculum=phases).identity()["curriculum"] == [
        {"modulus": 64, "share": 0.5, "decay": "constant", "begin": 0, "steps": None}
    ]


def test_other_tasks_have_no_such_phase():
    with pytest.raises(ValueError, match="the task quadratic has no sequences that skip"):
        Quadratic(modulus=256, curriculum=(Phase(modulus=64, skipping=True),), **STREAM)


@pytest.mark.parametrize(
    "task",
    [
        TruncatedLCG(modulus=2**12, low=4, bits=6, skipping_share=0.5, **STREAM),
        TruncatedLCG(modulus=6**5, low=2, bits=6, multiplier=7 * 12 + 1, skipping_share=0.5, **STREAM),
        PermutedLCG(variants=("xsl-rr", "rs"), state_bits=12, skipping_share=0.5, n_a=8, **STREAM),
    ],
)
def test_hidden_states_skip_in_the_stated_share(task):
    rows = drawn(task, 4000)
    lcgs = zip(rows.a.tolist(), rows.c.tolist(), rows.x0.tolist(), strict=True)
    skips = [skip_of(LCG(task.modulus, a % task.modulus, c), x0) for a, c, x0 in lcgs]
    share = np.mean([q > 1 for q in skips])
    assert share == pytest.approx(0.5, abs=0.04)
    assert max(skips) < task.modulus
    test = task.split(0).test(task.test_parts[0], 200).parameters
    assert (np.gcd(test.c, np.uint64(task.modulus)) == 1).all()


def test_hidden_states_of_a_fixed_pool_of_increments_cannot_skip():
    with pytest.raises(ValueError, match="states that skip need n_c=none"):
        PermutedLCG(state_bits=12, skipping_share=0.5, n_c=8, **STREAM)
    with pytest.raises(ValueError, match="modulus 2310 is square-free"):
        TruncatedLCG(modulus=2310, low=2, bits=8, skipping_share=0.5, **STREAM)


def test_the_period_of_a_hidden_state_that_skips_is_shorter():
    rows = drawn(PermutedLCG(state_bits=8, skipping_share=1.0, n_test_a=2, n_test_c=2, **STREAM), 200)
    wanted = [LCG(256, int(a), int(c)).period(int(x)) for a, c, x in zip(rows.a, rows.c, rows.x0, strict=True)]
    assert rows.labels["period"].tolist() == wanted
