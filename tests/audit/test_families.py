"""Each family finds its generators, with their parameters, and says what comes next and what came before."""

import random
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import found, stream_of

from plainly import lcg, ranlux24_base, seeded_twister, take
from unrandom.audit.families import FAMILIES
from unrandom.audit.families.carry import WithCarry
from unrandom.audit.families.lcg import FullState, recover
from unrandom.audit.families.twister import MersenneTwister
from unrandom.audit.families.v8 import BLOCK, Blocks, MathRandom
from unrandom.audit.families.xoshiro import ENGINES
from unrandom.audit.family import Deadline
from unrandom.audit.search import audit
from unrandom.audit.stream import Form, Stream, scales
from unrandom.generators.known import KNOWN

MASK64 = 2**64 - 1


def test_constants_counters_and_periods():
    assert found([7] * 90, "trivial").parameters == {"kind": "constant", "value": 7}
    counter = found(list(range(50, 1000, 7)), "trivial")
    assert counter.parameters == {"kind": "counter", "step": 7}
    assert counter.previous is None  # it may have begun at 50
    wrapping = found([t * 7 % 31 for t in range(120)], "trivial")
    assert wrapping.parameters["modulus"] == 31
    assert wrapping.previous == [-7 * k % 31 for k in range(10, 0, -1)]
    period = found([3, 1, 4, 1, 5] * 30, "trivial")
    assert period.parameters == {"kind": "period", "length": 5}
    assert period.outputs_needed == 10
    assert period.previous == [3, 1, 4, 1, 5] * 2
    late = found([1, 2, 4, 8, *[0, 5] * 60], "trivial")
    assert late.parameters == {"kind": "period", "length": 2, "after": 4}
    assert late.previous is None


@settings(max_examples=25, deadline=None)
@given(m=st.integers(2**10, 2**64), data=st.data())
def test_lcgs_of_any_modulus_are_found_or_trivial(m, data):
    a, c, x = (data.draw(st.integers(0, m - 1)) for _ in range(3))
    numbers = take(lcg(m, a, c, x), 220)
    verdict = audit(stream_of(numbers[:200]))
    assert verdict.predictable, verdict.words()
    assert verdict.next == numbers[200:210]
    assert audit(stream_of(numbers[:200], modulus=m)).next == numbers[200:210]


def test_an_lcg_and_its_name():
    verdict = found(take(lcg(2**64, 6364136223846793005, 1442695040888963407, 5), 120), "lcg")
    assert verdict.parameters["known_as"] == "mmix"
    assert verdict.outputs_needed <= 7
    assert verdict.previous[-1] == 5
    assert found(take(lcg(2**31 - 1, 48271, 0, 1), 120), "lcg", modulus=2**31 - 1).outputs_needed == 3


@pytest.mark.parametrize(("name", "golden"), [("minstd0", 1043618065), ("minstd", 399268537)])
def test_the_ten_thousandth_number_of_the_standard(name, golden):
    known = KNOWN[name].lcg
    (generator,) = FullState().recover(stream_of(known.orbit(known(1), 8)), Deadline(60))
    assert next(islice(generator.outputs(), 9999, None)) == golden


def test_differences_with_a_common_factor():
    lcg_of_even_steps = recover([x * 4 % 2**20 for x in take(lcg(2**18, 5, 3, 1), 20)], 2**20)
    assert lcg_of_even_steps is not None
    assert recover([1, 2, 3, 4, 7, 9, 1, 5]) is None


@pytest.mark.parametrize(
    ("name", "low", "bits"),
    [
        ("msvc", 16, 15),
        ("ansi-c", 16, 15),
        ("borland", 16, 15),
        ("drand48", 17, 31),
        ("java", 16, 32),
        ("java", 24, 24),
        ("musl", 33, 31),
        ("newlib", 32, 31),
        ("vms", 16, 16),
    ],
)
def test_parts_of_known_lcgs(name, low, bits):
    known = KNOWN[name].lcg
    numbers = take(lcg(known.m, known.a, known.c, 99, lambda x: (x >> low) % 2**bits), 150)
    verdict = found(numbers, "truncated-lcg", bits=bits)
    assert verdict.outputs_needed <= 8
    assert verdict.previous[-1] == (99 >> low) % 2**bits


@pytest.mark.parametrize(("bits", "state"), [(12, 32), (16, 32), (15, 31), (24, 48), (32, 64)])
def test_unknown_lcgs_that_show_their_top_bits(bits, state):
    chance = random.Random(bits)
    m = 2**state
    a, c = chance.randrange(5, m, 8), chance.randrange(1, m, 2)
    numbers = take(lcg(m, a, c, chance.randrange(m), lambda x: x >> (state - bits)), 1500)
    verdict = audit(stream_of(numbers[:-20], bits), family="truncated-lcg-unknown")
    assert verdict.predictable, verdict.words()
    assert verdict.parameters["a"] == a
    assert verdict.parameters["m"] == m


