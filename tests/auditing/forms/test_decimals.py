"""Numbers with decimals are taken for single precision only if their digits say so; ranges may end at powers of two."""

import random

import numpy as np
import pytest

from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.forms.ranges import real_ranges
from unrandom.auditing.reading.values import numbers_of_values


def streams(numbers, **assumed):
    return interpretations(numbers_of_values(numbers), Assumed(**assumed))


def printed(values):
    """The numbers of an array as numpy prints them, with eight digits."""
    text = np.array2string(np.asarray(values), max_line_width=10**6, threshold=10**6)
    return text.strip("[]").split()


def test_eight_digits_of_numpy_are_not_single_precision():
    misread = 0
    for seed in range(200):
        numbers = printed(np.random.RandomState(seed).rand(10))
        first = streams(numbers)[0]
        misread += first.form.single
        assert first.form.digits in (8, 9)
    assert misread == 0


def test_the_ordinary_reading_of_few_numbers_is_always_there():
    for seed in range(200):
        values = np.random.RandomState(seed).rand(2)
        ordinary = [one for one in streams(printed(values)) if not one.form.single and not one.form.layers]
        assert any((np.abs(one.values - values) <= one.rounding_error).all() for one in ordinary)


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_single_precision(count):
    values = (np.random.default_rng(count).integers(0, 2**24, count) / 2**24).astype(np.float32)
    numbers = [str(one) for one in values]
    first = streams(numbers)[0]
    if max(len(number.lstrip("0.")) for number in numbers) >= 8:
        assert first.form.single
        assert (first.values == values).all()
        assert first.form.write(first.values.tolist()) == [float(number) for number in numbers]


@pytest.mark.parametrize(("greatest", "count", "end"), [
    (4.2949e9, 624, 2.0**32 - 1), (254.6, 300, 255.0), (998.0, 100, 1000.0), (1.84e19, 500, 2.0**64),
    (98.7, 200, 100.0),
])  # fmt: skip
def test_ranges_that_end_at_powers_of_two(greatest, count, end):
    found = [high for low, high in real_ranges(0.001 * greatest, greatest, count) if low == 0]
    assert found[0] == end
    for power in (2.0**32, 2.0**8):
        if (power - 1) in found:
            assert power in found


def test_the_fractions_behind_a_range_of_words():
    chance = random.Random(5)
    fractions = [chance.random() for _ in range(624)]
    first = streams([(2**32 - 1) * fraction for fraction in fractions])[0]
    assert first.form.about == "4294967295 x"
    assert (np.abs(first.values - fractions) <= first.rounding_error).all()
