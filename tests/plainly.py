"""Generators written down again, plainly: what the package's generators, predictors and audits are compared with.

Each is the definition that its authors give, in Python integers, and imports nothing of the package.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice


def take(generator: Iterator[int], count: int) -> list[int]:
    return list(islice(generator, count))


def lcg(m: int, a: int, c: int, x: int, show: Callable[[int], int] = int) -> Iterator[int]:
    """x itself is not shown."""
    while True:
        x = (a * x + c) % m
        yield show(x)


def xorshift(x: int, bits: int, shifts: Sequence[int]) -> Iterator[int]:
    """Marsaglia's (2003) of one word: to the left by so many places, below 0 to the right. x itself is not shown."""
    while True:
        for by in shifts:
            x ^= (x << by) % 2**bits if by > 0 else x >> -by
        yield x


def xorshift_words(words: Sequence[int], bits: int, shifts: Sequence[int], last: int) -> Iterator[int]:
    """Marsaglia's of several: t = x; x = y; y = z; z = w; w = w ^ (w >> last) ^ shifted t. First the given ones."""
    words = list(words)
    while True:
        yield words[0]
        t, w = words.pop(0), words[-1]
        words.append(w ^ (w >> last) ^ next(xorshift(t, bits, shifts)))


def rotl(x: int, k: int, bits: int) -> int:
    return ((x << k) | (x >> (bits - k))) % 2**bits


def xorshift128(s: Sequence[int], a: int, b: int, c: int) -> Iterator[tuple[int, ...]]:
    """Vigna's (2017) states, the given one first."""
    s = list(s)
    while True:
        yield tuple(s)
        s1, s0 = s
        s1 ^= (s1 << a) % 2**64
        s = [s0, s1 ^ s0 ^ (s1 >> b) ^ (s0 >> c)]


def xoroshiro128(s: Sequence[int], a: int, b: int, c: int) -> Iterator[tuple[int, ...]]:
    """Blackman and Vigna's (2018) states, the given one first."""
    s0, s1 = s
    while True:
        yield s0, s1
        s1 ^= s0
        s0 = rotl(s0, a, 64) ^ s1 ^ ((s1 << b) % 2**64)
        s1 = rotl(s1, c, 64)


def xoshiro(s: Sequence[int], a: int, b: int, bits: int) -> Iterator[tuple[int, ...]]:
    """Blackman and Vigna's (2018) states of four words, the given one first."""
    s = list(s)
    while True:
        yield tuple(s)
        t = (s[1] << a) % 2**bits
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], b, bits)


def splitmix64(x: int, gamma: int = 0x9E3779B97F4A7C15) -> Iterator[int]:
    """Steele, Lea and Flood's (2014) from the seed x on."""
    while True:
        x = (x + gamma) % 2**64
        z = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield z ^ (z >> 31)


def v8(s: Sequence[int]) -> Iterator[int]:
    """The words of which Math.random() shows the top bits: made from these two on, 64 at once, the last one first."""
    states = xorshift128(s, 23, 17, 26)
    while True:
        yield from [first for first, _ in islice(states, 64)][::-1]


def lagged(first: Sequence[int], near: int, far: int, signs: tuple[int, int], m: int) -> Iterator[int]:
    """x[i] = ± x[i − near] ± x[i − far] mod m, from the first `far` numbers, which are shown."""
    x = list(first)
    yield from x
    while True:
        x.append((signs[0] * x[-near] + signs[1] * x[-far]) % m)
        yield x[-1]


def seeded_twister(seed: int) -> random.Random:
    """Python's twister in the state that C++'s mt19937 has for this seed (Knuth's initialisation)."""
    words = [seed]
    for i in range(1, 624):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + i) % 2**32)
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
                x[turned] = ((x[turned] << by) | (x[turned] >> (32 - by))) % 2**32
        yield from ((one + other) % 2**32 for one, other in zip(x, start, strict=True))
        counter += 1
