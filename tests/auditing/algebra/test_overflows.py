"""The hidden parts of an additive generator follow from where its sums overflow."""

import random
from math import log2

import numpy as np
import pytest

from plainly import lagged, take
from unrandom.auditing.algebra.overflows import BITS_PER_OUTPUT, hidden_numbers, outputs_needed, residuals
from unrandom.auditing.generators.lagged import LaggedFibonacci

LAGS = [(3, 7, 1, 1), (1, 15, 1, 1), (3, 31, 1, 1), (24, 55, 1, -1), (34, 55, -1, 1), (1, 63, 1, 1), (273, 607, 1, 1)]


def problem(near, far, signs, bits, count):
    """Hidden numbers of so many bits, and what is known of them."""
    rule = LaggedFibonacci(near, far, *signs, 2**bits)
    chance = random.Random(far)
    numbers = take(lagged([chance.getrandbits(bits) for _ in range(far)], near, far, signs, 2**bits), count)
    return rule, numbers, residuals(rule, np.array(numbers)).tolist()


@pytest.mark.parametrize(("near", "far", "p", "q"), LAGS)
@pytest.mark.parametrize("bits", [2, 12, 40])
def test_all_hidden_bits_are_found(near, far, p, q, bits):
    bits = min(bits, 12) if far > 100 else bits
    count = round(1.25 * outputs_needed(far, bits)) + 2 * far
    rule, numbers, excess = problem(near, far, (p, q), bits, count)
    assert hidden_numbers(rule, excess, [2**bits] * count) == numbers


@pytest.mark.parametrize(("near", "far", "p", "q"), LAGS)
def test_bits_revealed_per_output(near, far, p, q):
    """The product of the roots outside the unit circle, by Jensen's formula."""
    angles = (np.arange(2**16) + 0.5) * 2 * np.pi / 2**16
    values = np.abs(1 - p * np.exp(-1j * near * angles) - q * np.exp(-1j * far * angles))
    assert float(np.log2(values).mean()) == pytest.approx(BITS_PER_OUTPUT, abs=0.015)
    roots = np.abs(np.roots([1, *[0] * (near - 1), -p, *[0] * (far - near - 1), -q]))
    assert float(np.log2(roots[roots > 1]).sum()) == pytest.approx(BITS_PER_OUTPUT, abs=0.015)


def test_too_few_numbers_have_no_solution():
    rule, _, excess = problem(3, 31, (1, 1), 20, 31 * int(20 / BITS_PER_OUTPUT))
    assert hidden_numbers(rule, excess, [2**20] * (len(excess) + 31)) is None
    assert hidden_numbers(rule, excess[:10], [2**20] * 41) is None


def test_contradictions_have_no_solution():
    rule, _, excess = problem(3, 31, (1, 1), 8, 2000)
    excess[700] += 2**8
    assert hidden_numbers(rule, excess, [2**8] * 2000) is None


def test_ranges_may_differ_but_not_exceed_the_limit():
    rule, numbers, excess = problem(3, 31, (1, 1), 10, 1500)
    assert hidden_numbers(rule, excess, [x + 1 + (i % 7) * 50 for i, x in enumerate(numbers)]) == numbers
    assert hidden_numbers(rule, excess, [2**61] * 1500) is None


def test_narrower_ranges_need_fewer_numbers():
    counts = [outputs_needed(31, log2(2**32 / n)) for n in (6, 100, 10**6)]
    assert counts == sorted(counts, reverse=True)
