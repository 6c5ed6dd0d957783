"""The words that a program dropped between its outputs are found, for a Mersenne twister."""

import random

import numpy as np
import pytest

from unrandom.auditing.algebra.dropped_words import UNKNOWN, parities, places
from unrandom.auditing.generators.mersenne import MT19937


@pytest.mark.parametrize(("lost", "count"), [(range(2), 27), (range(12), 7), (range(20, 32), 7), (range(16), 0)])
def test_parities_hold_whatever_the_lost_bits_are(lost, count):
    masks = parities(MT19937, list(lost))
    assert len(masks) >= count
    chance = random.Random(0)
    words = np.array([chance.getrandbits(32) for _ in range(624)], dtype=np.uint64)
    words = np.concatenate([words, MT19937.next_block(words)])
    kept = np.uint64((2**32 - 1) ^ sum(1 << bit for bit in lost))
    known = MT19937.untemper(MT19937.temper(words) & kept)
    residual = known[624:] ^ known[397 : 397 + 624] ^ MT19937.twist(np.zeros(624, np.uint64), known[1:625])
    for mask in masks:
        assert not (np.bitwise_count(residual & np.uint64(mask)) & 1).any()


@pytest.mark.parametrize(("n", "least"), [(10**9, 1700), (3133731337, 1300), (10**6, 1100)])
def test_places_of_numbers_below_n(n, least):
    twister, bits = random.Random(n), n.bit_length()
    drawn = [twister.getrandbits(bits) for _ in range(3500)]
    true = np.array([t for t, number in enumerate(drawn) if number < n])[:2000]
    outputs = np.array(drawn, dtype=np.uint64)[true] << np.uint64(32 - bits)
    found = places(MT19937, outputs, range(32 - bits), 1 - n / 2**bits)
    known = np.flatnonzero(found != UNKNOWN)
    assert len(known) >= least
    assert len(set((found[known] - true[known]).tolist())) == 1


def test_random_numbers_have_no_places():
    chance = random.SystemRandom()
    outputs = np.array([chance.randrange(10**9) << 2 for _ in range(2000)], dtype=np.uint64)
    found = places(MT19937, outputs, range(2), 0.07)
    assert found is None or (found != UNKNOWN).sum() < 100
    assert places(MT19937, outputs, range(32), 0.07) is None
