"""Coins and numbers below 3 or 5 by java.util.Random, which show a bit or two of 48, are predicted."""

from pathlib import Path
from random import Random

import pytest

import unrandom
from unrandom.auditing.algebra.fourier import states_by_fourier
from unrandom.auditing.families.congruential.fourier import LEAST_COINS
from unrandom.auditing.generators.java import JAVA
from unrandom.auditing.verdict import Predictable, TooFew
from unrandom.generators.lcg import LCG


def coins_of_java() -> list[int]:
    lines = (Path(__file__).parents[1] / "vectors" / "java_coins.txt").read_text().splitlines()
    return [int(coin) for line in lines if not line.startswith("#") for coin in line]


def intervals(lcg: LCG, state: int, parts: int, count: int) -> list[tuple[int, int]]:
    """Bounds on states that show in which of so many equal parts each state lies."""
    shown = [x * parts // lcg.m for x in lcg.orbit(state, count)]
    return [(-(-y * lcg.m // parts), -(-(y + 1) * lcg.m // parts) - 1) for y in shown]


@pytest.mark.nightly
def test_coins_without_a_hint() -> None:
    coins = coins_of_java()
    verdict = unrandom.audit([bool(coin) for coin in coins[10:900]])
    assert isinstance(verdict, Predictable)
    assert verdict.family == "lcg-coins"
    assert verdict.next == [bool(coin) for coin in coins[900:910]]
    assert verdict.previous == [bool(coin) for coin in coins[:10]]
    assert verdict.outputs_needed < 800


@pytest.mark.slow
@pytest.mark.parametrize("heads", [0, 1])
def test_few_coins_of_either_side(heads: int) -> None:
    coins = [coin ^ heads for coin in coins_of_java()]
    verdict = unrandom.audit(coins[:620], family="lcg-coins")
    assert isinstance(verdict, Predictable)
    assert verdict.next == coins[620:630]


@pytest.mark.slow
def test_too_few_coins() -> None:
    verdict = unrandom.audit(coins_of_java()[: LEAST_COINS - 100], family="lcg-coins")
    assert isinstance(verdict, TooFew)
    assert "lcg-coins" in {one.family for one in verdict.needed}


@pytest.mark.slow
def test_other_coins_have_no_state() -> None:
    chance = Random(1)
    assert not isinstance(unrandom.audit([chance.getrandbits(1) for _ in range(900)], family="lcg-coins"), Predictable)


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 5])
def test_small_odd_remainders(n: int) -> None:
    numbers = [(x >> 17) % n for x in JAVA.orbit(Random(n).randrange(JAVA.m), 710)]
    verdict = unrandom.audit(numbers[10:700], family="java-remainder")
    assert isinstance(verdict, Predictable)
    assert (verdict.previous, verdict.next) == (numbers[:10], numbers[700:])
    other = unrandom.audit([y if t % 3 else (y + 1) % n for t, y in enumerate(numbers)], family="java-remainder")
    assert not isinstance(other, Predictable)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lcg", "parts", "count"),
    [
        (JAVA, 2, 900),
        (JAVA, 3, 400),
        (LCG(2**44, 7**13, 1), 2, 400),
        (LCG(2**31 - 1, 16807, 0), 2, 200),
        (LCG(10**14 + 31, 5**17, 3), 2, 700),
    ],
)
def test_states_by_fourier(lcg: LCG, parts: int, count: int) -> None:
    state = Random(count).randrange(lcg.m)
    assert list(states_by_fourier(lcg, intervals(lcg, state, parts, count))) == [state]


def test_no_states_without_enough_outputs() -> None:
    assert list(states_by_fourier(JAVA, intervals(JAVA, 5, 2, 300))) == []
    assert list(states_by_fourier(JAVA, [])) == []
    assert list(states_by_fourier(LCG(2**64, 5, 1), intervals(LCG(2**64, 5, 1), 7, 2, 900))) == []
