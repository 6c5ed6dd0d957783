"""LCGs of any size are recovered, and those that the user describes from any part of their states."""

import random

import pytest

import unrandom
from plainly import lcg, take
from tiers import slow
from unrandom.auditing.verdict import NotPredicted, Predictable, TooFew


@pytest.mark.parametrize("m", [2**128, 2**89 - 1, 10**30 + 57, 2**200])
def test_lcgs_of_more_than_64_bits(m):
    chance = random.Random(m)
    a, c = chance.randrange(m) | 5, chance.randrange(m) | 1
    numbers = take(lcg(m, a, c, 7), 60)
    for known, needed in (
        ({}, 5),
        ({"multiplier": a}, 4),
        ({"modulus": m}, 3),
        ({"modulus": m, "multiplier": a}, 2),
    ):
        verdict = unrandom.audit(numbers[:50], **known)
        assert isinstance(verdict, Predictable), verdict.text()
        assert verdict.family == "lcg"
        assert verdict.next == numbers[50:60]
        assert verdict.outputs_needed == needed
        assert verdict.to_json()["state"] == numbers[0]


def test_words_of_more_than_64_bits_may_be_unpredictable():
    chance = random.Random(1)
    verdict = unrandom.audit([chance.getrandbits(100) for _ in range(80)])
    assert isinstance(verdict, NotPredicted | TooFew)


PRIME, MULTIPLIER, INCREMENT = 10**9 + 7, 123456789, 987654321


@pytest.mark.parametrize("known_increment", [True, False])
@pytest.mark.parametrize(
    "show",
    [lambda x: x >> 12, lambda x: x % 10, lambda x: x % 16, lambda x: x * 10 // PRIME, lambda x: round(x / PRIME, 4)],
    ids=["top bits", "remainder", "low bits", "range", "fraction"],
)
def test_parts_of_an_lcg_with_a_given_prime_modulus(show, known_increment):
    numbers = take(lcg(PRIME, MULTIPLIER, INCREMENT, 5, show), 400)
    increment = INCREMENT if known_increment else None
    verdict = unrandom.audit(numbers[:390], modulus=PRIME, multiplier=MULTIPLIER, increment=increment)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.family == "given-lcg"
    assert verdict.next == numbers[390:]
    assert verdict.outputs_needed <= (12 if known_increment else 330)


@pytest.mark.parametrize(
    "show",
    [lambda x: x >> 33, lambda x: (x >> 20) & 0xFFFF, lambda x: x % 9, *slow(lambda x: x % 100)],
    ids=["top bits", "middle bits", "odd remainder", "even remainder"],
)
def test_parts_of_an_lcg_with_a_given_power_of_two(show):
    m, a, c = 2**64, 6364136223846793005, 12345
    numbers = take(lcg(m, a, c, 5, show), 200)
    verdict = unrandom.audit(numbers[:190], modulus=m, multiplier=a, increment=c)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == numbers[190:]
    assert verdict.outputs_needed <= 25


@pytest.mark.parametrize(
    ("show", "needed"),
    [
        (lambda x: x >> 15, 3),
        (lambda x: x % 100, 8),
        *slow((lambda x: 1 + x % 6, 20)),
        (lambda x: 1 + (x - 1) // 357913940, 20),
    ],
    ids=["top bits", "remainder", "die", "std::uniform_int_distribution"],
)
def test_parts_of_minstd(show, needed):
    numbers = take(lcg(2**31 - 1, 48271, 0, 123, show), 150)
    verdict = unrandom.audit(numbers[:140])
    assert isinstance(verdict, Predictable), verdict.text()
    assert (verdict.family, verdict.parameters["generator"]) == ("truncated-lcg", "minstd")
    assert verdict.next == numbers[140:]
    assert verdict.outputs_needed <= needed


@pytest.mark.parametrize("bound", [10, 52, 100])
def test_the_rand_of_musl_below_a_bound(bound):
    numbers = take(lcg(2**64, 6364136223846793005, 1, 5, lambda x: (x >> 33) % bound), 150)
    verdict = unrandom.audit(numbers[:140], family="remainder", bounded=bound)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == numbers[140:]
