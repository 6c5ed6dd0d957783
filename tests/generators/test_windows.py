"""Bits of an LCG state are the top bits of a smaller LCG."""

import random

import pytest

from plainly import lcg, take
from unrandom.generators.known import KNOWN
from unrandom.generators.windows import Window, states_showing


@pytest.mark.parametrize(("name", "low", "bits"), [("msvc", 16, 15), ("java", 17, 31), ("glibc-type0", 0, 31)])
def test_windows_of_known_generators(name, low, bits):
    known = KNOWN[name].lcg
    window, x = Window.of(name, known, low, bits), random.Random(0).randrange(known.m)
    assert window.lcg.m == 2 ** (low + bits)
    shown = take(lcg(known.m, known.a, known.c, x, lambda state: (state >> low) % 2**bits), 50)
    states = window.lcg.orbit(x % window.lcg.m, 51)[1:]
    assert [window.output(state) for state in states] == shown
    for state in states:
        least, greatest = states_showing(window.output(state), low)
        assert least <= state <= greatest == least + 2**low - 1
