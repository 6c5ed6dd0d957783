"""Generators linear modulo 2 are recovered: twisters, xorshifts, xoshiros, V8's Math.random(), shift registers."""

import random
from itertools import islice

import numpy as np
import pytest
from streams import audit_stream, found, stream_of

from plainly import (
    rotl,
    seeded_twister,
    splitmix64,
    take,
    v8,
    xoroshiro128,
    xorshift,
    xorshift128,
    xorshift_words,
    xoshiro,
)
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.linear.twister import Twisters
from unrandom.auditing.families.linear.v8 import V8
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.scales import scales
from unrandom.auditing.forms.shown import Fractions
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.v8 import BLOCK


def test_the_twister_of_the_standard():
    twister = seeded_twister(5489)
    numbers = [twister.getrandbits(32) for _ in range(700)]
    (generator,) = Twisters().recover(stream_of(numbers, 32), Deadline(60))
    assert next(islice(generator.outputs(), 9999, None)) == 4123659995


@pytest.mark.parametrize(("bits", "needed"), [(32, 624), (31, 1249), (24, 1249), (19, 1249), (64, 312)])
def test_twisters_whose_words_show_some_bits(bits, needed):
    twister = random.Random(bits)
    before = [twister.getrandbits(bits) for _ in range(10)]
    numbers = [twister.getrandbits(bits) for _ in range(1400)]
    verdict = found(numbers, "mersenne-twister", bits=bits)
    assert verdict.outputs_needed == needed
    assert verdict.previous == before


def test_fractions_of_a_twister():
    twister = random.Random(1)
    before = [twister.random() for _ in range(10)]
    values = np.array([twister.random() for _ in range(700)])
    errors = np.zeros(700)
    verdict = audit_stream(Stream(values, Form("fraction"), Fractions(errors, scales=scales(values, errors))))
    assert verdict.family == "mersenne-twister"
    assert verdict.next == [twister.random() for _ in range(10)]
    assert verdict.previous == before
    assert verdict.outputs_needed == 625


@pytest.mark.parametrize(
    ("width", "shifts", "written"),
    [
        (32, (13, -17, 5), "<<13 >>17 <<5"),
        (64, (13, -7, 17), "<<13 >>7 <<17"),
        (64, (-12, 25, -27), ">>12 <<25 >>27"),
    ],
)
def test_xorshifts_of_one_word(width, shifts, written):
    numbers = take(xorshift(2463534242, width, shifts), 60)
    verdict = found(numbers, "xorshift", bits=width)
    assert verdict.parameters["shifts"] == written
    assert verdict.previous[-1] == 2463534242


def test_marsaglias_xorshift128():
    words = take(xorshift_words([123456789, 362436069, 521288629, 88675123], 32, (11, -8), 19), 80)
    assert words[4:6] == [3701687786, 458299110]
    verdict = found(words[4:], "xorshift", bits=32)
    assert verdict.parameters == {"words": 4, "bits": 32, "shifts": "<<11 >>8 >>19"}
    assert verdict.previous[-4:] == words[:4]


def plus(state, bits=64):
    return (state[0] + state[-1]) % 2**bits


def starstar(word, bits=64):
    return rotl(5 * word % 2**bits, 7, bits) * 9 % 2**bits


SEED = (2**63 + 12345, 987654321, 0xDEADBEEF12345678, 42)
SMALL = (2**31 + 12345, 987654321, 0xDEADBEEF, 42)


@pytest.mark.parametrize(
    ("name", "bits", "states", "show"),
    [
        ("xoshiro256**", 64, xoshiro(SEED, 17, 45, 64), lambda s: starstar(s[1])),
        ("xoroshiro128**", 64, xoroshiro128(SEED[:2], 24, 16, 37), lambda s: starstar(s[0])),
        ("xorshift128+ (23, 17, 26)", 64, xorshift128(SEED[:2], 23, 17, 26), plus),
        ("xorshift128+ (23, 18, 5)", 64, xorshift128(SEED[:2], 23, 18, 5), plus),
        ("xoroshiro128+ (24, 16, 37)", 64, xoroshiro128(SEED[:2], 24, 16, 37), plus),
        ("xoroshiro128+ (55, 14, 36)", 64, xoroshiro128(SEED[:2], 55, 14, 36), plus),
        ("xoshiro256+", 64, xoshiro(SEED, 17, 45, 64), plus),
        ("xoshiro128**", 32, xoshiro(SMALL, 9, 11, 32), lambda s: starstar(s[1], 32)),
        ("xoshiro128+", 32, xoshiro(SMALL, 9, 11, 32), lambda s: plus(s, 32)),
    ],
)
def test_xoshiro_and_the_like(name, bits, states, show):
    numbers = [show(state) for state in islice(states, 340)]
    verdict = found(numbers[10:], "xoshiro", bits=bits)
    assert verdict.parameters["engine"] == name
    assert verdict.previous == numbers[:10]


def test_fractions_of_firefox():
    numbers = [plus(state, 53) / 2**53 for state in islice(xorshift128(SEED[:2], 23, 17, 26), 320)]
    values, errors = np.array(numbers[10:300]), np.zeros(290)
    verdict = audit_stream(Stream(values, Form("fraction"), Fractions(errors, scales=scales(values, errors))))
    assert verdict.parameters["engine"] == "xorshift128+ (23, 17, 26), low 53 bits as in Firefox and Safari"
    assert verdict.next == numbers[300:310]
    assert verdict.previous == numbers[:10]


def test_multiplied_xorshift_and_mixed_counter():
    numbers = [x * 0x2545F4914F6CDD1D % 2**64 for x in take(xorshift(88172645463325252, 64, (-12, 25, -27)), 70)]
    star = found(numbers[10:], "xoshiro", bits=64)
    assert star.parameters["engine"] == "xorshift64*"
    assert star.previous == numbers[:10]
    numbers = take(splitmix64(0), 70)
    assert numbers[0] == 0xE220A8397B1DCDAF
    splitmix = found(numbers[10:], "xoshiro", bits=64)
    assert splitmix.parameters["engine"] == "SplitMix64"
    assert splitmix.previous == numbers[:10]


@pytest.mark.parametrize("shown", [52, 53])
@pytest.mark.parametrize("skipped", [0, 1, 30, 63, 64, 70])
def test_fractions_of_v8(shown, skipped):
    made = [(word >> (64 - shown)) / 2**shown for word in take(v8(SEED[:2]), 400)][BLOCK - 10 :]
    values, errors = np.array(made[10 + skipped : 300]), np.zeros(290 - skipped)
    stream = Stream(values, Form("fraction"), Fractions(errors, scales=scales(values, errors)))
    verdict = audit_stream(stream, family=V8.name)
    assert verdict.next == made[300:310]
    assert verdict.previous == made[skipped : 10 + skipped]
    assert verdict.parameters["left_of_first_block"] == BLOCK - skipped % BLOCK


def test_registers_of_any_taps():
    state, bits = [1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1], []
    while len(bits) < 300:
        bits.append(state[-1])
        state = [state[1] ^ state[4] ^ state[10], *state[:-1]]
    verdict = found(bits, "linear-mod-2")
    assert verdict.parameters["orders"] == [11]
