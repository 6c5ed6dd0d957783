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

from unrandom.audit.family import Deadline, Generator, Tree
from unrandom.audit.stream import Number, Stream, View


@dataclass(frozen=True)
class Variant:
    """Constants by the names of the C++ standard (`mersenne_twister_engine`)."""

    name: str
    w: int
    n: int
    m: int
    a: int
    u: int
    d: int
    s: int
    b: int
    t: int
    c: int
    f: int  # the last shift, l in the standard

    @property
    def lower(self) -> int:
        return (1 << 31) - 1

    @property
    def upper(self) -> int:
        return (1 << self.w) - 1 ^ self.lower


MT19937 = Variant("MT19937", 32, 624, 397, 0x9908B0DF, 11, 0xFFFFFFFF, 7, 0x9D2C5680, 15, 0xEFC60000, 18)
MT19937_64 = Variant(
    "MT19937-64", 64, 312, 156, 0xB5026F5AA96619E9,
    29, 0x5555555555555555, 17, 0x71D67FFFEDA60000, 37, 0xFFF7EEE000000000, 43,
)  # fmt: skip


@dataclass(frozen=True)
class Piece:
    """The top bits of a word that become bits of an output: word >> lost, moved to `place`."""

    lost: int
    place: int


@dataclass(frozen=True)
class Layout:
    """How an output is made of one word or two."""

    variant: Variant
    pieces: tuple[Piece, ...]
    about: str


class MersenneTwister:
    """MT19937 and MT19937-64, whose words show 19 bits or more."""

    name = "mersenne-twister"
    about = "a Mersenne twister (C++ mt19937, Python random, PHP mt_rand, numpy RandomState)"
    trivial = False
    most = 2048

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
                        yield Twister(layout, view, *state)


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


