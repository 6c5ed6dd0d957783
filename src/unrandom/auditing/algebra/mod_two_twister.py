"""Computes which bits of a Mersenne twister's first state each bit of its words depends on, by replacing the linear
forms of its state bits, 19,968 rows, in place at each step.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import numpy as np
from jaxtyping import UInt64

from unrandom.auditing.generators.linear_words import Rows, packed_words, unit_rows
from unrandom.auditing.generators.mersenne import MersenneTwister

Wanted = Iterable[tuple[int, Sequence[int]]]
"""Indices of words, ascending, each with the bits of the word whose forms are wanted (0 is the lowest bit)."""


def twister_forms(v: MersenneTwister, wanted: Wanted) -> Iterator[Rows]:
    """For each wanted word, the forms of its bits in the n words of the first state, the lowest bit of the oldest word
    first: arrays [bits, packed_words(n · w)]. Takes 50 MB for MT19937, however many words are wanted.
    """
    state = unit_rows(v.n * v.w).reshape(v.n, v.w, packed_words(v.n * v.w))
    made = v.n  # words before this one have been generated
    for index, bits in wanted:
        while index >= made:
            count = min(v.n - made % v.n, v.n - v.m, index + 1 - made)
            _advance(v, state, made % v.n, count)
            made += count
        word = state[index % v.n]
        forms = np.empty((len(bits), word.shape[1]), np.uint64)
        for form, sources in zip(forms, _tempered(v, tuple(bits)), strict=True):
            np.bitwise_xor.reduce(word[sources], axis=0, out=form)
        yield forms


def _advance(v: MersenneTwister, state: UInt64[np.ndarray, "n bits words"], start: int, count: int) -> None:
    """Replace `count` words of the state by those n later, in place."""
    for t in range(start, start + count):
        own, following, middle = state[t], state[(t + 1) % v.n], state[(t + v.m) % v.n]
        odd = (own if v.odd_of_oldest else following)[0].copy()
        split = v.lower.bit_length()  # bits from here on belong to the oldest word
        new = middle.copy()
        new[: split - 1] ^= following[1:split]
        new[split - 1 : v.w - 1] ^= own[split:]
        new[[bit for bit in range(v.w) if (v.a >> bit) & 1]] ^= odd
        state[t] = new


@cache
def _tempered(v: MersenneTwister, bits: tuple[int, ...]) -> list[list[int]]:
    """For each of these bits of an output, the bits of the state word whose xor it is."""
    columns = [v.temper(1 << k) for k in range(v.w)]
    return [[k for k, column in enumerate(columns) if (column >> bit) & 1] for bit in bits]
