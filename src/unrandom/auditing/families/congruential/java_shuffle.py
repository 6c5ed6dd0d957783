"""Recovers Java's Collections.shuffle: the low bits of java.util.Random's state from draws of even ranges, and the
others from the quotients of the division.

A draw below n is w mod n, where w = x >> 17 are the 31 top bits of the state x; if n is a power of two, it is the top
bits of w (Java's documentation of nextInt(n)). The lowest bit of a draw below an even n is bit 17 of the state, which
depends on the lowest 18 bits of the first state only. With these known, x = u + 2**18 A z, where u is known, so that w
= n q + y becomes a congruence for the 30 other bits z, modulo 2**31, with a small quotient q: a lattice finds z.
"""

from collections.abc import Iterator

import numpy as np

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.java import JAVA
from unrandom.core.arithmetic import is_power_of_two
from unrandom.predictors.hidden_state import states_within

LOW, BITS = 17, 31  # the bits of a state below those that a draw uses, and those that it uses
EVEN_DRAWS = 40  # draws of even ranges by which the lowest bits are found
KNOWN_BITS = 60  # bits of draws that the lattice uses, twice the number of those unknown

BACK = JAVA.inverse()


class JavaShuffle(Family):
    """Collections.shuffle(list, random), and shuffles that draw from a cycle of ranges by nextInt(n)."""

    name = "java-shuffle"
    about = "java.util.Random, nextInt(n) of the ranges of shuffles"
    max_outputs = 512

    def needs(self, stream: Stream) -> int | None:
        even = sum(map(_shows_low_bit, stream.cycle))
        return -(-EVEN_DRAWS * len(stream.cycle) // even) if even else None

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the state."""
        return float(LOW + BITS)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        if self.needs(stream) is None:
            return
        draws = [(int(y), stream.range_of(i) or 1) for i, y in enumerate(stream.values.tolist())]
        for low_part in _low_parts(draws, deadline):
            for state in _states(draws, low_part):
                yield _machine(state, stream.cycle)


def _shows_low_bit(n: int) -> bool:
    return n % 2 == 0 and not is_power_of_two(n)


def _low_parts(draws: list[tuple[int, int]], deadline: Deadline) -> list[int]:
    """The lowest LOW + 1 bits of the first state, which few values fit."""
    mask = np.uint64((2 << LOW) - 1)
    first = np.arange(2 << LOW, dtype=np.uint64)
    states = first.copy()
    for y, n in draws:
        deadline.check()
        if _shows_low_bit(n):
            matching = (states >> np.uint64(LOW)) == np.uint64(y & 1)
            first, states = first[matching], states[matching]
        states = (states * np.uint64(JAVA.a) + np.uint64(JAVA.c)) & mask
    return first[:4].tolist()


def _states(draws: list[tuple[int, int]], low_part: int) -> Iterator[int]:
    """First states with this low part."""
    m = 1 << BITS
    multipliers, offsets, bounds = [1], [0], [(0, m // 2 - 1)]  # z has one bit less than the modulus
    multiplier, known, bits = 1, low_part, 0.0
    for y, n in draws:
        w, unknown = known >> LOW, 2 * multiplier % m  # the word is w + unknown * z
        if is_power_of_two(n):
            multipliers.append(unknown)
            offsets.append(w)
            bounds.append((y * m // n, (y + 1) * m // n - 1))
            bits += n.bit_length() - 1
        elif n % 4:
            odd, double = (n // 2, 2) if n % 2 == 0 else (n, 1)
            inverse = pow(odd, -1, m)
            multipliers.append(unknown * inverse % m)
            offsets.append((w - y) * inverse % m)
            bounds.append((0, double * ((m - 1 - y) // n)))
            bits += n.bit_length() - double
        if bits > KNOWN_BITS:
            break
        multiplier, known = multiplier * JAVA.a % JAVA.m, JAVA(known)
    for z in states_within(multipliers, offsets, m, bounds):
        yield (low_part + ((z % (m // 2)) << (LOW + 1))) % JAVA.m


def _draw(x: int, n: int) -> int:
    word = x >> LOW
    return word * n >> BITS if is_power_of_two(n) else word % n


def _rejected(x: int, n: int) -> bool:
    """Whether nextInt(n) passes over a state, because its word is in the last, incomplete interval of n words."""
    word = x >> LOW
    return not is_power_of_two(n) and word - word % n + n > 1 << BITS


def _machine(state: int, ranges: tuple[int, ...]) -> Machine:
    """A generator whose state is that of a draw, with the index of the draw's range in the cycle of ranges."""

    def step(at: tuple[int, int]) -> tuple[int, int]:
        x, place = JAVA(at[0]), (at[1] + 1) % len(ranges)
        while _rejected(x, ranges[place]):
            x = JAVA(x)
        return x, place

    def back(at: tuple[int, int]) -> tuple[int, int]:
        x, place = BACK(at[0]), at[1]
        while _rejected(x, ranges[place]):
            x = BACK(x)
        return x, (place - 1) % len(ranges)

    return Machine({"state": state}, (state, 0), step, lambda at: _draw(at[0], ranges[at[1]]), back)
