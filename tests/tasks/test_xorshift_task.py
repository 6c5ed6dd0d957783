"""Xorshift steps with any shifts: what is seen, what is held out, and what trying all shifts makes of it."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from priors import assert_posterior
from unrandom.auditing.generators import xorshift
from unrandom.auditing.generators.shifts import Shift
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.tasks import Xorshift, make_predictors


def plain_sequence(size: int, bits: int, shifts: tuple[int, int, int], x: int, length: int) -> list[int]:
    """The definition, in Python's integers."""
    a, b, c = shifts
    found = []
    for _ in range(length):
        found.append(x >> (size - bits))
        x ^= (x << a) % 2**size
        x ^= x >> b
        x ^= (x << c) % 2**size
    return found


def shifts_of(triple: int) -> tuple[int, int, int]:
    return triple // 64**2, triple // 64 % 64, triple % 64


@pytest.mark.parametrize(("size", "bits"), [(8, 8), (9, 4), (16, 1), (32, 32), (64, 16), (64, 64)])
@pytest.mark.parametrize("repeats", [True, False])
def test_numbers_are_the_top_bits_of_the_states(size, bits, repeats):
    drawn = Xorshift(size=size, bits=bits, context=8, base=16, repeats=repeats).draw(stream(0, "draw"), 20)
    numbers = drawn.numbers(9)
    for row in range(20):
        a, b, c = shifts = shifts_of(int(drawn.triple[row]))
        assert all(0 < shift < size for shift in shifts)
        x = int(drawn.x0[row])
        assert drawn.text(row).replace("\N{NO-BREAK SPACE}", "") == f"a={a}, b={b}, c={c}, x0={x}"
        assert numbers[row].tolist() == plain_sequence(size, bits, shifts, x, 9)
        generator = xorshift.Xorshift(size, (Shift(True, a), Shift(False, b), Shift(True, c)))
        for number in numbers[row].tolist():
            assert number == generator.output(x) >> (size - bits)
            x = generator.step(x)


def test_all_triples_and_all_states_but_zero_are_drawn():
    drawn = Xorshift(size=8, context=8, repeats=True).draw(stream(0, "draw"), 20_000)
    shifts = {shifts_of(triple) for triple in drawn.triple.tolist()}
    assert shifts == set(product(range(1, 8), repeat=3))
    assert set(drawn.x0.tolist()) == set(range(1, 256))


def test_states_return_within_the_context_only_if_that_is_allowed():
    task = Xorshift(size=8, bits=8, context=32, n_test_triples=16)
    for repeats in (False, True):
        split = task.replace(repeats=repeats).split(0)
        for numbers in (split.test("test", 64).numbers, split.draw_training(stream(0, "train"), 500).numbers(33)):
            returned = (numbers[:, 1:] == numbers[:, :1]).any(axis=1)
            assert returned.any() if repeats else not returned.any()
    with pytest.raises(UserError, match=r"states return within 255 steps too often; set data\.repeats=true"):
        task.replace(context=255).split(0)


def test_training_has_none_of_the_held_triples_and_the_test_nothing_else():
    split = Xorshift(size=9, context=12, n_test_triples=20).split(0)
    training, test = split.draw_training(stream(0, "train"), 3000), split.test("test", 40).parameters
    assert not np.isin(training.triple, split.held["triple"]).any()
    assert set(test.triple.tolist()) == set(split.held["triple"].tolist())
    assert len(split.held["triple"]) == 20


@pytest.mark.parametrize("bits", [8, 6])
def test_the_posterior_equals_listing(bits):
    prior = defaultdict(Fraction)
    for *shifts, x in product(range(1, 8), range(1, 8), range(1, 8), range(1, 256)):
        prior[tuple(plain_sequence(8, bits, tuple(shifts), x, 5))] += Fraction(1, 7**3 * 255)
    (bayes,) = make_predictors(["bayes"], Xorshift(size=8, bits=bits, context=8))
    top = 2**bits - 1
    assert_posterior(bayes, prior, [*list(prior)[::499], (0, 1, 2, 3, 4), (top,) * 5, (top, 1, top, 1, top)])


@pytest.mark.parametrize(("size", "bits", "sure"), [(11, 11, 6), (12, 6, 10), (32, 32, 4)])
def test_the_posterior_is_soon_sure(size, bits, sure):
    task = Xorshift(size=size, bits=bits, context=16, base=16)
    (bayes,) = make_predictors(["bayes"], task)
    found = evaluate(bayes, task.split(0).test("test", 32)).by_position.value
    assert (found[sure:] == 1).all()
    assert found[0] < 0.5


def test_many_hidden_bits_have_no_posterior():
    assert list(Xorshift(size=64, bits=16, context=8).baselines()) == ["copy"]
    assert list(Xorshift(size=16, bits=8, context=8).baselines()) == ["copy", "bayes"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"size": 8, "bits": 9}, "bits=9 were asked for; a state has 8"),
        ({"size": 64, "bits": 64}, "set data.base"),
        ({"size": 7}, "size"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(changes, said):
    with pytest.raises(UserError, match=said):
        Xorshift().replace(**changes)


def test_too_few_triples_are_said_in_one_line():
    with pytest.raises(UserError, match="8 bits have 343 triples; n_test_triples=343 leaves none"):
        Xorshift(size=8, context=8, n_test_triples=343).split(0)
