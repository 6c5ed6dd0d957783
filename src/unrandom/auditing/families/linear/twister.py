"""Is it a Mersenne twister (Matsumoto and Nishimura 1998)? By undoing the tempering, and solving the recurrence modulo
2 for the bits of the state that the outputs do not show.

Outputs are whole words, words without their low bits, or fractions of two words, as in C++, Python, PHP, Ruby, R and
older numpy. Tempering is linear modulo 2 and invertible. If the lowest bits of a word are lost, its state is a known
word xored with a subset of a few fixed words. The recurrence s[t+n] = s[t+m] ^ twist(s[t], s[t+1]) gives as many
equations as a word has bits, more than the lost bits that occur in it: each position determines the lost bits of
s[t+1], and the remaining equations test whether this is a Mersenne twister.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.core.deadline import Deadline
from unrandom.core.files import JsonObject
from unrandom.generators.mersenne import MT19937, MT19937_64, MT19937_PHP5, MersenneTwister


@dataclass(frozen=True)
class Piece:
    """The top bits of a word that become bits of an output: (word >> lost) << place."""

    lost: int
    place: int


@dataclass(frozen=True)
class Layout:
    """How an output is composed of one or two words."""

    variant: MersenneTwister
    pieces: tuple[Piece, ...]
    about: str


class Twisters(Family):
    """MT19937 and MT19937-64, whose words show 19 bits or more."""

    name = "mersenne-twister"
    about = "a Mersenne twister (C++ mt19937, Python random, PHP mt_rand, numpy RandomState)"
    max_outputs = 2048

    def needs(self, stream: Stream) -> int | None:
        counts = [_outputs_needed(layout) for view in stream.views for layout in _layouts(view)]
        return min(counts, default=None)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for layout in _layouts(view):
                deadline.check()
                if len(view.numbers) >= _outputs_needed(layout):
                    recover = _state_from_rounded_sums if layout == SUMS else _state_from_pieces
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
        return [Layout(variant, (Piece(lost, 0),), about) for variant in (MT19937, MT19937_PHP5)]
    return []


def _outputs_needed(layout: Layout) -> int:
    two_blocks = layout == SUMS or any(piece.lost for piece in layout.pieces)
    return layout.variant.n * (1 + two_blocks) // len(layout.pieces) + 1


class _Twister:
    """A twister given by n successive state words, starting with word number `first`; outputs begin with word 0."""

    def __init__(self, layout: Layout, view: View, words: UInt64[np.ndarray, " n"], first: int) -> None:
        self.layout, self.view = layout, view
        self.parameters: JsonObject = {"variant": layout.variant.name, "output": layout.about}
        self.words = layout.variant.block_before(words, first)

    def outputs(self) -> Iterator[Number]:
        words = self.words
        while True:
            # n is even, so an output of two words never crosses the end of a block
            yield from self._shown(words)
            words = self.layout.variant.next_block(words)

    def previous(self, count: int) -> list[Number]:
        words, numbers = self.layout.variant.block_before(self.words, count * len(self.layout.pieces)), list[Number]()
        while len(numbers) < count:
            numbers += self._shown(words)
            words = self.layout.variant.next_block(words)
        return numbers[:count]

    def _shown(self, words: UInt64[np.ndarray, " n"]) -> list[Number]:
        tempered = self.layout.variant.temper(words)
        numbers = np.zeros(len(words) // len(self.layout.pieces), np.uint64)
        for i, piece in enumerate(self.layout.pieces):
            part = tempered[i :: len(self.layout.pieces)] >> np.uint64(piece.lost)
            numbers |= part << np.uint64(piece.place)
        return [self.view.show(x) for x in numbers.tolist()]


def _state_from_pieces(
    layout: Layout, numbers: UInt64[np.ndarray, " outputs"]
) -> tuple[UInt64[np.ndarray, " n"], int] | None:
    """n successive state words and the number of the first one; None if this is not a twister."""
    v, words_per_output = layout.variant, len(layout.pieces)
    tempered = np.empty(len(numbers) * words_per_output, np.uint64)
    for i, piece in enumerate(layout.pieces):
        mask = np.uint64((1 << (v.w - piece.lost)) - 1)
        tempered[i::words_per_output] = ((numbers >> np.uint64(piece.place)) & mask) << np.uint64(piece.lost)
    words = v.untemper(tempered)
    positions = len(words) - v.n
    residual = words[v.n :] ^ words[v.m : v.m + positions] ^ v.twist(words[:positions], words[1 : positions + 1])
    if not any(piece.lost for piece in layout.pieces):
        return None if (residual != 0).any() else (words[: v.n], 0)
    lost_jointly = max(piece.lost for piece in layout.pieces)
    lost_bits = np.zeros((positions, v.w), dtype=bool)
    for i, piece in enumerate(layout.pieces):
        lost_next = layout.pieces[(i + 1) % words_per_output].lost
        solved = _lost_bits(v, lost_jointly, lost_next, piece.lost)
        if solved is None:
            return None
        checks, solutions = solved
        residuals = residual[i::words_per_output]
        if any(_parity(residuals & np.uint64(check)).any() for check in checks):
            return None
        for k, solution in enumerate(solutions):
            lost_bits[i::words_per_output, k] = _parity(residuals & np.uint64(solution))
    known = words[1 : v.n + 1].copy()
    for k, word in enumerate(_lost_words(v, lost_jointly)):
        known ^= np.where(lost_bits[: v.n, k], np.uint64(word), np.uint64(0))
    return known, 1


def _state_from_rounded_sums(
    layout: Layout, numbers: UInt64[np.ndarray, " outputs"]
) -> tuple[UInt64[np.ndarray, " n"], int] | None:
    """The same for outputs w + w' 2**32 rounded to 53 bits. The words w' are known and determine each w up to the top
    bit of one state word; the bits of w that survive rounding decide that bit.
    """
    v = layout.variant
    words = np.zeros(2 * len(numbers), np.uint64)
    words[1::2] = v.untemper(numbers >> np.uint64(32))
    rounded_low = (numbers & np.uint64(2**32 - 1)).astype(np.int64)
    even = np.arange(0, len(words) - v.n, 2)
    consistent = np.zeros(len(even), dtype=bool)
    for top in (0, v.upper):
        twisted = v.twist(np.full(len(even), top, np.uint64), words[even + 1])
        guess = words[even + v.m] ^ twisted
        error = v.temper(guess).astype(np.int64) - rounded_low[(even + v.n) // 2]
        fits = np.minimum(np.abs(error), 2**32 - np.abs(error)) <= 2**11
        words[(even + v.n)[fits]] = guess[fits]
        consistent |= fits
    return (words[v.n : 2 * v.n], v.n) if consistent.all() else None


@cache
def _lost_bits(
    v: MersenneTwister, lost_jointly: int, lost_next: int, lost_own: int
) -> tuple[list[int], list[int]] | None:
    """Masks over the bits of a residual: those whose parity must be 0, and those whose parities are the lost bits of
    s[t+1]. None if these are not determined.

    The unknowns are the xor of the lost bits of s[t+n] and s[t+m] (`lost_jointly` of them, which enter in the same
    way), the lost bits of s[t+1] (`lost_next`), and those of s[t] (`lost_own`), few of which are used.
    """
    columns = _lost_words(v, lost_jointly)
    columns += [v.twist(0, word) for word in _lost_words(v, lost_next)]
    columns += [v.twist(word, 0) for word in _lost_words(v, lost_own)]
    rows = [sum(((column >> bit) & 1) << k for k, column in enumerate(columns)) for bit in range(v.w)]
    # Gauss-Jordan elimination on rows (unknowns, mask of the equations combined); rows without unknowns are checks.
    pivots: dict[int, tuple[int, int]] = {}
    checks: list[int] = []
    for bit, unknowns in enumerate(rows):
        combined = 1 << bit
        for k, (row, mask) in pivots.items():
            if (unknowns >> k) & 1:
                unknowns, combined = unknowns ^ row, combined ^ mask
        if not unknowns:
            checks.append(combined)
            continue
        k = (unknowns & -unknowns).bit_length() - 1
        for other, (row, mask) in list(pivots.items()):
            if (row >> k) & 1:
                pivots[other] = (row ^ unknowns, mask ^ combined)
        pivots[k] = (unknowns, combined)
    wanted = range(lost_jointly, lost_jointly + lost_next)
    if any(k not in pivots or pivots[k][0] != 1 << k for k in wanted):
        return None
    return checks, [pivots[k][1] for k in wanted]


def _lost_words(v: MersenneTwister, lost: int) -> list[int]:
    """The state words whose tempered word is a single one of its `lost` lowest bits."""
    return [v.untemper(1 << k) for k in range(lost)]


def _parity(words: UInt64[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    return (np.bitwise_count(words) & 1).astype(bool)
