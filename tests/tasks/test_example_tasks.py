"""The tasks of `examples/` follow their rules, hold out what they say, and have posteriors that equal listing."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from priors import assert_posterior
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.tasks import check_task, load_task, make_predictors
from unrandom.tasks.registry import USER_TASKS

EXAMPLES = Path(__file__).parents[2] / "examples"
HELD = {  # what is held out of each task, and the seen numbers after which its posterior is sure
    "xorshift.py:Xorshift": ("triple", 6),
    "shift_register.py:ShiftRegister": ("taps", 5),
    "multiply_with_carry.py:MultiplyWithCarry": ("a", 7),
}


@pytest.fixture
def task():
    """Makes a task of an example, with changed settings."""
    before = dict(USER_TASKS)

    def make(name, **changes):
        return load_task(f"{EXAMPLES / name}").parse(changes)

    yield make
    USER_TASKS.clear()
    USER_TASKS.update(before)


def xorshift(size, triple, x, length):
    a, b, c = (triple // (size - 1) ** place % (size - 1) + 1 for place in (2, 1, 0))
    found = []
    for _ in range(length):
        found.append(x)
        x ^= (x << a) % 2**size
        x ^= x >> b
        x ^= (x << c) % 2**size
    return found


def shift_register(size, taps, state, length):
    bits = [(state >> (size - 1 - i)) & 1 for i in range(size)]
    while len(bits) < 4 * length:
        bits.append(sum(bits[-j] for j in range(1, size + 1) if taps >> (j - 1) & 1) % 2)
    return [int("".join(map(str, bits[4 * t : 4 * t + 4])), 2) for t in range(length)]


def multiply_with_carry(bits, a, x, carry, length):
    found = []
    for _ in range(length):
        found.append(x)
        carry, x = divmod(a * x + carry, 2**bits)
    return found


@pytest.mark.parametrize(
    ("name", "changes", "rule"),
    [
        ("xorshift.py:Xorshift", {"size": 9}, xorshift),
        ("xorshift.py:Xorshift", {"size": 16}, xorshift),
        ("shift_register.py:ShiftRegister", {"size": 6}, shift_register),
        ("shift_register.py:ShiftRegister", {"size": 12}, shift_register),
        ("multiply_with_carry.py:MultiplyWithCarry", {"bits": 3}, multiply_with_carry),
        ("multiply_with_carry.py:MultiplyWithCarry", {"bits": 10}, multiply_with_carry),
    ],
)
def test_numbers_follow_the_rule(task, name, changes, rule):
    drawn = task(name, **changes).draw(stream(0, "draw"), 20)
    given = zip(*(values.tolist() for values in drawn.labels.values()), strict=True)
    (size,) = changes.values()
    assert drawn.numbers(33).tolist() == [rule(size, *row, 33) for row in given]


@pytest.mark.parametrize(("name", "held"), [(name, held) for name, (held, _) in HELD.items()])
def test_it_keeps_the_protocol_and_training_has_nothing_that_is_held_out(task, name, held):
    made = task(name)
    check_task(made, 0)
    split = made.split(0)
    training, test = split.draw_training(stream(0, "train"), 3000), split.test("test", 64).parameters
    assert not np.isin(training.labels[held], split.held[held]).any()
    assert set(test.labels[held].tolist()) == set(split.held[held].tolist())


def test_no_state_of_a_xorshift_returns_within_the_context(task):
    split = task("xorshift.py:Xorshift", context=64).split(0)
    for numbers in (split.test("test", 64).numbers, split.draw_training(stream(0, "train"), 500).numbers(65)):
        assert not (numbers[:, 1:] == numbers[:, :1]).any()


@pytest.mark.slow
def test_posteriors_equal_listing(task):
    def listed(rule, size, states):
        prior = defaultdict(Fraction)
        for weight, state in states:
            prior[tuple(rule(size, *state, 5))] += weight
        return prior

    def posterior(name, **changes):
        return make_predictors(["bayes"], task(name, **changes))[0]

    moving = {a: [divmod(state, 8)[::-1] for state in range(1, 8 * a - 1)] for a in range(2, 8)}
    prior = listed(
        multiply_with_carry, 3, [(Fraction(1, 6 * len(moving[a])), (a, *state)) for a in moving for state in moving[a]]
    )
    assert_posterior(posterior("multiply_with_carry.py:MultiplyWithCarry", bits=3), prior, [*prior, (0,) * 5, (7,) * 5])
    registers = product(range(32, 64), range(1, 64))
    prior = listed(shift_register, 6, [(Fraction(1, 32 * 63), each) for each in registers])
    assert_posterior(
        posterior("shift_register.py:ShiftRegister", size=6), prior, [*prior, (0,) * 5, (15, 0) * 2 + (1,)]
    )
    triples = product(range(8**3), range(1, 512))
    prior = listed(xorshift, 9, [(Fraction(1, 8**3 * 511), each) for each in triples])
    assert_posterior(posterior("xorshift.py:Xorshift", size=9), prior, [*list(prior)[::999], (0, 1, 2, 3, 4)])


@pytest.mark.parametrize(("name", "sure"), [(name, sure) for name, (_, sure) in HELD.items()])
def test_posteriors_are_soon_sure(task, name, sure):
    made = task(name, context=16)
    (bayes,) = make_predictors(["bayes"], made)
    found = evaluate(bayes, made.split(0).test("test", 32)).by_position.value
    assert (found[sure:] == 1).all()
    assert found[0] < 0.5
