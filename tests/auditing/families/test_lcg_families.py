"""Linear congruential generators are recovered from full states, parts of states, remainders, and pairs of states."""

import random
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import audit_stream, found, fractions_of, stream_of

from plainly import lcg, take
from tiers import slow
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.congruential.lcg import FullState
from unrandom.auditing.families.recovery import recover_lcg
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.scales import scales
from unrandom.auditing.forms.shown import Fractions
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.verdict import Predictable
from unrandom.generators.known import KNOWN


@settings(max_examples=25, deadline=None)
@given(m=st.integers(2**10, 2**64), data=st.data())
def test_lcgs_of_any_modulus_are_found_or_trivial(m, data):
    a, c, x = (data.draw(st.integers(0, m - 1)) for _ in range(3))
    numbers = take(lcg(m, a, c, x), 220)
    verdict = audit_stream(stream_of(numbers[:200]))
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == numbers[200:210]
    assert audit_stream(stream_of(numbers[:200], modulus=m)).next == numbers[200:210]


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
    lcg_of_even_steps = recover_lcg([x * 4 % 2**20 for x in take(lcg(2**18, 5, 3, 1), 20)], 2**20)
    assert lcg_of_even_steps is not None
    assert recover_lcg([1, 2, 3, 4, 7, 9, 1, 5]) is None


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
    verdict = audit_stream(stream_of(numbers[:-20], bits), family="truncated-lcg-unknown")
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.parameters["a"] == a
    assert verdict.parameters["m"] == m


@pytest.mark.parametrize("bound", [6, 9, 10, 52, *slow(100, 101, 1000)])
def test_java_numbers_below_a_bound(bound):
    java = KNOWN["java"].lcg
    numbers = take(lcg(java.m, java.a, java.c, 4711, lambda x: (x >> 17) % bound), 250)
    assert found(numbers, "remainder", bounded=bound).parameters["generator"] == "java.util.Random.nextInt(N)"


def test_a_remainder_by_a_power_of_two_and_a_range_by_a_product():
    msvc = KNOWN["msvc"].lcg
    found(take(lcg(msvc.m, msvc.a, msvc.c, 1, lambda x: (x >> 16) % 2**15 % 16), 250), "truncated-lcg", bounded=16)
    turbo = KNOWN["turbo-pascal"].lcg
    verdict = found(
        take(lcg(turbo.m, turbo.a, turbo.c, 1, lambda x: (x * 100) >> 32), 250), "truncated-lcg", bounded=100
    )
    assert verdict.parameters["generator"] == "turbo-pascal"


def test_few_digits_of_next_double_near_a_half():
    """The digits beyond the 26th bit are those of the next state, which decides some roundings."""
    states, places = take(lcg(2**48, 0x5DEECE66D, 11, 42), 40_000), 4
    numbers = [
        (((high >> 22) << 27) + (low >> 21)) / 2**53 for high, low in zip(states[::2], states[1::2], strict=True)
    ]
    assert any(round(u, places) != round(x / 2**48, places) for u, x in zip(numbers, states[::2], strict=True))
    verdict = audit_stream(fractions_of(numbers[:-10], places), family="truncated-lcg")
    assert verdict.verdict == "predictable"
    assert verdict.next == [round(u, places) for u in numbers[-10:]]
    assert verdict.outputs_needed <= 8
    ranges = [int(100 * u) for u in numbers[:300]]
    assert found(ranges, "truncated-lcg", bounded=100).parameters["generator"] == "java.util.Random.nextDouble()"


@pytest.mark.parametrize("as_long", [True, False])
def test_two_states_of_javas_random_in_each_output(as_long):
    states = take(lcg(2**48, 0x5DEECE66D, 11, 42), 140)
    pairs = list(zip(states[::2], states[1::2], strict=True))
    if as_long:
        signed = [((high >> 16) - ((high >> 47) << 32), (low >> 16) - ((low >> 47) << 32)) for high, low in pairs]
        verdict = found([((high << 32) + low) % 2**64 for high, low in signed][10:], "java", bits=64)
        before = [((high << 32) + low) % 2**64 for high, low in signed][:10]
    else:
        numbers = [(((high >> 22) << 27) + (low >> 21)) / 2**53 for high, low in pairs]
        values, errors, before = np.array(numbers[10:60]), np.zeros(50), numbers[:10]
        verdict = audit_stream(Stream(values, Form("fraction"), Fractions(errors, scales=scales(values, errors))))
        assert verdict.next == numbers[60:]
    assert verdict.parameters["method"] == ("nextLong()" if as_long else "nextDouble()")
    assert verdict.outputs_needed == 2
    assert verdict.previous == before
