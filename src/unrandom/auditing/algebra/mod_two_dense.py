"""Solves thousands of dense linear equations modulo 2 by elimination on packed rows with the method of four Russians,
in batches, so that a contradiction is found as early as the equations allow.

A row is an array of 64-bit words, bit k of word j being the coefficient of unknown 64 j + k, and a last word whose
lowest bit is the right-hand side. Rows that have a pivot in the same word form a block, reduced so that each pivot bit
occurs in one of its rows only. A batch of rows is reduced by a block with table look-ups, 8 pivots at a time
(Arlazarov, Dinic, Kronrod and Faradžev 1970; Albrecht, Bard and Hart 2010).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, UInt64

from unrandom.auditing.generators.linear_words import PACKED, Rows, packed_words

REDUNDANT = 64  # equations read beyond those that determine a solution: wrong ones are unlikely to be consistent
FIRST_BATCH, BATCH = 512, 2048  # rows reduced together; few find a contradiction sooner, many are faster
CHUNK_BYTES = 1 << 18  # size of the part of a batch on which the tables are used at once, so that it stays in the cache


@dataclass(frozen=True)
class Solution:
    """A solution, bit k of word j being unknown 64 j + k. `free` unknowns are undetermined and were set to 0, or those
    that depend on them were set accordingly. The first `equations` of those read have the rank of all.
    """

    words: UInt64[np.ndarray, " _"]
    free: int
    equations: int

    def split(self, sizes: Iterable[int]) -> list[int]:
        """The unknowns as integers of these numbers of bits, in order, the first unknown of each lowest."""
        packed, start, numbers = int.from_bytes(self.words.astype("<u8").tobytes(), "little"), 0, []
        digits = f"{packed:0{PACKED * len(self.words)}b}"
        for size in sizes:
            numbers.append(int(digits[len(digits) - start - size : len(digits) - start], 2))
            start += size
        return numbers


def solve_dense(
    equations: Iterable[tuple[Rows, Bool[np.ndarray, " _"]]],
    unknowns: int,
    check: Callable[[], None] = lambda: None,
    silent: int = 0,
) -> Solution | None:
    """Solve equations that come in pieces: rows of coefficients [rows, packed_words(unknowns)], and right-hand sides.

    None if they contradict each other. No further pieces are read after a contradiction, nor once at most `silent`
    unknowns are free, on which no equation depends, and REDUNDANT equations agree. `check` is called several
    times a second, and may raise an exception to stop.
    """
    elimination = _Elimination(packed_words(unknowns), check)
    for batch in _batches(equations, packed_words(unknowns)):
        if not elimination.add(batch):
            return None
        if elimination.rank >= unknowns - silent and elimination.read >= elimination.rank + REDUNDANT:
            break
    return elimination.solution(unknowns)


@dataclass(frozen=True)
class Growth:
    """Equations that agree: how many were `read`, their `rank`, and how many would determine the unknowns if others
    follow; None if those that follow do not suffice.
    """

    read: int
    rank: int
    needed: int | None


def growth(
    equations: Iterable[tuple[Rows, Bool[np.ndarray, " _"]]],
    to_come: Iterable[Rows],
    unknowns: int,
    check: Callable[[], None] = lambda: None,
    silent: int = 0,
) -> Growth | None:
    """How the rank of equations grows beyond those known, as given to `solve_dense`, with others of which only the
    coefficients are known. None if those known contradict each other.
    """
    elimination = _Elimination(packed_words(unknowns), check)
    for batch in _batches(equations, packed_words(unknowns)):
        if not elimination.add(batch):
            return None
    read, rank = elimination.read, elimination.rank
    following = ((rows, np.zeros(len(rows), dtype=bool)) for rows in to_come)
    for batch in _batches(following, packed_words(unknowns)):
        if elimination.rank >= unknowns - silent:
            break
        elimination.add(batch)
    return Growth(read, rank, elimination.useful if elimination.rank >= unknowns - silent else None)


def _batches(equations: Iterable[tuple[Rows, Bool[np.ndarray, " _"]]], words: int) -> Iterator[Rows]:
    """The equations as rows with their right-hand sides, in batches of FIRST_BATCH, twice that, … up to BATCH rows."""
    size, filled = FIRST_BATCH, 0
    batch = np.zeros((size, words + 1), np.uint64)
    for coefficients, right in equations:
        taken = 0
        while taken < len(right):
            count = min(size - filled, len(right) - taken)
            batch[filled : filled + count, :words] = coefficients[taken : taken + count]
            batch[filled : filled + count, words] = right[taken : taken + count]
            taken, filled = taken + count, filled + count
            if filled == size:
                yield batch
                size, filled = min(2 * size, BATCH), 0
                batch = np.zeros((size, words + 1), np.uint64)
    if filled:
        yield batch[:filled]


@dataclass
class _Block:
    """Rows with pivots in one word, whose words before that one are zero and left out. `pivots` is the mask of the
    pivot bits, `bits` the pivot bit of each row.
    """

    rows: Rows
    pivots: int = 0
    bits: list[int] = field(default_factory=list)

    def extend(self, rows: Rows) -> None:
        """Add rows that are zero in the pivots so far, reduce them, and reduce the others by them."""
        for i in range(len(rows)):
            lowest = int(rows[i, 0])
            bit = (lowest & -lowest).bit_length() - 1
            for others in (rows, self.rows):
                hit = ((others[:, 0] >> np.uint64(bit)) & np.uint64(1)).astype(bool)
                if others is rows:
                    hit[i] = False
                others[hit] ^= rows[i]
            self.pivots |= 1 << bit
            self.bits.append(bit)
        self.rows = np.concatenate([self.rows, rows])

    def tables(self) -> list[tuple[int, Rows]]:
        """For each byte of the word with pivots: its shift, and the sums of rows selected by the byte's 256 values."""
        row_of = dict(zip(self.bits, self.rows, strict=True))
        tables = []
        for shift in range(0, PACKED, 8):
            if not (self.pivots >> shift) & 255:
                continue
            table = np.zeros((256, self.rows.shape[1]), np.uint64)
            for k in range(8):
                row = row_of.get(shift + k)
                table[1 << k : 2 << k] = table[: 1 << k] if row is None else table[: 1 << k] ^ row
            tables.append((shift, table))
        return tables

    def reduce(self, rows: Rows) -> None:
        """Make the pivot bits of these rows 0, in place."""
        selected = rows[:, 0] & np.uint64(self.pivots)
        hit = np.flatnonzero(selected)
        if not len(hit):
            return
        if 4 * len(hit) < len(rows):
            picked = rows[hit]
            self._reduce_by_tables(picked, selected[hit])
            rows[hit] = picked
        else:
            self._reduce_by_tables(rows, selected)

    def _reduce_by_tables(self, rows: Rows, selected: UInt64[np.ndarray, " rows"]) -> None:
        if len(rows) < 2 * PACKED:  # too few for tables to pay off
            for bit, pivot in zip(self.bits, self.rows, strict=True):
                rows[((selected >> np.uint64(bit)) & np.uint64(1)).astype(bool)] ^= pivot
            return
        tables = [(((selected >> np.uint64(shift)) & np.uint64(255)).astype(np.intp), t) for shift, t in self.tables()]
        size = max(16, CHUNK_BYTES // (8 * rows.shape[1]))
        buffer = np.empty((size, rows.shape[1]), np.uint64)
        for start in range(0, len(rows), size):
            chunk = rows[start : start + size]
            for index, table in tables:
                sums = buffer[: len(chunk)]
                np.take(table, index[start : start + size], axis=0, out=sums, mode="clip")
                np.bitwise_xor(chunk, sums, out=chunk)


class _Elimination:
    def __init__(self, words: int, check: Callable[[], None]) -> None:
        self.words, self.check = words, check
        self.read = self.useful = 0  # equations read, and those up to the last one that depends on no others
        self.blocks = [_Block(np.zeros((0, words + 1 - j), np.uint64)) for j in range(words)]

    @property
    def rank(self) -> int:
        return sum(len(block.bits) for block in self.blocks)

    def add(self, rows: Rows) -> bool:
        """Reduce more rows, which are modified, and keep those that are independent; False if they contradict."""
        numbers = np.arange(self.read, self.read + len(rows)) + 1
        self.read += len(rows)
        for j, block in enumerate(self.blocks):
            self.check()
            trailing = rows[:, j:]
            if not trailing[:, 0].any():
                continue
            block.reduce(trailing)
            independent = _independent(trailing[:, 0])
            if independent:
                block.extend(trailing[independent])
                self.useful = max(self.useful, int(numbers[independent].max()))
                keep = np.ones(len(rows), dtype=bool)
                keep[independent] = False
                rows, numbers = rows[keep], numbers[keep]
                block.reduce(rows[:, j:])
        return not rows[:, self.words].any()

    def solution(self, unknowns: int) -> Solution:
        """Back substitution, from the last block to the first."""
        values = np.zeros(self.words, np.uint64)
        for j in reversed(range(self.words)):
            block = self.blocks[j]
            products = np.bitwise_count(block.rows[:, :-1] & values[j:]).sum(axis=1, dtype=np.uint64)
            bits = (products ^ block.rows[:, -1]) & np.uint64(1)
            for bit, value in zip(block.bits, bits.tolist(), strict=True):
                values[j] |= np.uint64(value << bit)
        return Solution(values, unknowns - self.rank, self.useful)


def _independent(words: UInt64[np.ndarray, " rows"]) -> list[int]:
    """Indices of rows, as many as possible, whose words are linearly independent."""
    words, found = words.copy(), []
    while len(candidates := np.flatnonzero(words)):
        i = int(candidates[0])
        lowest = words[i] & (~words[i] + np.uint64(1))
        found.append(i)
        words[(words & lowest) != 0] ^= words[i]
    return found
