"""Multiply-with-carry with any multiplier: what is seen, what is held out, and what trying all states makes of it."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

from priors import assert_posterior
from unrandom.auditing.generators import multiply_with_carry
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.tasks import MultiplyWithCarry, make_predictors


def plain_sequence(bits: int, a: int, x: int, carry: int, length: int) -> list[int]:
    """The definition, in Python's integers."""
    found = []
    for _ in range(length):
        found.append(x)
        carry, x = divmod(a * x + carry, 2**bits)
    return found


def states(bits: int, a: int) -> list[tuple[int, int]]:
    """All (x, carry) but the two that step to themselves for every a."""
    pairs = [(x, carry) for x in range(2**bits) for carry in range(a)]
    return [pair for pair in pairs if pair not in ((0, 0), (2**bits - 1, a - 1))]


@pytest.mark.parametrize("bits", [2, 6, 16, 32])
def test_numbers_are_those_of_the_definition(bits):
    drawn = MultiplyWithCarry(bits=bits, context=8, base=16).draw(stream(0, "draw"), 20)
    numbers = drawn.numbers(30)
    for row in range(20):
        a, x, carry = (int(getattr(drawn, name)[row]) for name in ("a", "x0", "carry"))
        assert 1 < a < 2**bits
        assert carry < a
        assert numbers[row].tolist() == plain_sequence(bits, a, x, carry, 30)
        generator = multiply_with_carry.MultiplyWithCarry(a, bits)
        assert numbers[row].tolist() == list(islice(generator.outputs([x], carry), 30))


def test_all_that_moves_is_drawn_equally_often():
    drawn = MultiplyWithCarry(bits=2, context=8).draw(stream(0, "draw"), 20_000)
    counts = Counter(zip(drawn.a.tolist(), drawn.x0.tolist(), drawn.carry.tolist(), strict=True))
    for a in (2, 3):
        mine = {state: counts.pop((a, *state)) for state in states(2, a)}
        assert min(mine.values()) > 0.8 * 10_000 / len(mine)
        assert 9_500 < sum(mine.values()) < 10_500
    assert not counts


def test_training_has_none_of_the_held_multipliers_and_the_test_nothing_else():
    split = MultiplyWithCarry(bits=5, context=12, n_test_a=10).split(0)
    training, test = split.draw_training(stream(0, "train"), 3000), split.test("test", 40).parameters
    assert set(training.a.tolist()) == set(range(2, 32)) - set(split.held["a"].tolist())
    assert set(test.a.tolist()) == set(split.held["a"].tolist())


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_the_posterior_equals_listing(bits):
    prior = defaultdict(Fraction)
    for a in range(2, 2**bits):
        moving = states(bits, a)
        for x, carry in moving:
            prior[tuple(plain_sequence(bits, a, x, carry, 6))] += Fraction(1, (2**bits - 2) * len(moving))
    others = [tuple(row) for row in np.random.default_rng(0).integers(0, 2**bits, (100, 6)).tolist()]
    task = MultiplyWithCarry(bits=bits, context=8)
    assert_posterior(make_predictors(["bayes"], task)[0], prior, [*prior, *others, (0,) * 6, (2**bits - 1,) * 6])


def test_the_posterior_is_soon_sure():
    task = MultiplyWithCarry(bits=8, context=24)
    (bayes,) = make_predictors(["bayes"], task)
    found = evaluate(bayes, task.split(0).test("test", 64)).by_position.value
    assert (found[3:] > 0.95).all()
    assert (found[6:] == 1).all()
    assert found[0] < 0.2


def test_large_multipliers_have_no_posterior():
    assert list(MultiplyWithCarry(bits=16, context=8).baselines()) == ["copy"]
    assert list(MultiplyWithCarry(bits=12, context=8).baselines()) == ["copy", "bayes"]


def test_what_cannot_be_is_said_in_one_line():
    with pytest.raises(UserError, match="bits"):
        MultiplyWithCarry.parse({"bits": 33})
    with pytest.raises(UserError, match=r"set data\.base"):
        MultiplyWithCarry.parse({"bits": 32})
    with pytest.raises(UserError, match="4 bits have 14 multipliers; n_test_a=16 leaves none"):
        MultiplyWithCarry(bits=4, context=8).split(0)
