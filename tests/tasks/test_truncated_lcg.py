"""A window of an LCG's state: what is seen, what is held out, and what a lattice makes of it."""

import numpy as np
import pytest

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.generators.lcg import LCG
from unrandom.tasks import TruncatedLCG, make_predictors


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
    assert list(task.baselines()) == ["copy", "lattice"]
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
