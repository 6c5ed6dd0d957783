"""A window of an LCG's state: what is seen, what is held out, and what a lattice makes of it."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from priors import assert_posterior
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.generators.lcg import LCG
from unrandom.tasks import make_predictors
from unrandom.tasks.truncated_lcg import TruncatedLCG


@pytest.mark.parametrize("modulus", [2**10, 2**63, 1000])
@pytest.mark.parametrize(("low", "bits"), [(0, 4), (3, 5), (4, 6)])
def test_what_is_seen_is_the_window_of_the_states(modulus, low, bits):
    drawn = TruncatedLCG(modulus=modulus, low=low, bits=bits, context=8, base=16).draw(stream(0, "draw"), 20)
    numbers = drawn.numbers(9)
    for row in range(20):
        lcg = LCG(modulus, int(drawn.a[row]), int(drawn.c[row]))
        assert lcg.has_full_period
        states = lcg.orbit(int(drawn.x0[row]), 9)
        assert numbers[row].tolist() == [state // 2**low % 2**bits for state in states]


@pytest.mark.parametrize("multiplier", [None, 421])
def test_training_has_none_of_the_held_values(multiplier):
    split = TruncatedLCG(multiplier=multiplier, n_test_a=8, n_test_c=8, context=12).split(0)
    training, test = split.draw_training(stream(0, "train"), 1000), split.test(2**10, 64).parameters
    assert set(split.held) == ({"c"} if multiplier else {"a", "c"})
    assert all(not np.isin(training.labels[name], values).any() for name, values in split.held.items())
    assert all(np.isin(test.labels[name], values).all() for name, values in split.held.items())
    assert multiplier is None or set(test.a.tolist()) == set(training.a.tolist()) == {multiplier}


def test_a_lattice_predicts_what_it_is_told_the_multiplier_of():
    task = TruncatedLCG(modulus=2**16, low=8, bits=8, multiplier=25173, context=24, n_test_c=8)
    test = task.split(0).test(2**16, 16)
    assert list(task.baselines()) == ["copy", "lattice", "bayes"]
    (lattice,) = make_predictors(["lattice"], task)
    found = evaluate(lattice, test).by_position.value
    assert found[-1] == 1
    assert (found[:3] == 0).all()  # three bytes say less than a state of two and an increment of two


def test_low_bits_are_an_lcg_themselves():
    task = TruncatedLCG(modulus=2**12, low=0, bits=5, context=24)
    (algebraic,) = make_predictors(["algebraic"], task)
    assert (evaluate(algebraic, task.split(0).test(2**12, 64)).by_position.value[2:] == 1).all()
    with pytest.raises(UserError, match="the task truncated-lcg has no predictor 'lattice'; it has copy, algebraic"):
        make_predictors(["lattice"], task)


@pytest.mark.parametrize(("low", "bits"), [(0, 4), (1, 2), (2, 2), (0, 2)])
@pytest.mark.parametrize("multiplier", [None, 5])
def test_the_posterior_equals_listing(low, bits, multiplier):
    prior = defaultdict(Fraction)
    for a, c, x in product([1, 5, 9, 13] if multiplier is None else [multiplier], range(1, 16, 2), range(16)):
        states = LCG(16, a, c).orbit(x, 7)
        prior[tuple(state >> low & (2**bits - 1) for state in states)] += 1
    task = TruncatedLCG(modulus=16, low=low, bits=bits, multiplier=multiplier, context=8)
    others = [tuple(row) for row in np.random.default_rng(0).integers(0, 2**bits, (50, 7)).tolist()]
    assert_posterior(make_predictors(["bayes"], task)[0], prior, [*prior, *others])


@pytest.mark.parametrize(
    ("modulus", "low", "bits", "multiplier", "offered"),
    [
        (2**12, 6, 6, None, True),
        (2**12, 10, 2, None, False),  # 2^29 hypotheses
        (2**12, 9, 3, 5, True),
        (2**16, 8, 8, 5, True),
        (2**20, 4, 16, 5, False),
        (1000, 4, 5, None, False),
    ],
)
def test_a_posterior_is_offered_where_it_takes_a_second(modulus, low, bits, multiplier, offered):
    task = TruncatedLCG(modulus=modulus, low=low, bits=bits, multiplier=multiplier, context=40)
    assert ("bayes" in task.baselines()) == offered
    if offered:
        found = evaluate(task.baselines()["bayes"].make(), task.split(0).test(modulus, 4)).by_position.value
        assert found[-10:].mean() > 0.9


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"low": 6, "bits": 5}, "bits 6 to 10 were asked for; a state has 10"),
        ({"multiplier": 422}, "multiplier=422 has no full period modulo 1024"),
        ({"low": 0, "bits": 21, "modulus": 2**32}, "set data.base"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(changes, said):
    with pytest.raises(UserError, match=said):
        TruncatedLCG().replace(**changes)
