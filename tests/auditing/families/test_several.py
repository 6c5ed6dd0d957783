"""Several generators of one kind in turn, as those of workers."""

import random
from itertools import islice
from math import log2

import pytest
from streams import audit_stream, stream_of

from plainly import lcg, take
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.congruential.lcg import FullState
from unrandom.auditing.families.several import Several
from unrandom.auditing.verdict import Predictable, TooFew


def in_turn(*streams):
    return [x for turn in zip(*streams, strict=True) for x in turn]


@pytest.mark.slow
def test_three_twisters_in_turn():
    workers = [random.Random(seed) for seed in (1, 2, 3)]
    numbers = in_turn(*([worker.getrandbits(32) for _ in range(660)] for worker in workers))
    verdict = audit_stream(stream_of(numbers[30:1960]), family="mersenne-twister")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.about.startswith("several generators in turn, each of them a Mersenne twister")
    assert verdict.parameters["in turn"] == 3
    assert verdict.next == numbers[1960:1970]
    assert verdict.previous == numbers[20:30]


@pytest.mark.parametrize("offset", [0, 1])
def test_two_lcgs_in_turn(offset):
    """They may have different parameters, and the last one may be the first to be printed."""
    numbers = in_turn(
        take(lcg(2**31 - 1, 16807, 0, 5), 60),
        take(lcg(2**31 - 249, 40692, 0, 99), 60),
    )[offset:]
    verdict = audit_stream(stream_of(numbers[10:90]), family="lcg")
    assert verdict.parameters["in turn"] == 2
    assert verdict.parameters["state"][offset]["known_as"].startswith("minstd0")
    assert verdict.next == numbers[90:100]
    assert verdict.previous == numbers[:10]


def test_one_generator_is_not_taken_for_several():
    verdict = audit_stream(stream_of(take(lcg(2**31 - 1, 16807, 0, 5), 60)))
    assert verdict.about == FullState.about


def test_the_bits_of_all_generators_count():
    numbers = in_turn(take(lcg(1009, 123, 45, 7), 20), take(lcg(1013, 321, 6, 700), 20))
    one = next(Several(FullState()).recover(stream_of(numbers[:20]), Deadline(60.0)))
    assert list(islice(one.outputs(), 40)) == numbers
    assert one.free_bits == pytest.approx(3 + 4 * (log2(1009) + log2(1013)))
    verdict = audit_stream(stream_of(numbers[:11]), family="lcg")
    assert isinstance(verdict, TooFew)
    assert verdict.candidates[0].next == numbers[11:21]
    assert 15 < verdict.candidates[0].bits < 11 * 10 - one.free_bits
