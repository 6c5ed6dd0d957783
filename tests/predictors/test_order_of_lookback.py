"""The theorem of docs/order.md, with exact integers: which power of p divides differences of full-period sequences."""

from fractions import Fraction
from math import comb, gcd, prod

import numpy as np
import pytest

from priors import full_period_increments
from unrandom.core.arithmetic import largest_power, valuation
from unrandom.generators.full_period import full_period_multipliers
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


def second_difference(numbers, at, stride):
    """D_stride(at), not reduced."""
    return numbers[at] - 2 * numbers[at - stride] + numbers[at - 2 * stride]


@pytest.mark.parametrize("p", [2, 3, 5])
def test_the_error_of_an_extrapolation_hardly_changes_along_the_sequence(p):
    """D_r(n) − D_r(q) is divisible exactly 2k + 2v + v_p(n − q) times: the third stride may have any length."""
    rng = np.random.default_rng(p)
    for v in range(least_v(p), 5):
        for k in range(4 if p == 2 else 3):
            for lag in (1, 2, 3, 5, 6, 10, p**2, 2 * p**3):
                numbers = orbit(p, v, 2 * p**k + lag + 1, rng)
                n = len(numbers) - 1
                change = second_difference(numbers, n, p**k) - second_difference(numbers, n - lag, p**k)
                assert valuation(change % p**WIDE, p) == 2 * k + 2 * v + valuation(lag, p)


def test_four_errors_over_half_the_stride_are_the_error_over_the_stride():
    """D_2s(n) − 4 D_s(q), s = 2^k: exactly 2 (k + 1) + 2v + min(k, l) times if l = v_2(n − q − 2s) is not k."""
    rng = np.random.default_rng(0)
    for v in range(2, 5):
        for k in range(1, 5):
            s, n = 2**k, 8 * 2**k
            for q in range(2 * s, n):
                numbers = orbit(2, v, n + 1, rng)
                change = second_difference(numbers, n, 2 * s) - 4 * second_difference(numbers, q, s)
                found, lag = valuation(change % 2**WIDE, 2), n - q - 2 * s
                shared = k if lag == 0 else min(k, valuation(lag, 2))
                assert found >= 2 * (k + 1) + 2 * v + shared
                assert found == 2 * (k + 1) + 2 * v + shared or lag == 0 or valuation(lag, 2) == k


def certain_bits_by_depth(seen, v):
    """Bits that a copied error of an extrapolation makes certain: p = 2, ``seen`` >= 2 numbers, 2**v divides a − 1.

    With 2s the largest power of 2 up to ``seen`` / 2, the guess is 2 x[n − 2s] − x[n − 4s] + 4 D_s(q) for any earlier
    q >= 2s, with D_s(q) = x[q] − 2 x[q − s] + x[q − 2s]: order 3 whose third stride has any length (docs/order.md).
    """
    kappa = valuation(largest_power(seen, 2), 2) - 1
    return 2 * (kappa + v) if kappa else v


def test_bits_by_depth_are_those_of_the_third_stride():
    """After 16, 32 and 64 numbers all bits of 2^10, 2^12 and 2^14: half of what order 2 needs."""
    for w in (10, 12, 14, 16):
        half = LookbackPredictor(2**w).numbers_needed() // 2
        assert certain_bits_by_depth(half, 2) == w
        assert certain_bits_by_depth(half - 1, 2) < w


WEIGHTS = {
    "extrapolation": {1: 2, 2: -1},
    "order 3": {1: 3, 2: -3, 3: 1},
    "parabola": {1: Fraction(8, 3), 2: -2, 4: Fraction(1, 3)},
    "differences of fm-2p14-f4ced0e0": {3: 4, 5: -4, 8: 1},
}


@pytest.mark.parametrize(
    ("name", "zeros", "more"), [(*row,) for row in zip(WEIGHTS, (2, 3, 3, 3), (0, 0, 2, 2), strict=True)]
)
def test_digits_follow_from_the_zero_of_the_weights_at_one(name, zeros, more):
    """P(y) = 1 − Σ w_d y^d = (1 − y)^j Q(y): j k + (j − 1) v + v_2(Q(1)) bits, and no more where v_2(Q(1)) < k + v."""
    weights = {0: Fraction(1), **{d: -Fraction(w) for d, w in WEIGHTS[name].items()}}
    moments = [sum(w * prod(range(d - i + 1, d + 1)) for d, w in weights.items()) for i in range(zeros + 1)]
    assert not any(moments[:zeros])
    of_q = moments[zeros] / prod(range(1, zeros + 1))  # ±Q(1)
    assert valuation(of_q.numerator, 2) == more
    rng, m = np.random.default_rng(0), 2**WIDE
    for k in range(4):
        for v in range(2, 5):
            numbers = orbit(2, v, max(weights) * 2**k + 1, rng)
            whole = {d * 2**k: w.numerator * pow(w.denominator, -1, m) for d, w in weights.items()}
            found, expected = valuation(combined(numbers, whole) % m, 2), zeros * k + (zeros - 1) * v + more
            assert found == expected or (found > expected and more >= k + v)


@pytest.mark.parametrize("m", [2**5, 3**3, 36, 144, 250, 400])
def test_a_stride_that_need_not_fit_the_modulus(m):
    """Order 2 at stride s is right for a multiplier, always, exactly if s² is divisible by r = m / gcd(m, a − 1)."""
    rng = np.random.default_rng(0)
    increments = np.array(full_period_increments(m), dtype=np.uint64)
    for a in full_period_multipliers(m):
        needed = m // gcd(m, a - 1)
        x = LCGParameters(
            m, np.full(8, a, dtype=np.uint64), rng.choice(increments, 8), rng.integers(0, m, 8, dtype=np.uint64)
        ).numbers(40)
        x = x.astype(np.int64)
        for s in range(1, 20):
            right = (x[:, 2 * s :] - 2 * x[:, s:-s] + x[:, : -2 * s]) % m == 0
            assert right.all() == right.any() == (s * s % needed == 0)


@pytest.mark.parametrize(("order", "ties"), [(2, {2, 3, 4, 5}), (3, {3, 5}), (4, {4})])
def test_the_extrapolated_guess_is_the_likeliest_or_tied(order, ties):
    """Over all multipliers of full period, what is wrong with the open bits: 0 is likeliest, alone unless o − 1 is a
    multiple of j − 1, where o bits are open at v = 2 and j is the order.
    """
    rng = np.random.default_rng(0)
    for opened in range(2, 6):
        certain = certain_digits(order, 0, 2)
        m = 2 ** (certain + opened)
        drawn = (full_period_multipliers(m), full_period_increments(m), range(m))
        a, c, x0 = (rng.choice(np.array(values, dtype=np.uint64), 300_000) for values in drawn)
        x = LCGParameters(m, a, c, x0).numbers(order + 1).astype(np.int64)
        wrong = sum((-1) ** i * comb(order, i) * x[:, order - i] for i in range(order + 1)) % m
        share = np.bincount(wrong >> certain, minlength=2**opened) / len(a)
        assert share[0] >= 0.9 * share.max()
        assert (share[1:].max() >= 0.9 * share[0]) == (opened in ties)


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
    c = rng.choice(np.array(full_period_increments(m), dtype=np.uint64), len(a))
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
