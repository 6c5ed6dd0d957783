"""Generators written down again, plainly, to make streams for audits."""

import random
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from unrandom.audit.search import audit
from unrandom.audit.stream import Form, Stream
from unrandom.audit.verdict import Verdict


def stream_of(numbers: list[int], bits: int | None = None, **about: int) -> Stream:
    """Whole numbers as if they had been read."""
    return Stream(
        np.array(numbers, dtype=np.uint64), Form("decimal"), bits or max(max(numbers).bit_length(), 1), **about
    )


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


def found(numbers: list[int], family: str, *, bits: int | None = None, **about: int) -> Verdict:
    """The verdict on all but the last 20 numbers, which must be that of this family and predict the next ten."""
    verdict = audit(stream_of(numbers[:-20], bits, **about))
    assert verdict.predictable, verdict.words()
    assert verdict.family == family
    assert verdict.next == numbers[-20:-10]
    return verdict
