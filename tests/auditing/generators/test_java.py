"""nextLong() and nextDouble() agree with Java."""

import random
from itertools import islice

import pytest

from plainly import lcg
from unrandom.auditing.generators.java import NEXT_DOUBLE, NEXT_LONG


def signed(x):
    return x - 2**32 * (x >> 31)


@pytest.mark.parametrize("seed", range(5))
def test_as_the_documentation_has_it(seed):
    x = random.Random(seed).getrandbits(48)
    following = list(islice(lcg(2**48, 0x5DEECE66D, 11, x), 11))
    states = [x, *following]
    for method, first, second in ((NEXT_LONG, 32, 32), (NEXT_DOUBLE, 26, 27)):
        state = x
        for one, two in zip(states[::2], states[1::2], strict=True):
            high, low = one >> (48 - first), two >> (48 - second)
            long = method is NEXT_LONG
            assert method.output(state) == (
                ((signed(high) << 32) + signed(low)) % 2**64 if long else (high << 27) + low
            )
            assert method.back(method.step(state)) == state == one
            state = method.step(state)


def test_the_first_numbers_of_seed_42():
    """The outputs of new Random(42)."""
    state = (0x5DEECE66D * (42 ^ 0x5DEECE66D) + 11) % 2**48
    assert NEXT_LONG.output(state) - 2**64 == -5025562857975149833
    assert NEXT_DOUBLE.output(state) / 2**53 == 0.7275636800328681