class Twister:
    """A twister that has words `first`, first + 1, … of its state; outputs begin with word 0."""

    def __init__(self, layout: Layout, view: View, words: UInt64[np.ndarray, " n"], first: int) -> None:
        self.layout, self.view = layout, view
        self.parameters: Tree = {"variant": layout.variant.name, "output": layout.about}
        for _ in range(first):
            words = _word_before(words, layout.variant)
        self.words = words

    def outputs(self) -> Iterator[Number]:
        words = self.words
        while True:
            # n is even, so that outputs of two words do not cross the end of a block
            yield from self._shown(words)
            words = _next_block(words, self.layout.variant)

    def previous(self, count: int) -> list[Number]:
        words = self.words
        for _ in range(count * len(self.layout.pieces)):
            words = _word_before(words, self.layout.variant)
        return self._shown(words)[:count]

    def _shown(self, words: UInt64[np.ndarray, " n"]) -> list[Number]:
        tempered = _temper(words, self.layout.variant)
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
        tempered[i::per] = (numbers >> np.uint64(piece.place) & mask) << np.uint64(piece.lost)
    words = _untemper(tempered, v)
    places = len(words) - v.n
    left = words[v.n :] ^ words[v.m : v.m + places] ^ _twist(words[:places], words[1 : places + 1], v)
    if not any(piece.lost for piece in layout.pieces):
        return None if (left != 0).any() else (words[: v.n], 0)
    lost_bits = np.zeros((places, v.w), dtype=bool)
    for i, piece in enumerate(layout.pieces):
        following = layout.pieces[(i + 1) % per].lost
        most = max(one.lost for one in layout.pieces)
        solved = _lost_bits(v, most, following, piece.lost)
        if solved is None:
            return None
        checks, picks = solved
        here = left[i::per]
        if any(_parity(here & np.uint64(check)).any() for check in checks):
            return None
        for k, pick in enumerate(picks):
            lost_bits[i::per, k] = _parity(here & np.uint64(pick))
    known = words[1 : v.n + 1].copy()
    for k, word in enumerate(_lost_words(v, max(piece.lost for piece in layout.pieces))):
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
    words[1::2] = _untemper(numbers >> np.uint64(32), v)
    nearly = (numbers & np.uint64(2**32 - 1)).astype(np.int64)
    even = np.arange(0, len(words) - v.n, 2)
    fitting = np.zeros(len(even), dtype=bool)
    for top in (0, v.upper):
        twisted = _twist(np.full(len(even), top, np.uint64), words[even + 1], v)
        guess = words[even + v.m] ^ twisted
        off = _temper(guess, v).astype(np.int64) - nearly[(even + v.n) // 2]
        fits = np.minimum(np.abs(off), 2**32 - np.abs(off)) <= 2**11
        words[(even + v.n)[fits]] = guess[fits]
        fitting |= fits
    return (words[v.n : 2 * v.n], v.n) if fitting.all() else None


@cache
def _lost_bits(v: Variant, together: int, following: int, own: int) -> tuple[list[int], list[int]] | None:
    """Masks of equations whose parity must be 0, and masks whose parities are the lost bits of s[t+1].

    Unknown are the lost bits of s[t+n] and s[t+m] (of both together only the xor counts, as they enter alike), those of
    s[t+1], and those of s[t], of which few are used. None if s[t+1] is not determined.
    """
    columns = _lost_words(v, together)
    columns += [_twist_one(0, word, v) for word in _lost_words(v, following)]
    columns += [_twist_one(word, 0, v) for word in _lost_words(v, own)]
    rows = [sum((column >> bit & 1) << k for k, column in enumerate(columns)) for bit in range(v.w)]
    # Each row of (unknowns | which equations made it) is reduced; rows that lose their unknowns are checks.
    pivots: dict[int, tuple[int, int]] = {}
    checks: list[int] = []
    for bit, unknowns in enumerate(rows):
        made = 1 << bit
        for k, (row, by) in pivots.items():
            if unknowns >> k & 1:
                unknowns, made = unknowns ^ row, made ^ by
        if not unknowns:
            checks.append(made)
            continue
        k = (unknowns & -unknowns).bit_length() - 1
        for other, (row, by) in list(pivots.items()):
            if row >> k & 1:
                pivots[other] = (row ^ unknowns, by ^ made)
        pivots[k] = (unknowns, made)
    wanted = range(together, together + following)
    if any(k not in pivots or pivots[k][0] != 1 << k for k in wanted):
        return None
    return checks, [pivots[k][1] for k in wanted]


def _lost_words(v: Variant, lost: int) -> list[int]:
    """The states of which a tempered word has just one of its lowest bits."""
    return [int(word) for word in _untemper(np.array([1 << k for k in range(lost)], dtype=np.uint64), v)]


def _next_block(words: UInt64[np.ndarray, " n"], v: Variant) -> UInt64[np.ndarray, " n"]:
    both = np.concatenate([words, np.zeros_like(words)])
    step = v.n - v.m  # words that depend on no word of the same step
    for first in range(0, v.n, step):
        size = min(step, v.n - first)
        twisted = _twist(both[first : first + size], both[first + 1 : first + 1 + size], v)
        both[v.n + first : v.n + first + size] = both[first + v.m : first + v.m + size] ^ twisted
    return both[v.n :]


def _word_before(words: UInt64[np.ndarray, " n"], v: Variant) -> UInt64[np.ndarray, " n"]:
    """The words one place earlier. A new word has its top bits from one place, and its others from the place before."""
    last, before = int(words[-1] ^ words[v.m - 1]), int(words[-2] ^ words[v.m - 2])
    new = (_untwist(last, v) & v.upper) | (_untwist(before, v) & v.lower)
    return np.concatenate([np.array([new], dtype=np.uint64), words[:-1]])


def _twist(
    words: UInt64[np.ndarray, " places"], following: UInt64[np.ndarray, " places"], v: Variant
) -> UInt64[np.ndarray, " places"]:
    y = (words & np.uint64(v.upper)) | (following & np.uint64(v.lower))
    return (y >> np.uint64(1)) ^ np.where(y & np.uint64(1), np.uint64(v.a), np.uint64(0))


def _twist_one(word: int, following: int, v: Variant) -> int:
    y = word & v.upper | following & v.lower
    return y >> 1 ^ (v.a if y & 1 else 0)


def _untwist(twisted: int, v: Variant) -> int:
    odd = twisted >> (v.w - 1)  # a has its top bit set, and y >> 1 has not
    return (twisted ^ (v.a if odd else 0)) << 1 | odd


def _temper(words: UInt64[np.ndarray, " n"], v: Variant) -> UInt64[np.ndarray, " n"]:
    y = words ^ (words >> np.uint64(v.u) & np.uint64(v.d))
    y ^= y << np.uint64(v.s) & np.uint64(v.b)
    y ^= y << np.uint64(v.t) & np.uint64(v.c)
    return y ^ y >> np.uint64(v.f)


def _untemper(tempered: UInt64[np.ndarray, " n"], v: Variant) -> UInt64[np.ndarray, " n"]:
    y = tempered ^ tempered >> np.uint64(v.f)
    for shift, mask, left in ((v.t, v.c, True), (v.s, v.b, True), (v.u, v.d, False)):
        done = y
        for _ in range(0, v.w, shift):  # each round sets `shift` more bits right
            moved = done << np.uint64(shift) if left else done >> np.uint64(shift)
            done = y ^ moved & np.uint64(mask)
        y = done
    return y


def _parity(words: UInt64[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    return (np.bitwise_count(words) & 1).astype(bool)
