"""Is it a Mersenne twister (Matsumoto and Nishimura 1998)? With whole words, with the words' low bits lost, or in
fractions of two words, as C++, Python, PHP, Ruby, R and older numpy show it.

The tempering of a word is linear modulo 2 and can be undone. Where a word's lowest bits are lost, its state is a known
word xored with some of a few fixed ones. The recurrence s[t+n] = s[t+m] ^ twist(s[t], s[t+1]) has as many equations as
a word has bits, which is more than the lost bits in it: each place tells the lost bits of s[t+1], and whether this is a
Mersenne twister at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.auditing.family import Deadline, Generator
from unrandom.auditing.stream import Number, Stream, View
from unrandom.core.files import JsonObject
from unrandom.generators.mersenne import MT19937, MT19937_64, MersenneTwister


@dataclass(frozen=True)
class Piece:
    """The top bits of a word that become bits of an output: word >> lost, moved to `place`."""

    lost: int
    place: int


@dataclass(frozen=True)
class Layout:
    """How an output is made of one word or two."""

    variant: MersenneTwister
    pieces: tuple[Piece, ...]
    about: str


class Twisters:
    """MT19937 and MT19937-64, whose words show 19 bits or more."""

    name = "mersenne-twister"
    about = "a Mersenne twister (C++ mt19937, Python random, PHP mt_rand, numpy RandomState)"
    trivial = False
    max_outputs = 2048

    def needs(self, stream: Stream) -> int | None:
        needed = [_needed(layout) for view in stream.views for layout in _layouts(view)]
        return min(needed, default=None)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for layout in _layouts(view):
                deadline.check()
                if len(view.numbers) >= _needed(layout):
                    recover = _state_of_sums if layout == SUMS else _state
                    state = recover(layout, np.array(view.numbers, dtype=np.uint64))
                    if state is not None:
                        yield _Twister(layout, view, *state)


SUMS = Layout(
    MT19937, (Piece(0, 0), Piece(0, 32)), "w + w' 2^32 rounded to a double, as C++'s uniform_real_distribution"
)


def _layouts(view: View) -> list[Layout]:
    if view.bits == 64 and view.divisor:
        return [SUMS]
    if view.bits == 64:
        return [
            Layout(MT19937_64, (Piece(0, 0),), "whole 64-bit words"),
            Layout(MT19937, (Piece(0, 0), Piece(0, 32)), "two 32-bit words, the low one first"),
            Layout(MT19937, (Piece(0, 32), Piece(0, 0)), "two 32-bit words, the high one first"),
        ]
    if view.bits == 53:
        return [
            Layout(MT19937, (Piece(5, 26), Piece(6, 0)), "53 bits of two words, as Python's random()"),
            Layout(MT19937_64, (Piece(11, 0),), "the top 53 bits of a word"),
        ]
    if 19 <= view.bits <= 32:
        lost = 32 - view.bits
        about = f"the top {view.bits} bits of a word" if lost else "whole 32-bit words"
        return [Layout(MT19937, (Piece(lost, 0),), about)]
    return []


def _needed(layout: Layout) -> int:
    twice = layout == SUMS or any(piece.lost for piece in layout.pieces)
    return layout.variant.n * (1 + twice) // len(layout.pieces) + 1


class _Twister:
    """A twister that has words `first`, first + 1, … of its state; outputs begin with word 0."""

    def __init__(self, layout: Layout, view: View, words: UInt64[np.ndarray, " n"], first: int) -> None:
        self.layout, self.view = layout, view
        self.parameters: JsonObject = {"variant": layout.variant.name, "output": layout.about}
        self.words = layout.variant.block_before(words, first)

    def outputs(self) -> Iterator[Number]:
        words = self.words
        while True:
            # n is even, so that outputs of two words do not cross the end of a block
            yield from self._shown(words)
            words = self.layout.variant.next_block(words)

    def previous(self, count: int) -> list[Number]:
        words = self.layout.variant.block_before(self.words, count * len(self.layout.pieces))
        return self._shown(words)[:count]

    def _shown(self, words: UInt64[np.ndarray, " n"]) -> list[Number]:
        tempered = self.layout.variant.temper(words)
        numbers = np.zeros(len(words) // len(self.layout.pieces), np.uint64)
        for i, piece in enumerate(self.layout.pieces):
            part = tempered[i :: len(self.layout.pieces)] >> np.uint64(piece.lost)
            numbers |= part << np.uint64(piece.place)
        return [self.view.show(x) for x in numbers.tolist()]


def _state(layout: Layout, numbers: UInt64[np.ndarray, " outputs"]) -> tuple[UInt64[np.ndarray, " n"], int] | None:
    """n words of state in a row, and which word the first of them is; None if this is no twister."""
    v, per = layout.variant, len(layout.pieces)
    tempered = np.empty(len(numbers) * per, np.uint64)
    for i, piece in enumerate(layout.pieces):
        mask = np.uint64((1 << (v.w - piece.lost)) - 1)
        tempered[i::per] = ((numbers >> np.uint64(piece.place)) & mask) << np.uint64(piece.lost)
    words = v.untemper(tempered)
    places = len(words) - v.n
    left = words[v.n :] ^ words[v.m : v.m + places] ^ v.twist(words[:places], words[1 : places + 1])
    if not any(piece.lost for piece in layout.pieces):
        return None if (left != 0).any() else (words[: v.n], 0)
    together = max(piece.lost for piece in layout.pieces)
    lost_bits = np.zeros((places, v.w), dtype=bool)
    for i, piece in enumerate(layout.pieces):
        following = layout.pieces[(i + 1) % per].lost
        solved = _lost_bits(v, together, following, piece.lost)
        if solved is None:
            return None
        checks, picks = solved
        here = left[i::per]
        if any(_parity(here & np.uint64(check)).any() for check in checks):
            return None
        for k, pick in enumerate(picks):
            lost_bits[i::per, k] = _parity(here & np.uint64(pick))
    known = words[1 : v.n + 1].copy()
    for k, word in enumerate(_lost_words(v, together)):
        known ^= np.where(lost_bits[: v.n, k], np.uint64(word), np.uint64(0))
    return known, 1


def _state_of_sums(
    layout: Layout, numbers: UInt64[np.ndarray, " outputs"]
) -> tuple[UInt64[np.ndarray, " n"], int] | None:
    """As `_state`, for w + w' 2**32 rounded to 53 bits. Words w' are known; the w at even places follow from w' alone
    but for the top bit of one word, and what is left of w says which it is.
    """
    v = layout.variant
    words = np.zeros(2 * len(numbers), np.uint64)
    words[1::2] = v.untemper(numbers >> np.uint64(32))
    nearly = (numbers & np.uint64(2**32 - 1)).astype(np.int64)
    even = np.arange(0, len(words) - v.n, 2)
    fitting = np.zeros(len(even), dtype=bool)
    for top in (0, v.upper):
        twisted = v.twist(np.full(len(even), top, np.uint64), words[even + 1])
        guess = words[even + v.m] ^ twisted
        off = v.temper(guess).astype(np.int64) - nearly[(even + v.n) // 2]
        fits = np.minimum(np.abs(off), 2**32 - np.abs(off)) <= 2**11
        words[(even + v.n)[fits]] = guess[fits]
        fitting |= fits
    return (words[v.n : 2 * v.n], v.n) if fitting.all() else None


@cache
def _lost_bits(v: MersenneTwister, together: int, following: int, own: int) -> tuple[list[int], list[int]] | None:
    """Masks of equations whose parity must be 0, and masks whose parities are the lost bits of s[t+1].

    Unknown are the lost bits of s[t+n] and s[t+m] (of both together only the xor counts, as they enter alike), those of
    s[t+1], and those of s[t], of which few are used. None if s[t+1] is not determined.
    """
    columns = _lost_words(v, together)
    columns += [v.twist(0, word) for word in _lost_words(v, following)]
    columns += [v.twist(word, 0) for word in _lost_words(v, own)]
    rows = [sum(((column >> bit) & 1) << k for k, column in enumerate(columns)) for bit in range(v.w)]
    # Each row of (unknowns | which equations made it) is reduced; rows that lose their unknowns are checks.
    pivots: dict[int, tuple[int, int]] = {}
    checks: list[int] = []
    for bit, unknowns in enumerate(rows):
        made = 1 << bit
        for k, (row, by) in pivots.items():
            if (unknowns >> k) & 1:
                unknowns, made = unknowns ^ row, made ^ by
        if not unknowns:
            checks.append(made)
            continue
        k = (unknowns & -unknowns).bit_length() - 1
        for other, (row, by) in list(pivots.items()):
            if (row >> k) & 1:
                pivots[other] = (row ^ unknowns, by ^ made)
        pivots[k] = (unknowns, made)
    wanted = range(together, together + following)
    if any(k not in pivots or pivots[k][0] != 1 << k for k in wanted):
        return None
    return checks, [pivots[k][1] for k in wanted]


def _lost_words(v: MersenneTwister, lost: int) -> list[int]:
    """The states of which a tempered word has just one of its lowest bits."""
    return [v.untemper(1 << k) for k in range(lost)]


def _parity(words: UInt64[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    return (np.bitwise_count(words) & 1).astype(bool)
