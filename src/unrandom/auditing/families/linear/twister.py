"""Recovers Mersenne twisters (Matsumoto and Nishimura 1998) by undoing the tempering, and solving the recurrence modulo
2 for the bits of the state that the outputs do not show.

Outputs are whole words, words without their low bits, or fractions of two words, as in C++, Python, PHP, Ruby, R and
older numpy. Tempering is linear modulo 2 and invertible. If the lowest bits of a word are lost, its state is a known
word xored with a subset of a few fixed words. The recurrence s[t+n] = s[t+m] ^ twist(s[t], s[t+1]) gives as many
equations as a word has bits, more than the lost bits that occur in it: each position determines the lost bits of
s[t+1], and the remaining equations test whether this is a Mersenne twister.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Replay
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.mersenne import MT19937, MT19937_64, MT19937_PHP5, MersenneTwister
from unrandom.auditing.layouts.layout import CPP, PYTHON, Layout, Piece, high_word_first, low_word_first, top_bits


class Twisters(Family):
    """MT19937 and MT19937-64, whose words show 19 bits or more."""

    name = "mersenne-twister"
    about = "a Mersenne twister (C++ mt19937, Python random, PHP mt_rand, numpy RandomState)"
    max_outputs = 2048

    def needs(self, stream: Stream) -> int | None:
        counts = [_outputs_needed(*layout) for view in stream.views for layout in _layouts(view)]
        return min(counts, default=None)

    def free_bits(self, stream: Stream) -> float | None:
        """Bits of the words that make the first outputs, of which 31 bits are not part of the state."""
        sizes = (variant.n * variant.w for view in stream.views for variant, _ in _layouts(view))
        return float(max(sizes, default=0)) or None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for variant, layout in _layouts(view):
                deadline.check()
                if len(view.numbers) >= _outputs_needed(variant, layout):
                    recover = _state_from_rounded_sums if layout == CPP else _state_from_pieces
                    state = recover(variant, layout, np.array(view.numbers, dtype=np.uint64))
                    if state is not None:
                        yield _replay(variant, layout, view.show, *state)


def _layouts(view: View) -> list[tuple[MersenneTwister, Layout]]:
    """The twisters whose words may be behind numbers of this width, and how they make them."""
    if view.bits == 64 and view.divisor:
        return [(MT19937, CPP)]
    if view.bits == 64:
        low, high = (low_word_first(64), "low"), (high_word_first(64), "high")
        pairs = [replace(layout, about=f"two 32-bit words, the {which} one first") for layout, which in (low, high)]
        return [(MT19937_64, top_bits(64, 64)), *((MT19937, layout) for layout in pairs)]
    if view.bits == 53:
        return [(MT19937, PYTHON), (MT19937_64, top_bits(64, 53))]
    return [(variant, top_bits(32, view.bits)) for variant in (MT19937, MT19937_PHP5) if 19 <= view.bits <= 32]


def _outputs_needed(variant: MersenneTwister, layout: Layout) -> int:
    two_blocks = layout == CPP or any(piece.lost for piece in layout.pieces)
    return variant.n * (1 + two_blocks) // layout.words + two_blocks


def _replay(
    variant: MersenneTwister, layout: Layout, show: Callable[[int], Number], words: UInt64[np.ndarray, " n"], first: int
) -> Replay:
    """A twister given by n successive state words, starting with word number `first`; outputs begin with word 0."""
    block = variant.block_before(words, first)

    def shown(block: UInt64[np.ndarray, " n"]) -> Iterator[Number]:
        """The numbers of all blocks from this one on. n is even, so that none of two words crosses their ends."""
        while True:
            tempered = variant.temper(block)
            numbers = np.zeros(len(tempered) // layout.words, np.uint64)
            for piece, place in _placed(layout):
                part = (tempered[piece.word :: layout.words] >> np.uint64(piece.lost)) & np.uint64(piece.mask)
                numbers |= part << np.uint64(place)
            yield from map(show, numbers.tolist())
            block = variant.next_block(block)

    def previous(count: int) -> list[Number]:
        return list(islice(shown(variant.block_before(block, count * layout.words)), count))

    return Replay({"variant": variant.name, "output": layout.about}, lambda: shown(block), previous)


def _placed(layout: Layout) -> list[tuple[Piece, int]]:
    """The pieces of an output in the order of their words, each with its lowest place in X."""
    pieces = sorted(layout.pieces, key=lambda piece: piece.word)
    return [(piece, layout.place(piece)) for piece in pieces]


def _state_from_pieces(
    v: MersenneTwister, layout: Layout, numbers: UInt64[np.ndarray, " outputs"]
) -> tuple[UInt64[np.ndarray, " n"], int] | None:
    """n successive state words and the number of the first one; None if this is not a twister."""
    pieces = _placed(layout)
    tempered = np.empty(len(numbers) * layout.words, np.uint64)
    for piece, place in pieces:
        part = (numbers >> np.uint64(place)) & np.uint64(piece.mask)
        tempered[piece.word :: layout.words] = part << np.uint64(piece.lost)
    words = v.untemper(tempered)
    positions = len(words) - v.n
    residual = words[v.n :] ^ words[v.m : v.m + positions] ^ v.twist(words[:positions], words[1 : positions + 1])
    if not any(piece.lost for piece in layout.pieces):
        return None if (residual != 0).any() else (words[: v.n], 0)
    lost_jointly = max(piece.lost for piece in layout.pieces)
    lost_bits = np.zeros((positions, v.w), dtype=bool)
    for i, (piece, _) in enumerate(pieces):
        lost_next = pieces[(i + 1) % layout.words][0].lost
        solved = _lost_bits(v, lost_jointly, lost_next, piece.lost)
        if solved is None:
            return None
        checks, solutions = solved
        residuals = residual[i :: layout.words]
        if any(_parity(residuals & np.uint64(check)).any() for check in checks):
            return None
        for k, solution in enumerate(solutions):
            lost_bits[i :: layout.words, k] = _parity(residuals & np.uint64(solution))
    known = words[1 : v.n + 1].copy()
    for k, word in enumerate(_lost_words(v, lost_jointly)):
        known ^= np.where(lost_bits[: v.n, k], np.uint64(word), np.uint64(0))
    return known, 1


def _state_from_rounded_sums(
    v: MersenneTwister, layout: Layout, numbers: UInt64[np.ndarray, " outputs"]
) -> tuple[UInt64[np.ndarray, " n"], int] | None:
    """The same for outputs w + w' 2**32 rounded to 53 bits. The words w' are known and determine each w up to the top
    bit of one state word; the bits of w that survive rounding decide that bit.
    """
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
    way), the lost bits of s[t+1] (`lost_next`), and of s[t] (`lost_own`), few of which are used.
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
