"""Quadratic and inversive generators are recovered from their numbers."""

import random
from itertools import pairwise

import pytest
from streams import audit_stream, found, stream_of

import unrandom
from unrandom.auditing.generators.quadratic import Inversive, Quadratic
from unrandom.auditing.verdict import Predictable
from unrandom.predictors.congruences import multiple_of_modulus


def quadratic(m, a, b, c, x, count):
    numbers = []
    for _ in range(count):
        numbers.append(x)
        x = (a * x * x + b * x + c) % m
    return numbers


def inversive(p, a, c, x, count):
    numbers = []
    for _ in range(count):
        numbers.append(x)
        x = (a * pow(x, p - 2, p) + c) % p
    return numbers


@pytest.mark.parametrize("m", [2**31 - 1, 10**9, 2**32, 2**61 - 1, 1_000_036_000_099, 65537])
def test_quadratic(m):
    chance = random.Random(m)
    a, b, c = (chance.randrange(1, m) | 1 for _ in range(3))
    numbers = quadratic(m, 2 * a % m, b, c, 12345 % m, 80)
    verdict = found(numbers, "quadratic")
    step = Quadratic(*(verdict.parameters[name] for name in "mabc")).step
    assert [step(x) for x in numbers[:-1]] == numbers[1:]
    assert verdict.outputs_needed <= (16 if m == 10**9 else 8)  # small factors are common to more determinants
    assert verdict.previous is None


def test_a_given_modulus_needs_fewer_numbers():
    numbers = quadratic(2**31 - 1, 77, 5, 3, 1, 60)
    assert found(numbers, "quadratic", modulus=2**31 - 1).outputs_needed <= 5
    numbers = inversive(2**31 - 1, 1_288_490_188, 1, 0, 60)
    assert found(numbers, "inversive", modulus=2**31 - 1).outputs_needed <= 5


@pytest.mark.parametrize("bits", [32, 256])
def test_blum_blum_shub_in_full(bits):
    """Moduli of two primes that are 3 modulo 4."""
    p, q = {32: (65519, 65539), 256: (2**127 - 1, 2**107 - 1)}[bits]
    numbers = quadratic(p * q, 1, 0, 0, 3**50, 60)
    verdict = unrandom.audit(numbers[1:-10])
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.family == "quadratic"
    assert [verdict.parameters[name] for name in "mabc"] == [p * q, 1, 0, 0]
    assert verdict.next == numbers[-10:]


@pytest.mark.parametrize("p", [2**31 - 1, 2**61 - 1, 1_000_003])
def test_inversive(p):
    numbers = inversive(p, 7 * p // 11, p // 3, 0, 100)
    verdict = found(numbers[10:], "inversive")
    assert [verdict.parameters[name] for name in "mac"] == [p, 7 * p // 11, p // 3]
    assert verdict.previous == numbers[:10]
    assert verdict.outputs_needed <= 7


@pytest.mark.slow
def test_fractions_of_an_inversive_generator():
    p = 2**31 - 1
    numbers = [x / p for x in inversive(p, 22_211, 11_926_380, 1, 80)]
    verdict = unrandom.audit(numbers[:-10])
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.family == "inversive"
    assert verdict.next == numbers[-10:]


def test_the_inversive_step_is_a_permutation():
    generator = Inversive(101, 7, 3)
    assert sorted(map(generator.step, range(101))) == list(range(101))
    assert [generator.back(generator.step(x)) for x in range(101)] == list(range(101))


def test_random_numbers_have_no_modulus():
    chance = random.Random(1)
    numbers = [chance.getrandbits(31) for _ in range(60)]
    rows = [[x * x, x, 1, y] for x, y in pairwise(numbers)]
    assert multiple_of_modulus(rows, 6) <= 256
    assert multiple_of_modulus(rows[:5], 6) == 0
    for family in ("quadratic", "inversive"):
        assert not isinstance(audit_stream(stream_of(numbers, 31), family=family), Predictable)