@pytest.mark.parametrize("bound", [6, 9, 10, 52, 100, 101, 1000])
def test_java_numbers_below_a_bound(bound):
    java = KNOWN["java"].lcg
    numbers = take(lcg(java.m, java.a, java.c, 4711, lambda x: (x >> 17) % bound), 250)
    assert found(numbers, "remainder", bounded=bound).parameters["generator"] == "java.util.Random.nextInt(N)"


def test_a_remainder_by_a_power_of_two_and_a_range_by_a_product():
    msvc = KNOWN["msvc"].lcg
    found(take(lcg(msvc.m, msvc.a, msvc.c, 1, lambda x: (x >> 16) % 2**15 % 16), 250), "truncated-lcg", bounded=16)
    turbo = KNOWN["turbo-pascal"].lcg
    verdict = found(take(lcg(turbo.m, turbo.a, turbo.c, 1, lambda x: x * 100 >> 32), 250), "truncated-lcg", bounded=100)
    assert verdict.parameters["generator"] == "turbo-pascal"


def test_the_twister_of_the_standard():
    twister = seeded_twister(5489)
    numbers = [twister.getrandbits(32) for _ in range(700)]
    (generator,) = MersenneTwister().recover(stream_of(numbers, 32), Deadline(60))
    assert next(islice(generator.outputs(), 9999, None)) == 4123659995


@pytest.mark.parametrize(("bits", "needed"), [(32, 625), (31, 1249), (24, 1249), (19, 1249), (64, 313)])
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
    slack = np.zeros(700)
    verdict = audit(Stream(values, Form("fraction"), 0, slack, scales=scales(values, slack)))
    assert verdict.family == "mersenne-twister"
    assert verdict.next == [twister.random() for _ in range(10)]
    assert verdict.previous == before
    assert verdict.outputs_needed == 625


LEFT, RIGHT = True, False


@pytest.mark.parametrize(
    ("width", "shifts"),
    [
        (32, ((LEFT, 13), (RIGHT, 17), (LEFT, 5))),
        (64, ((LEFT, 13), (RIGHT, 7), (LEFT, 17))),
        (64, ((RIGHT, 12), (LEFT, 25), (RIGHT, 27))),
    ],
)
def test_xorshifts_of_one_word(width, shifts):
    x, numbers = 2463534242, []
    for _ in range(60):
        for left, by in shifts:
            x ^= x << by & 2**width - 1 if left else x >> by
        numbers.append(x)
    verdict = found(numbers, "xorshift", bits=width)
    assert verdict.parameters["shifts"] == " ".join(f"{'<<' if left else '>>'}{by}" for left, by in shifts)
    assert verdict.previous[-1] == 2463534242


def test_marsaglias_xorshift128():
    words = [123456789, 362436069, 521288629, 88675123]
    while len(words) < 80:
        t, w = words[-4] ^ words[-4] << 11 & 2**32 - 1, words[-1]
        words.append(w ^ w >> 19 ^ t ^ t >> 8)
    assert words[4:6] == [3701687786, 458299110]
    verdict = found(words[4:], "xorshift", bits=32)
    assert verdict.previous[-4:] == words[:4]


@pytest.mark.parametrize("engine", [engine for bits in (64, 32) for engine in ENGINES[bits]], ids=lambda e: e.name)
def test_xoshiro_and_the_like(engine):
    chance = random.Random(engine.name)
    state = tuple(chance.getrandbits(engine.bits) for _ in range(engine.words))
    numbers = []
    for _ in range(340):
        numbers.append(engine.output(state))
        state = engine.step(state)
    verdict = found(numbers[10:], "xoshiro", bits=engine.bits)
    assert verdict.parameters["engine"] == engine.name
    assert verdict.previous == numbers[:10]


def test_first_outputs_of_xoshiro256starstar():
    """From the state 1, 2, 3, 4, as other implementations have them."""
    engine = ENGINES[64][0]
    state, numbers = (1, 2, 3, 4), []
    for _ in range(4):
        numbers.append(engine.output(state))
        state = engine.step(state)
    assert numbers == [11520, 0, 1509978240, 1215971899390074240]


