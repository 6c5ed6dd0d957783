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


def chacha20(key: bytes, nonce: bytes, counter: int = 0) -> Iterator[int]:
    """The words of its key stream (RFC 8439, section 2.3)."""
    constant = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
    fixed = [int.from_bytes(part[i : i + 4], "little") for part in (key, nonce) for i in range(0, len(part), 4)]
    columns = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)]
    diagonals = [(0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
    while True:
        start = [*constant, *fixed[:8], counter, *fixed[8:]]
        x = list(start)
        for a, b, c, d in (columns + diagonals) * 10:
            for to, add, turned, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[to] = (x[to] + x[add]) % 2**32
                x[turned] ^= x[to]
                x[turned] = (x[turned] << by | x[turned] >> 32 - by) % 2**32
        yield from ((one + other) % 2**32 for one, other in zip(x, start, strict=True))
        counter += 1
