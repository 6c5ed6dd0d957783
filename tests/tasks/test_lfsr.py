"""Shift registers with any taps: what is seen, what is held out, and what algebra and trying all taps make of it."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

from priors import assert_posterior
from unrandom.auditing.generators.shift_register import ShiftRegisters
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.tasks import LFSR, make_predictors


def plain_sequence(size: int, bits: int, taps: int, state: int, length: int) -> list[int]:
    """The definition, bit by bit."""
    found = [(state >> (size - 1 - i)) & 1 for i in range(size)]
    while len(found) < bits * length:
        found.append(sum(found[-j] for j in range(1, size + 1) if taps >> (j - 1) & 1) % 2)
    return [int("".join(map(str, found[bits * t : bits * (t + 1)])), 2) for t in range(length)]


@pytest.mark.parametrize(("size", "bits"), [(4, 4), (8, 3), (16, 16), (32, 1), (32, 16)])
def test_numbers_are_consecutive_bits(size, bits):
    drawn = LFSR(size=size, bits=bits, context=8).draw(stream(0, "draw"), 20)
    numbers = drawn.numbers(40)
    for row in range(20):
        taps, state = int(drawn.taps[row]), int(drawn.state[row])
        assert taps >> (size - 1) == 1
        assert state > 0
        assert numbers[row].tolist() == plain_sequence(size, bits, taps, state, 40)
        register = ShiftRegisters((taps << 1 | 1,), size)
        first = [(state >> (size - 1 - i)) & 1 for i in range(size)]
        seen = [(int(number) >> place) & 1 for number in numbers[row] for place in reversed(range(bits))]
        assert seen == (first + list(islice(register.following(first), len(seen))))[: len(seen)]


@pytest.mark.parametrize("taps", [None, 2, 3, 6])
def test_all_taps_are_drawn_equally_often(taps):
    drawn = LFSR(size=6, bits=2, taps=taps, context=8).draw(stream(0, "draw"), 32_000)
    possible = [mask for mask in range(32, 64) if taps in (None, mask.bit_count())]
    counts = Counter(drawn.taps.tolist())
    assert sorted(counts) == possible
    assert min(counts.values()) > 0.7 * 32_000 / len(possible)
    assert set(drawn.state.tolist()) == set(range(1, 64))


def test_training_has_none_of_the_held_taps_and_the_test_nothing_else():
    split = LFSR(size=7, bits=3, context=12, n_test_taps=20).split(0)
    training, test = split.draw_training(stream(0, "train"), 3000), split.test("test", 40).parameters
    assert set(training.taps.tolist()) == set(range(64, 128)) - set(split.held["taps"].tolist())
    assert set(test.taps.tolist()) == set(split.held["taps"].tolist())
    (grouping,) = test.groupings()
    for name, rows in grouping.rows():
        assert {int(mask).bit_count() for mask in test.taps[rows]} == {int(name)}


@pytest.mark.parametrize("taps", [None, 3])
@pytest.mark.parametrize(("size", "bits"), [(4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2), (5, 3)])
def test_the_posterior_equals_listing(size, bits, taps):
    masks = [mask for mask in range(2 ** (size - 1), 2**size) if taps in (None, mask.bit_count())]
    length = 3 + 2 * size // bits
    prior = defaultdict(Fraction)
    for mask in masks:
        for state in range(1, 2**size):
            prior[tuple(plain_sequence(size, bits, mask, state, length))] += Fraction(1, len(masks) * (2**size - 1))
    others = [(0,) * length, (1,) + (0,) * (length - 1), (2**bits - 1,) * length, (1, 0) + (1,) * (length - 2)]
    task = LFSR(size=size, bits=bits, taps=taps, context=8)
    assert_posterior(make_predictors(["bayes"], task)[0], prior, [*prior, *others])


@pytest.mark.parametrize(("size", "bits", "taps"), [(8, 1, None), (12, 4, None), (16, 16, 4), (12, 5, 3)])
def test_algebra_and_the_posterior_are_sure_after_twice_the_register(size, bits, taps):
    task = LFSR(size=size, bits=bits, taps=taps, context=48)
    test = task.split(0).test("test", 32)
    found = {p.name: evaluate(p, test).by_position.value for p in make_predictors(["recurrence", "bayes"], task)}
    sure = -(-2 * size // bits) - 1  # the guess after this number and those before
    assert (found["recurrence"][sure:] == 1).all()
    assert (found["bayes"][sure:] == 1).all()
    assert found["bayes"][0] < 0.9


def test_many_taps_have_no_posterior():
    assert list(LFSR(size=32, bits=4, context=8).baselines()) == ["copy", "recurrence"]
    assert list(LFSR(size=32, bits=4, taps=2, context=8).baselines()) == ["copy", "recurrence"]
    assert list(LFSR(size=16, bits=4, context=8).baselines()) == ["copy", "recurrence", "bayes"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"size": 4, "bits": 5}, "bits=5 were asked for; a register has 4"),
        ({"taps": 9}, "taps=9 were asked for; a register of 8 bits has 8"),
        ({"size": 33}, "size"),
        ({"taps": 1}, "taps"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(changes, said):
    with pytest.raises(UserError, match=said):
        LFSR().replace(**changes)


@pytest.mark.parametrize(("taps", "count"), [(None, 8), (2, 3), (4, 1)])
def test_too_few_taps_are_said_in_one_line(taps, count):
    with pytest.raises(UserError, match=f"a register of 4 bits has {count} masks of taps; n_test_taps=8 leaves none"):
        LFSR(size=4, taps=taps, context=8, n_test_taps=8).split(0)


def test_numbers_of_another_size_are_unlike():
    """A number is at most as large as its bits allow."""
    drawn = LFSR(size=9, bits=5, context=8).draw(stream(0, "draw"), 200)
    assert set(np.unique(drawn.numbers(30)).tolist()) == set(range(32))