def test_multiplied_xorshift_and_mixed_counter():
    x, numbers = 88172645463325252, []
    for _ in range(60):
        x ^= x >> 12
        x ^= x << 25 & MASK64
        x ^= x >> 27
        numbers.append(x * 0x2545F4914F6CDD1D & MASK64)
    assert found(numbers, "xoshiro", bits=64).parameters["engine"] == "xorshift64*"
    numbers = []
    for i in range(1, 60):
        z = i * 0x9E3779B97F4A7C15 & MASK64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
        numbers.append(z ^ z >> 31)
    assert numbers[0] == 0xE220A8397B1DCDAF  # of the seed 0
    assert found(numbers, "xoshiro", bits=64).parameters["engine"] == "SplitMix64"


@pytest.mark.parametrize("shown", [52, 53])
@pytest.mark.parametrize("skipped", [0, 1, 30, 63, 64, 70])
def test_fractions_of_v8(shown, skipped):
    blank = Stream(np.zeros(1), Form("fraction"), 0, np.zeros(1))
    generator = Blocks((2**63 + 12345, 987654321), BLOCK, shown, blank)
    before = generator.previous(10)
    made = [*before, *islice(generator.outputs(), 400)]
    values, slack = np.array(made[10 + skipped : 300]), np.zeros(290 - skipped)
    stream = Stream(values, Form("fraction"), 0, slack, scales=scales(values, slack))
    verdict = audit(stream, family=MathRandom.name)
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


@pytest.mark.parametrize(("near", "far", "bits"), [(3, 31, 32), (24, 55, 32), (1, 3, 16), (24, 55, 64), (273, 607, 64)])
@pytest.mark.parametrize("sign", [1, -1])
def test_lagged_fibonacci(near, far, bits, sign):
    chance = random.Random(far)
    numbers = [chance.getrandbits(bits) for _ in range(far)]
    while len(numbers) < 3 * far + 200:
        numbers.append((numbers[-near] + sign * numbers[-far]) % 2**bits)
    verdict = found(numbers[20:], "lagged-fibonacci", bits=bits)
    assert verdict.previous == numbers[10:20]


def test_additive_generators_without_their_lowest_bit():
    chance = random.Random(0)
    for sign in (1, -1):
        numbers = [chance.getrandbits(32) for _ in range(31)]
        while len(numbers) < 500:
            numbers.append((numbers[-3] + sign * numbers[-31]) % 2**32)
        shown = [x >> 1 for x in numbers]
        verdict = found(shown[40:], "lagged-fibonacci", bits=31)
        assert verdict.previous == shown[30:40]
        assert 60 < verdict.outputs_needed < 300


def test_the_subtractive_generator_of_dotnet():
    """Its modulus 2**31 − 1 is read off the numbers, and of its fractions."""
    chance, m = random.Random(2), 2**31 - 1
    numbers = [chance.randrange(m) for _ in range(55)]
    while len(numbers) < 300:
        numbers.append((numbers[-55] - numbers[-34]) % m)
    assert found(numbers, "lagged-fibonacci").parameters["rule"] == "x[i] = -x[i-34] + x[i-55] mod 2147483647"
    values = np.array([x * (1.0 / m) for x in numbers])
    slack = np.zeros(len(values))
    assert audit(Stream(values, Form("fraction"), 0, slack, scales=scales(values, slack))).family == "lagged-fibonacci"


def test_subtraction_with_carry_of_the_standard():
    numbers = take(ranlux24_base(), 10_000)
    assert numbers[-1] == 7937952
    found(numbers[:150], "carry", bits=24)
    generator = next(WithCarry().recover(stream_of(numbers[:60], 24), Deadline(60)))
    assert next(islice(generator.outputs(), 9999, None)) == 7937952


def test_addition_with_carry():
    chance, carry = random.Random(4), 0
    numbers = [chance.getrandbits(32) for _ in range(21)]
    while len(numbers) < 200:
        total = numbers[-5] + numbers[-21] + carry
        carry = total >> 32
        numbers.append(total % 2**32)
    found(numbers, "carry", bits=32)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 9, 40])
def test_any_length_of_any_stream_will_do(family, count):
    chance = random.Random(count)
    values, slack = np.array([chance.random() for _ in range(count)]), np.zeros(count)
    streams = [
        *(stream_of([0, *(chance.getrandbits(bits) for _ in range(40))], bits).head(count) for bits in (1, 8, 32, 64)),
        stream_of([chance.randrange(10) for _ in range(40)], bounded=10).head(count),
        stream_of([0] * 40).head(count),
        stream_of([MASK64] * 40).head(count),
        Stream(values, Form("fraction"), 0, slack, scales=scales(values, slack)),
        Stream(values.round(3), Form("fraction", digits=3, fixed=True), 0, slack + 5e-4),
    ]
    for stream in streams:
        family.needs(stream)
        for generator in islice(family.recover(stream, Deadline(60)), 3):
            assert len(list(islice(generator.outputs(), 5))) == 5
            before = generator.previous(3)
            assert before is None or len(before) == 3
