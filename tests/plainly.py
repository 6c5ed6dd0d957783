"""Generators written down again, plainly."""

import random
from collections.abc import Callable, Iterator
from itertools import islice


def take(generator: Iterator[int], count: int) -> list[int]:
    return list(islice(generator, count))


def lcg(m: int, a: int, c: int, x: int, show: Callable[[int], int] = int) -> Iterator[int]:
    """x itself is not shown."""
    while True:
        x = (a * x + c) % m
        yield show(x)


def seeded_twister(seed: int) -> random.Random:
    """Python's twister in the state that C++'s mt19937 has for this seed (Knuth's initialisation)."""
    words = [seed]
    for i in range(1, 624):
        words.append((1812433253 * (words[-1] ^ words[-1] >> 30) + i) % 2**32)
    generator = random.Random()
    generator.setstate((3, (*words, 624), None))
    return generator


def ranlux24_base() -> Iterator[int]:
    """The C++ standard's subtract_with_carry_engine<uint_fast32_t, 24, 10, 24> with its default seed."""
    seed, x = 19780503, []
    for _ in range(24):
        seed = 40014 * seed % 2147483563
        x.append(seed % 2**24)
    carry = int(x[-1] == 0)
    while True:
        number = x[-10] - x[-24] - carry
        carry = int(number < 0)
        x = [*x[1:], number % 2**24]
        yield x[-1]
