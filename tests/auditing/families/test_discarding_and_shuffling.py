"""Generators of C++ that shuffle the outputs of another one by a table (knuth_b), or discard most of them (ranlux)."""

from itertools import islice
from pathlib import Path
from random import Random

import pytest

import unrandom
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.carry.ranlux import Ranluxes
from unrandom.auditing.families.congruential.bays_durham import BaysDurhams
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.generators.bays_durham import KNUTH_B, RAN1, BaysDurham
from unrandom.auditing.generators.ranlux import RANLUX24, RANLUX48, Ranlux
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.auditing.verdict import Predictable

VECTORS = Path(__file__).parents[1] / "vectors"


def numbers_in(name: str) -> list[int]:
    return [int(line) for line in (VECTORS / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]


def test_knuth_b_from_its_seed_on() -> None:
    numbers = numbers_in("cpp_knuth_b")
    verdict = unrandom.audit(numbers[:-10], family="bays-durham")
    assert isinstance(verdict, Predictable)
    assert verdict.next == numbers[-10:]
    assert verdict.outputs_needed < 40


def test_seeding_knuth_b() -> None:
    numbers = numbers_in("cpp_knuth_b")
    replacing = KNUTH_B.lcg.jump(KNUTH_B.slots + 2)(5)  # after the seed 5, the table and the number that selects a slot
    table, slot = KNUTH_B.unused(replacing)
    assert list(islice(KNUTH_B.outputs(table, slot, replacing), len(numbers))) == numbers


@pytest.mark.parametrize("generator", [KNUTH_B, RAN1])
@pytest.mark.parametrize("divisor", [None, 2**31 - 1])
def test_tables_from_the_middle_on(generator: BaysDurham, divisor: int | None) -> None:
    chance = Random(1)
    table = [chance.randrange(1, generator.lcg.m) for _ in range(generator.slots)]
    count = 12 * generator.slots
    words = list(islice(generator.outputs(table, 3, 12345), count + 10))
    numbers = words if divisor is None else [x / divisor for x in words]
    verdict = unrandom.audit(numbers[:count], family="bays-durham")
    assert isinstance(verdict, Predictable)
    assert verdict.next == numbers[count:]
    assert verdict.previous is None


def test_a_fresh_table_of_ran1() -> None:
    table, slot = RAN1.unused(777)
    words = list(islice(RAN1.outputs(table, slot, 777), 130))
    verdict = unrandom.audit(words[:120], family="bays-durham")
    assert isinstance(verdict, Predictable)
    assert verdict.next == words[120:]


@pytest.mark.parametrize("name", ["cpp_ranlux24", "cpp_ranlux48"])
@pytest.mark.parametrize("first", [0, 15])
def test_ranlux(name: str, first: int) -> None:
    numbers = numbers_in(name)
    verdict = unrandom.audit(numbers[first:-10], family="ranlux")
    assert isinstance(verdict, Predictable)
    assert verdict.next == numbers[-10:]
    if first:
        assert verdict.previous == numbers[first - 10 : first]


@pytest.mark.parametrize("generator", [RANLUX24, RANLUX48])
def test_steps_of_ranlux_can_be_undone(generator: Ranlux) -> None:
    state = (Random(2).randrange(generator.modulus), generator.used - 2)
    for _ in range(3):
        following = generator.step(state)
        assert generator.back(following) == state
        state = following


@pytest.mark.parametrize("family", [BaysDurhams(), Ranluxes()])
@pytest.mark.parametrize("bits", [24, 31, 48])
def test_random_words_have_no_such_state(family: BaysDurhams | Ranluxes, bits: int) -> None:
    chance = Random(bits)
    stream = interpretations(
        numbers_of_values([chance.getrandbits(bits) | 1 << bits - 1 for _ in range(120)]), Assumed()
    )[0]
    following = [list(islice(one.outputs(), 120)) for one in family.recover(stream, Deadline(10))]
    assert stream.values.tolist() not in following
