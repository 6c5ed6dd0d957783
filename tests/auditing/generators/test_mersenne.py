"""Mersenne twisters agree with the C++ standard and with Python, forwards and backwards, singly and in parallel."""

import random

import numpy as np
import pytest

from unrandom.auditing.generators.mersenne import MT19937, MT19937_64


def seeded(twister, seed, factor):
    """State words initialised as in the C++ standard."""
    words = [seed]
    for i in range(1, twister.n):
        words.append((factor * (words[-1] ^ (words[-1] >> (twister.w - 2))) + i) % 2**twister.w)
    return np.array(words, dtype=np.uint64)


@pytest.mark.parametrize(
    ("twister", "factor", "number"),
    [(MT19937, 1812433253, 4123659995), (MT19937_64, 6364136223846793005, 9981545732273789042)],
)
def test_the_ten_thousandth_number_of_the_standard(twister, factor, number):
    words, left = seeded(twister, 5489, factor), 10_000
    while True:
        words = twister.next_block(words)
        if left <= twister.n:
            break
        left -= twister.n
    assert int(twister.temper(words)[left - 1]) == number


def test_pythons_twister_in_several_states_at_once():
    twisters = [random.Random(seed) for seed in range(3)]
    words = np.array([twister.getstate()[1][:-1] for twister in twisters], dtype=np.uint64)
    made = [words := MT19937.next_block(words) for _ in range(2)]
    outputs = MT19937.temper(np.concatenate(made, axis=-1))
    assert outputs.tolist() == [[twister.getrandbits(32) for _ in range(2 * MT19937.n)] for twister in twisters]


@pytest.mark.parametrize("twister", [MT19937, MT19937_64])
def test_inverse_operations(twister):
    words = np.random.default_rng(0).integers(0, 2**twister.w, (2, twister.n), dtype=np.uint64)
    assert (twister.untemper(twister.temper(words)) == words).all()
    x, y = words[:, 0].tolist()
    assert twister.untemper(twister.temper(x)) == x
    assert twister.untwist(twister.twist(x, y)) == (x & twister.upper) | (y & twister.lower)
    following = twister.next_block(words)
    both = np.concatenate([words, following], axis=-1)
    for places in (1, 5, twister.n - 1):  # the lowest 31 bits of the first word are not part of the state
        before = twister.block_before(following, places)
        assert (before == both[:, twister.n - places : 2 * twister.n - places]).all()
