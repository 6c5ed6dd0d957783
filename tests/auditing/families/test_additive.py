"""Additive generators of which a part is shown are recovered from where their sums overflow."""

import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from streams import audit_stream, fractions_of, stream_of

import unrandom
from plainly import lagged, take
from tiers import slow
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.carry.additive import ADDITIVE
from unrandom.auditing.verdict import NotPredicted, Predictable, TooFew

GO = (273, 607, (1, 1), 2**64)
GLIBC = (3, 31, (1, 1), 2**32)
DOTNET = (34, 55, (-1, 1), 2**31 - 1)


def numbers_of(rule, count):
    """The numbers of a generator in a random state."""
    chance = random.Random(str(rule))
    return take(lagged([chance.randrange(rule[-1]) for _ in range(rule[1])], *rule), count)


def check(stream, count):
    """Asserts that the generator recovered from so many outputs makes all of them, and those before."""
    assert len(stream) >= count + 70
    for family in ADDITIVE:
        for generator in family.recover(stream.part(10, 10 + count), Deadline(60)):
            outputs = list(islice(generator.outputs(), len(stream) - 10))
            if stream.matches(10, outputs) == len(outputs):
                before = generator.previous(10)
                assert before is not None
                assert stream.matches(0, before) == 10
                return
    pytest.fail(f"no generator is found from {count} outputs")


def vector(name):
    lines = (Path(__file__).parents[1] / "vectors" / name).read_text().splitlines()
    return [int(line) for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(
    ("name", "family", "needed", "rule"),
    [
        *slow(("c_rand_die.txt", None, 2900, "x[i] = x[i-3] + x[i-31] mod 2^32")),
        ("net_next_million.txt", "additive", 1900, "x[i] = -x[i-34] + x[i-55] mod 2147483647"),
    ],
)
def test_outputs_of_programs(name, family, needed, rule):
    numbers = vector(name)
    verdict = unrandom.audit(numbers[:-10], family=family)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.verdict == "predictable"
    assert verdict.family == "additive"
    assert verdict.parameters["rule"] == rule
    assert verdict.next == numbers[-10:]
    assert verdict.outputs_needed <= needed


@pytest.mark.parametrize(("n", "count"), [(5, 3100), (6, 3000), (7, 3000), (10, 2900), (100, 2600), (10**6, 1300)])
def test_remainders_of_glibc(n, count):
    check(stream_of([(x >> 1) % n for x in numbers_of(GLIBC, 3600)], bounded=n), count)


@pytest.mark.parametrize(("n", "count"), [(3, 3300), (4, 3200), (6, 3100), (100, 2700), (2**15, 1900)])
def test_ranges_of_glibc(n, count):
    check(stream_of([n * (x >> 1) >> 31 for x in numbers_of(GLIBC, 3600)], bounded=n), count)


def test_words_and_fractions_of_glibc():
    numbers = [x >> 1 for x in numbers_of(GLIBC, 2500)]
    check(stream_of([x >> 16 for x in numbers], 15), 1900)
    check(fractions_of([x / (2**31 - 1) for x in numbers], 6), 1700)
    check(fractions_of([x / 2**31 for x in numbers], 4), 2200)


@pytest.mark.parametrize(("near", "far"), [(3, 7), (1, 15), (1, 63)])
def test_other_states_of_random(near, far):
    rule = (near, far, (1, 1), 2**32)
    check(stream_of([(x >> 1) % 1000 for x in numbers_of(rule, 90 * far)], bounded=1000), 80 * far)


def test_dotnet():
    numbers, m = numbers_of(DOTNET, 4100), 2**31 - 1
    check(stream_of([100 * x // m for x in numbers], bounded=100), 3800)
    check(stream_of([x % 100 for x in numbers], bounded=100), 3800)
    check(fractions_of([x * (1.0 / m) for x in numbers], 4), 2900)


def test_knuths_subtractive_generator_in_six_digits():
    rule = (24, 55, (-1, 1), 10**9)
    check(fractions_of([x / 10**9 for x in numbers_of(rule, 2200)], 6), 1900)


def test_fractions_of_go():
    check(fractions_of([(x % 2**63) / 2**63 for x in numbers_of(GO, 20_500)]), 20_000)


@pytest.mark.parametrize("shown", [lambda x: x >> 31, *slow(lambda x: (x >> 32) % 100, lambda x: (x >> 32) % 64)])
def test_whole_numbers_of_go(shown):
    numbers = [shown(x % 2**63) for x in numbers_of(GO, 58_500)]
    n = {6: 64, 7: 100}.get(max(numbers).bit_length())
    check(stream_of(numbers, bounded=n) if n else stream_of(numbers, 32), 58_000)


def test_too_few_outputs_are_recognised():
    """Residuals tell the generator before its state can be found."""
    verdict = audit_stream(stream_of([(x % 2**63) >> 32 for x in numbers_of(GO, 4000)], 31), family="additive")
    assert isinstance(verdict, TooFew)
    assert [one.about for one in verdict.needed] == [ADDITIVE[-1].about]
    assert 55_000 < verdict.needed[0].outputs < 62_000


@pytest.mark.parametrize("n", [3, 4, 5, 6, 100])
def test_random_numbers_are_excluded(n):
    chance = random.Random(n)
    stream = stream_of([0, n - 1, *(chance.randrange(n) for _ in range(4000))], bounded=n)
    assert all(family.needs(stream) is None for family in ADDITIVE)
    assert isinstance(audit_stream(stream, family="additive"), NotPredicted)


def test_a_remainder_by_three_does_not_tell_where_sums_overflow():
    stream = stream_of([(x >> 1) % 3 for x in numbers_of(GLIBC, 4000)], bounded=3)
    assert isinstance(audit_stream(stream, family="additive"), NotPredicted)


def test_an_output_changed_is_a_break():
    numbers = [(x >> 1) % 100 for x in numbers_of(GLIBC, 4000)]
    numbers[3500] = (numbers[3500] + 1) % 100
    verdict = audit_stream(stream_of(numbers, bounded=100), family="additive")
    assert isinstance(verdict, Predictable)
    assert [(one.after, one.skipped, one.lost) for one in verdict.breaks] == [(3500, 1, 1)]


def test_forms_differ_by_their_hidden_bits():
    stream = fractions_of(np.array([x / 2**63 % 1 for x in numbers_of(GO, 700)]).tolist())
    assert 18_000 < (ADDITIVE[-1].needs(stream) or 0) < 22_000
