"""Shift registers xor the bits selected by their taps, independently for each bit of the outputs."""

import random
from itertools import islice

import pytest

from unrandom.auditing.generators.shift_register import ShiftRegisters


@pytest.mark.parametrize("size", [1, 11, 40])
def test_each_bit_obeys_its_recurrence_and_steps_back(size):
    chance = random.Random(size)
    connections = tuple(chance.getrandbits(size + 1) | 1 | (1 << size) for _ in range(5))
    registers = ShiftRegisters(connections, size)
    first = [chance.getrandbits(5) for _ in range(size)]
    numbers = [*first, *islice(registers.following(first), 100)]
    for bit, connection in enumerate(connections):
        bits = [(number >> bit) & 1 for number in numbers]
        for i in range(size, len(bits)):
            assert sum(bits[i - j] for j in range(size + 1) if (connection >> j) & 1) % 2 == 0
    last = numbers[-size:][::-1]
    assert [*last, *islice(registers.backwards().following(last), 100)] == numbers[::-1]


def test_previous_outputs_are_undetermined_if_a_bit_has_lower_order():
    assert ShiftRegisters((0b1011, 0b11), 3).backwards() is None
