"""A quadratic step has full period where Knuth says so, and algebra predicts it."""

from itertools import product
from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.predictors.congruences import LinearSystem
from unrandom.tasks import FixedModulus, make_batches, make_predictors
from unrandom.tasks.quadratic import Quadratic, QuadraticParameters
from unrandom.tasks.truncated_lcg import TruncatedLCG


def plain_sequence(m: int, a: int, b: int, c: int, x: int, length: int) -> list[int]:
    """The definition, in Python's integers."""
    found = []
    for _ in range(length):
        found.append(x)
        x = (a * x * x + b * x + c) % m
    return found


@pytest.mark.parametrize("m", [2**32, 2**32 - 5, 256, 360])
def test_numbers_are_those_of_the_definition(m):
    rng = stream(0, "quadratic")
    a, b, c, x0 = (rng.integers(0, m, 20, dtype=np.uint64) for _ in range(4))
    numbers = QuadraticParameters(m, a, b, c, x0).numbers(9)
    for row in range(20):
        assert numbers[row].tolist() == plain_sequence(m, int(a[row]), int(b[row]), int(c[row]), int(x0[row]), 9)


def period_is_full(m: int, a: int, b: int, c: int) -> bool:
    return len(set(plain_sequence(m, a, b, c, 0, m))) == m


@pytest.mark.parametrize("modulus", [8, 16, 18, 25, 27, 36, 54, 64, 72, 75, 100])
def test_every_draw_has_full_period_and_is_not_linear(modulus):
    drawn = Quadratic(modulus=modulus, context=8).draw(stream(0, "draw"), 60)
    for row in range(len(drawn)):
        a, b, c = (int(getattr(drawn, name)[row]) for name in "abc")
        assert 0 < a < modulus
        assert period_is_full(modulus, a, b, c)


def test_a_modulus_with_linear_steps_alone_is_refused():
    with pytest.raises(UserError, match="modulus=15 has no quadratic step of full period that is not linear"):
        Quadratic.parse({"modulus": 15})
    with pytest.raises(UserError, match="modulus 16 has 7 coefficients a; n_test_a=16 leaves none"):
        Quadratic(modulus=16, context=8).split(0)


@pytest.mark.parametrize("m", [8, 12])
def test_all_of_full_period_are_drawn(m):
    drawn = Quadratic(modulus=m, context=8).draw(stream(0, "draw"), 4000)
    found = set(zip(drawn.a.tolist(), (drawn.b % np.uint64(m)).tolist(), drawn.c.tolist(), strict=True))
    assert found == {(a, b, c) for a, b, c in product(range(1, m), range(m), range(m)) if period_is_full(m, a, b, c)}


def test_training_has_none_of_the_held_values_and_the_test_nothing_else():
    split = Quadratic(modulus=256, context=12, n_test_a=4, n_test_c=6).split(0)
    training = split.draw_training(stream(0, "train"), 2000)
    test = split.test(256, 48).parameters
    for name in ("a", "c"):
        assert not np.isin(training.labels[name], split.held[name]).any()
        assert set(test.labels[name].tolist()) == set(split.held[name].tolist())
    pairs = set(zip(test.a.tolist(), test.c.tolist(), strict=True))
    assert len(pairs) == 24  # each as often as another
    split.check(training)
    with pytest.raises(RuntimeError, match="overlap"):
        split.check(test)


def test_a_fixed_training_set_needs_a_size():
    task = Quadratic(modulus=64, context=12, n_test_a=4, n_test_c=4, mode="fixed", n_sequences=40)
    assert len(make_batches(task.split(0), 8).probe(40)) == 40
    with pytest.raises(UserError, match=r"data.mode=fixed needs data.n_sequences: the task quadratic"):
        make_batches(task.replace(n_sequences=None).split(0), 8)


def test_its_own_modulus_can_be_named_and_no_other():
    split = Quadratic(modulus=64, context=12, n_test_a=4, n_test_c=4).split(0)
    assert split.testing(64) is split
    with pytest.raises(UserError, match="32 was given; the test of this run has 64"):
        split.testing(32)


def test_validation_and_test_share_no_value():
    split = Quadratic(modulus=256, context=12, n_test_a=4, n_test_c=6).split(0)
    first, second = split.validation_and_test()
    assert all(not set(first.held[name].tolist()) & set(second.held[name].tolist()) for name in ("a", "c"))
    assert all(len(first.held[name]) + len(second.held[name]) == len(split.held[name]) for name in ("a", "c"))


def test_a_run_that_goes_on_is_tested_on_what_the_earlier_one_held_out_too():
    task = Quadratic(modulus=256, context=12, n_test_a=40, n_test_c=40)
    first, second = task.split(0), task.split(1)
    both = second.unseen_by(first)
    for name in ("a", "c"):
        assert set(both.held[name].tolist()) == set(first.held[name].tolist()) & set(second.held[name].tolist())
    with pytest.raises(UserError, match=r"another task \(truncated-lcg\)"):
        task.split(0).unseen_by(TruncatedLCG(context=12).split(0))
    with pytest.raises(UserError, match=r"another task \(truncated-lcg\)"):  # low bits of an LCG are an LCG
        FixedModulus(modulus=256, context=12).split(0).unseen_by(TruncatedLCG(context=12).split(0))


@pytest.mark.parametrize("modulus", [256, 100])
def test_algebra_is_right_on_the_sequences_once_it_is_right_for_good(modulus):
    task = Quadratic(modulus=modulus, context=24, n_test_a=2, n_test_c=4)
    test = task.split(0).test(modulus, 40)
    found = {p.name: evaluate(p, test).by_position.value for p in make_predictors(["copy", "algebraic"], task)}
    assert (found["copy"] == 0).all()
    assert found["algebraic"][0] == 0
    assert (found["algebraic"][12:] == 1).all()
    assert (np.diff(found["algebraic"][[0, 3, 6, 12]]) >= 0).all()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(2, 60), st.data())
def test_a_linear_system_has_a_solution_exactly_where_trying_all_finds_one(m, data):
    numbers = st.integers(0, m - 1)
    rows = data.draw(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=5))
    system = LinearSystem(2, m)
    for *coefficients, value in rows:
        system.add(coefficients, value)
    fits = [v for v in product(range(m), repeat=2) if all((r * v[0] + s * v[1] - y) % m == 0 for r, s, y in rows)]
    solution = system.solution()
    assert (solution is None) == (not fits)
    assert solution is None or tuple(solution) in fits


def test_groups_say_how_much_of_the_step_is_linear():
    drawn = Quadratic(modulus=64, context=8).draw(stream(0, "draw"), 50)
    (grouping,) = drawn.groupings()
    for name, rows in grouping.rows():
        assert {gcd(int(a), 64) for a in drawn.a[rows]} == {int(name)}
