"""xorshift128+, xoroshiro and xoshiro generators agree with Vigna's definitions, forwards and backwards."""

import random
from itertools import islice

import numpy as np
import pytest

from orbits import orbits
from plainly import rotl, xoroshiro128, xorshift128, xoshiro
from unrandom.auditing.generators.xoshiro import XOSHIROS, Plus, StarStar

PLAIN = {
    "xoshiro256": lambda s: xoshiro(s, 17, 45, 64),
    "xoshiro128": lambda s: xoshiro(s, 9, 11, 32),
    "xoroshiro128**": lambda s: xoroshiro128(s, 24, 16, 37),
    "xoroshiro128+ (24": lambda s: xoroshiro128(s, 24, 16, 37),
    "xoroshiro128+ (55": lambda s: xoroshiro128(s, 55, 14, 36),
    "xorshift128+ (23, 17, 26)": lambda s: xorshift128(s, 23, 17, 26),
    "xorshift128+ (23, 18, 5)": lambda s: xorshift128(s, 23, 18, 5),
}
BY_NAME = {one.name: one for one in XOSHIROS}


def plainly(generator, state, count):
    """Outputs from plain state sequences, with independent output functions."""
    (states,) = (plain(state) for name, plain in PLAIN.items() if generator.name.startswith(name))
    bits, m = generator.engine.bits, 2**generator.scrambler.bits
    if "**" in generator.name:
        word = 1 if "xoshiro" in generator.name else 0
        return [rotl(5 * s[word] % m, 7, bits) * 9 % m for s in islice(states, count)]
    return [(s[0] + s[-1]) % m for s in islice(states, count)]


@pytest.mark.parametrize("generator", XOSHIROS, ids=lambda one: one.name)
def test_steps_and_outputs(generator):
    rng, engine = np.random.default_rng(0), generator.engine
    states = rng.integers(0, 2**engine.bits, (engine.words, 8), dtype=np.uint64)
    made = orbits(generator, tuple(states), 40)
    for state, row in zip(map(tuple, states.T.tolist()), made.tolist(), strict=True):
        assert row == plainly(generator, state, 40)
        assert generator.output(generator.step(state)) == row[1]
        assert generator.back(generator.step(state)) == generator.step(generator.back(state)) == state


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("xoshiro256**", [11520, 0, 1509978240, 1215971899390074240]),
        ("xoshiro256+", [5, 211106232532999, 211106635186183, 9223759065350669058]),
        ("xoshiro128**", [11520, 0, 5927040, 70819200]),
        ("xoshiro128+", [5, 12295, 25178119, 27286542]),
        ("xoroshiro128+ (24, 16, 37)", [3, 412333834243, 2360170716294286339, 9295852285959843169]),
        ("xoroshiro128**", [5760, 97769243520, 9706862127477703552, 9223447511460779954]),
    ],
)
def test_first_outputs(name, first):
    """The outputs from state 1, 2, … in other implementations."""
    generator = BY_NAME[name]
    state, made = tuple(range(1, generator.engine.words + 1)), []
    for _ in first:
        made.append(generator.output(state))
        state = generator.step(state)
    assert made == first


@pytest.mark.parametrize("scrambler", [Plus(64), Plus(53), StarStar(64, 1), StarStar(32, 0)], ids=str)
def test_what_is_linear_in_an_output(scrambler):
    chance = random.Random(0)
    bits = max(scrambler.bits, 32)
    for _ in range(50):
        one, two = (tuple(chance.getrandbits(bits) for _ in range(2)) for _ in range(2))
        both = tuple(x ^ y for x, y in zip(one, two, strict=True))
        linear = [scrambler.linear_in_state(state) for state in (one, two, both)]
        assert linear == [scrambler.linear_in_output(scrambler.output(state)) for state in (one, two, both)]
        assert linear[0] ^ linear[1] == linear[2]
        assert max(linear) < 2**scrambler.linear_bits
