"""Computes which bits of a generator's first state each bit of its words depends on, by running the generator on words
whose bits are linear forms modulo 2 in the unknown bits of that state.

A form is a row of packed coefficients: bit k of its word j is the coefficient of unknown 64 j + k. `LinearWord` has the
operators that generators use on words, so their own `step` and `output` produce the forms.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt64

PACKED = 64
"""Unknowns per word of a row."""

Rows = UInt64[np.ndarray, "_ _"]


def packed_words(unknowns: int) -> int:
    """Words that hold the coefficients of this many unknowns."""
    return -(-unknowns // PACKED)


def unit_rows(unknowns: int) -> Rows:
    """Row k has coefficient 1 for unknown k only, and no right-hand side."""
    rows = np.zeros((unknowns, packed_words(unknowns)), np.uint64)
    k = np.arange(unknowns)
    rows[k, k // PACKED] = np.uint64(1) << (k % PACKED).astype(np.uint64)
    return rows


@dataclass(frozen=True, eq=False)
class LinearWord:
    """A word whose bits are linear forms: `rows` [bits, words], lowest bit first; higher bits are 0.

    The operators work as on Python's integers: no bit is lost on the left. A product with an integer needs a word of
    one bit, and | needs words that have no bit in common, as in a rotation.
    """

    rows: Rows

    def __xor__(self, other: "LinearWord") -> "LinearWord":
        longer, shorter = (self, other) if len(self.rows) >= len(other.rows) else (other, self)
        rows = longer.rows.copy()
        rows[: len(shorter.rows)] ^= shorter.rows
        return LinearWord(rows)

    def __or__(self, other: "LinearWord") -> "LinearWord":
        common = min(len(self.rows), len(other.rows))
        if (self.rows[:common].any(axis=1) & other.rows[:common].any(axis=1)).any():
            raise ValueError("words with common bits cannot be joined linearly")
        return self ^ other

    def __and__(self, mask: int) -> "LinearWord":
        rows = self.rows[: mask.bit_length()].copy()
        rows[[bit for bit in range(len(rows)) if not (mask >> bit) & 1]] = 0
        return LinearWord(rows)

    __rand__ = __and__

    def __lshift__(self, by: int) -> "LinearWord":
        return LinearWord(np.concatenate([np.zeros((by, self.rows.shape[1]), np.uint64), self.rows]))

    def __rshift__(self, by: int) -> "LinearWord":
        return LinearWord(self.rows[by:])

    def __mul__(self, factor: int) -> "LinearWord":
        if factor == 1:
            return self
        if len(self.rows) > 1 and self.rows[1:].any():
            raise ValueError("only a word of one bit can be multiplied linearly")
        rows = np.zeros((factor.bit_length(), self.rows.shape[1]), np.uint64)
        rows[[bit for bit in range(len(rows)) if (factor >> bit) & 1]] = self.rows[0]
        return LinearWord(rows)

    __rmul__ = __mul__

    def masks(self, wanted: Sequence[int]) -> list[int]:
        """The forms of some bits as integers, whose bit k is the coefficient of unknown k."""
        return [int.from_bytes(row.tobytes(), "little") for row in self.bits(wanted).astype("<u8")]

    def bits(self, wanted: Sequence[int]) -> Rows:
        """The forms of some bits."""
        rows = np.zeros((len(wanted), self.rows.shape[1]), np.uint64)
        within = [i for i, bit in enumerate(wanted) if bit < len(self.rows)]
        rows[within] = self.rows[[wanted[i] for i in within]]
        return rows


def unknown_words(sizes: Sequence[int]) -> tuple[LinearWord, ...]:
    """Words of the given numbers of bits, all unknown. Unknowns are numbered by word, and from the lowest bit up."""
    rows = unit_rows(sum(sizes))
    ends = np.cumsum(sizes)
    return tuple(LinearWord(rows[end - size : end]) for size, end in zip(sizes, ends.tolist(), strict=True))


def unknown_states(
    step: Callable[[tuple[LinearWord, ...]], tuple[LinearWord, ...]], sizes: Sequence[int]
) -> Iterator[tuple[LinearWord, ...]]:
    """The states from an unknown one on, whose words have the given numbers of bits, endlessly."""
    state = unknown_words(sizes)
    while True:
        yield state
        state = step(state)
