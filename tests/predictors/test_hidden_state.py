"""Lattices recover hidden states from any part of them that is shown."""

import random

import pytest

from unrandom.generators.lcg import LCG
from unrandom.predictors.hidden_state import hidden_states, outputs_needed, states_within

MULTIPLIER = 6364136223846793005


def test_states_within_bounds():
    m, a, c, x = 2**48, 0x5DEECE66D, 11, 123456789012345
    powers, offsets, bounds = [1], [0], []
    for _ in range(7):
        powers.append(powers[-1] * a % m)
        offsets.append((offsets[-1] * a + c) % m)
    for power, offset in zip(powers, offsets, strict=True):
        low = (((power * x + offset) % m) >> 36) << 36
        bounds.append((low, low + 2**36 - 1))
    assert x in states_within(powers, offsets, m, bounds)


@pytest.mark.parametrize(("modulus", "low", "bits"), [(2**64, 48, 16), (2**61 - 1, 0, 12), (10**18 + 9, 20, 16)])
@pytest.mark.parametrize("known", [True, False])
def test_states_of_which_a_window_is_known(modulus, low, bits, known):
    lcg = LCG(modulus, MULTIPLIER % modulus, 0x123456789ABCDEF)
    start = random.Random(bits).randrange(modulus)
    states = lcg.orbit(start, 64)
    period = 1 << (low + bits)
    bounds = [(((x % period) >> low) << low, (((x % period) >> low) + 1) << low) for x in states]
    bounds = [(least, beyond - 1) for least, beyond in bounds]
    increment = lcg.c if known else None
    found, first = next(hidden_states(bounds, modulus, lcg.a, increment, period=min(period, modulus)))
    again = found.orbit(first, 64)
    assert [(x % period) >> low for x in again] == [(x % period) >> low for x in states]
    if known:
        assert (found, first) == (lcg, start)


def test_too_little_information_is_detected_in_advance():
    bounds = [(0, 2**60 - 1)] * 17  # each shows 4 of 64 bits
    assert outputs_needed(bounds, 2**64, unknown_increment=False) is None
    assert not list(hidden_states(bounds, 2**64, MULTIPLIER, 1))
    assert outputs_needed(bounds * 2, 2**64, unknown_increment=False) == 19
    assert outputs_needed([*bounds * 2, (5, 4)], 2**64, unknown_increment=False) is None
    assert outputs_needed([(0, 2**63 - 1)] * 500, 2**64, unknown_increment=False) is None  # too many for a lattice


@pytest.mark.parametrize("bits", [24, 28, 30])
def test_low_bits_modulo_a_prime_with_the_increment_unknown(bits):
    """The modulus is only a few periods, so that the states must be centred between 0 and the modulus."""
    lcg, period = LCG(2**31 - 1, 48271, 12345), 1 << bits
    for start in range(1, 2**31, 2**27):
        seen = [x % period for x in lcg.orbit(start, 40)]
        found, first = next(hidden_states([(x, x) for x in seen], lcg.m, lcg.a, period=period))
        assert [x % period for x in found.orbit(first, 40)] == seen


def test_impossible_outputs_have_no_state():
    chance = random.Random(0)
    bounds = [(x << 48, ((x + 1) << 48) - 1) for x in (chance.getrandbits(16) for _ in range(40))]
    assert not list(hidden_states(bounds, 2**64, MULTIPLIER, 1))
    assert not list(hidden_states(bounds, 2**64, MULTIPLIER))
