"""What is predicted is what the program prints next, to the last digit; what must be assumed is said."""

from itertools import islice
from random import Random

import pytest

import unrandom
from tiers import slow
from unrandom.auditing.benchmark.printed import v8
from unrandom.auditing.generators.v8 import BLOCK, MathRandom


@pytest.mark.parametrize("shown", [52, *slow(53)])
@pytest.mark.parametrize(("start", "scale"), [(0, 100), *slow((-1, 2), (5, 10))])
def test_scaled_fractions(shown, start, scale):
    for seed in range(3):
        numbers = list(islice(v8(shown, False, lambda u: start + scale * u)(Random(seed)), 110))
        verdict = unrandom.audit(numbers[:100])
        assert verdict.next == numbers[100:]
        assert verdict.parameters["bits"] == shown
        assert verdict.notes == []


def test_fractions_that_were_rounded_twice():
    numbers = list(islice(v8(53, False, lambda u: 7 * u * 3 + 1)(Random(0)), 110))
    verdict = unrandom.audit(numbers[:100], start=1, scale=21)
    assert verdict.next == pytest.approx(numbers[100:], rel=1e-14)
    assert "last digits may differ" in verdict.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("added", [False, True])
def test_a_part_of_a_block(added):
    generator, chance = MathRandom(53, added), Random(1)
    block, state = generator.block((chance.getrandbits(64), chance.getrandbits(64)))
    fractions = [x / 2**53 for x in block + generator.block(state)[0]]
    from_the_start = unrandom.audit(fractions[:40])
    assert from_the_start.next == fractions[40:50]
    assert from_the_start.previous is None
    assert "assumed to be number 1 of a block" in from_the_start.notes[0]
    within = unrandom.audit(fractions[5:45])  # nothing tells that 5 numbers of the block are missing
    assert within.next == fractions[45:55]
    over_the_end = unrandom.audit(fractions[30 : BLOCK + 20])
    assert over_the_end.next == fractions[BLOCK + 20 : BLOCK + 30]
    assert over_the_end.previous == fractions[20:30]
    assert over_the_end.notes == []
