"""PCG32 of a known increment is recovered from three outputs: the published ones, and others."""

import random

import pytest
from streams import audit_stream, stream_of

import unrandom
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.congruential.pcg import Pcgs
from unrandom.auditing.verdict import NotPredicted, Predictable, TooFew
from unrandom.generators.pcg import DROPPED, INCREMENTS, MULTIPLIER, Pcg32, unrotated

DEMO = [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]
"""What the demonstration of pcg-random.org prints: seed 42, stream 54."""


def outputs(increment, state, count):
    generator, found = Pcg32(increment), []
    for _ in range(count):
        found.append(generator.output(state))
        state = generator.step(state)
    return found


def test_the_demonstration():
    generator = Pcg32(54 << 1 | 1)
    state = generator.step(generator.step(0) + 42)
    assert outputs(generator.increment, state, 6) == DEMO
    verdict = audit_stream(stream_of(DEMO), family="pcg32")
    assert verdict.next == outputs(generator.increment, state, 16)[6:]
    assert verdict.parameters["state"] == state
    assert verdict.parameters["increment is that"] == "of the stream 54, as in the demonstration"


def test_top_bits_of_every_turn():
    chance = random.Random(1)
    for turn in range(32):
        state = turn << 59 | chance.getrandbits(59)
        assert unrotated(Pcg32(1).output(state), turn) == state >> DROPPED


@pytest.mark.parametrize("increment", INCREMENTS)
def test_three_outputs_are_a_candidate_and_four_a_proof(increment):
    state = random.Random(increment).getrandbits(64)
    before, *words = outputs(increment, Pcg32(increment).back(state), 20)
    few = audit_stream(stream_of(words[:3], 32), family="pcg32")
    assert isinstance(few, TooFew)
    assert few.candidates[0].next == words[3:13]
    assert 20 < few.candidates[0].bits < 32
    verdict = audit_stream(stream_of(words[:4], 32), family="pcg32")
    assert isinstance(verdict, Predictable)
    assert verdict.next == words[4:14]
    assert verdict.previous[-1] == before


def test_an_increment_of_the_user():
    words = outputs(12345, 678, 14)
    assert isinstance(audit_stream(stream_of(words[:5], 32), family="pcg32"), NotPredicted)
    verdict = unrandom.audit(words[:4], modulus=2**64, multiplier=MULTIPLIER, increment=12345, bits=32, family="pcg32")
    assert verdict.family == "pcg32"
    assert verdict.next == words[4:]
    assert verdict.parameters["increment is that"] == "given"


def test_all_states_of_three_outputs_are_found():
    for seed in range(5):
        state = random.Random(seed).getrandbits(64)
        stream = stream_of(outputs(1, state, 3), 32)
        assert state in [one.state for one in Pcgs().recover(stream, Deadline(60.0))]
