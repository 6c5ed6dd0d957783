"""The theorem of docs/order.md, with exact integers: which power of p divides differences of full-period sequences."""

from fractions import Fraction
from math import comb, prod

import numpy as np
import pytest

from unrandom.core.arithmetic import valuation
from unrandom.generators.full_period import full_period_increments, full_period_multipliers
from unrandom.predictors import LookbackPredictor
from unrandom.predictors.lookback import best_lines, certain_digits
from unrandom.tasks import LCGParameters

WIDE = 400  # exponent of the modulus: larger than any valuation in these tests


def orbit(p, v, length, rng):
    """Numbers of a full-period LCG modulo p**WIDE, with a − 1 divisible by p exactly v times."""
    m = p**WIDE
    a = 1 + p**v * _unit(p, rng)
    c, x = _unit(p, rng), int(rng.integers(2**62))
    numbers = [x]
    for _ in range(length - 1):
        numbers.append((a * numbers[-1] + c) % m)
    return numbers


def _unit(p, rng):
    return int(rng.integers(2**40)) * p + int(rng.integers(1, p))


def combined(numbers, weights):
    """The sum of weights[d] times the number d places before the last one, not reduced."""
    return sum(weight * numbers[-1 - d] for d, weight in weights.items())


def least_v(p):
    return 2 if p == 2 else 1


@pytest.mark.parametrize("p", [2, 3, 5, 7])
def test_differences_are_divisible_as_often_as_the_theorem_says_and_no_more(p):
    rng = np.random.default_rng(p)
    for v in range(least_v(p), 6):
        for k in range(6 if p == 2 else 4 if p == 3 else 3):
            for order in range(1, 9):
                numbers = orbit(p, v, order * p**k + 1, rng)
                difference = combined(numbers, {i * p**k: (-1) ** i * comb(order, i) for i in range(order + 1)})
                assert valuation(difference % p**WIDE, p) == certain_digits(order, k, v)


@pytest.mark.parametrize("p", [2, 3])
def test_differences_over_unequal_strides_add_up(p):
    """For strides p**k_1, …, p**k_j, the difference is divisible by p exactly Σ k_i + (j − 1) v times."""
    rng = np.random.default_rng(p)
    for powers in ([0, 1], [1, 3], [0, 0, 2], [1, 2, 3], [0, 1, 2, 2]):
        weights = {0: 1}
        for k in powers:
            further = {d + p**k: -weight for d, weight in weights.items()}
            weights = {d: weights.get(d, 0) + further.get(d, 0) for d in weights.keys() | further.keys()}
        for v in range(least_v(p), 5):
            numbers = orbit(p, v, sum(p**k for k in powers) + 1, rng)
            found = valuation(combined(numbers, weights) % p**WIDE, p)
            assert found == sum(powers) + (len(powers) - 1) * v


def test_three_lines_at_powers_of_two_give_three_bits_per_doubling():
    """Lines r, 2r and 4r with the weights of a parabola through them: 3 (k + 2) bits from 4r = 2**(k + 2) numbers."""
    rng = np.random.default_rng(0)
    m = 2**WIDE
    for k in range(8):
        distances = [2**k, 2 ** (k + 1), 2 ** (k + 2)]
        weights = {d: prod(Fraction(e, e - d) for e in distances if e != d) for d in distances}
        whole = {d: -w.numerator * pow(w.denominator, -1, m) for d, w in weights.items()}
        found = [valuation(combined(orbit(2, 2, distances[-1] + 1, rng), {0: 1} | whole) % m, 2) for _ in range(20)]
        assert min(found) >= 3 * (k + 2)
        assert k == 0 or min(found) == 3 * (k + 2)


def test_numbers_needed_fall_with_the_order():
    """The table of docs/order.md: with this context all bits of m = 2**w are certain, with one less they are not."""
    table = {1: (256, 4096), 2: (16, 64), 3: (12, 24), 4: (8, 16), 5: (5, 10)}
    for order, needed in table.items():
        for w, numbers in zip((8, 12), needed, strict=True):
            predictor = LookbackPredictor(2**w, order=order)
            assert predictor.numbers_needed() == numbers
            assert predictor.digits_known(numbers - 1).all()
            assert not predictor.digits_known(numbers - 2).all()


def test_lines_are_the_best_that_fit():
    for seen in range(1, 70):
        for order in range(1, 7):
            lines = best_lines(2, seen, order=order, v=2)
            assert lines.order <= order
            assert lines.order * lines.stride <= seen
            every = [certain_digits(j, k, 2) for j in range(1, order + 1) for k in range(7) if j * 2**k <= seen]
            assert lines.digits == max(every)


@pytest.mark.parametrize("m", [64, 72, 3**4, 50])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_share_of_multipliers_that_are_predicted_is_counted_right(m, order):
    """Counts all full-period multipliers of a small modulus, each with some c and x[0]."""
    predictor = LookbackPredictor(m, order=order)
    multipliers = full_period_multipliers(m)
    rng = np.random.default_rng(0)
    a = np.repeat(np.array(multipliers, dtype=np.uint64), 20)
    c = rng.choice(np.array(list(full_period_increments(m)), dtype=np.uint64), len(a))
    x = LCGParameters(m, a, c, rng.integers(0, m, len(a), dtype=np.uint64)).numbers(40)
    right = predictor.predict(x).correct(x).reshape(len(multipliers), 20, 39).all(axis=1).mean(axis=0)
    assert np.allclose(right, [float(predictor.share_right(t)) for t in range(39)])


def test_the_share_at_two_to_the_32_is_that_of_docs_order():
    predictor = LookbackPredictor(2**32, order=5)
    assert [predictor.share_right(seen - 1) for seen in (64, 128, 159, 160)] == [
        Fraction(1, 8),
        Fraction(1, 2),
        Fraction(1, 2),
        1,
    ]
