"""Linear equations and recurrences modulo 2 by elimination and Berlekamp–Massey, with many bits in an integer."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import UInt64

MARGIN = 8  # bits beyond the ones that determine a recurrence: a wrong one is unlikely to be accepted


def solve(equations: Iterable[tuple[int, int]], unknowns: int, *, exact: bool = True) -> int | None:
    """Solve equations (mask, bit), which state that the xor of the unknowns in the mask is the bit. Gaussian
    elimination.

    Bit k of the result is unknown k. None if the equations contradict each other (no further ones are then read), or if
    they leave an unknown undetermined. If they are not `exact`, the first ones that determine all unknowns are
    believed, and no further ones are read.
    """
    pivots: dict[int, int] = {}  # highest bit of a row -> the row; the right-hand side is its lowest bit
    for mask, bit in equations:
        row = (mask << 1) | bit
        while row > 1 and (known := pivots.get(row.bit_length())) is not None:
            row ^= known
        if row == 1 and exact:
            return None
        if row > 1:
            pivots[row.bit_length()] = row
            if len(pivots) == unknowns and not exact:
                break
    if len(pivots) < unknowns:
        return None
    solution = 0
    for size in sorted(pivots):  # the other unknowns of a row have smaller indices and are already solved
        row = pivots[size]
        others = (row >> 1) & ~(1 << (size - 2))
        solution |= (((others & solution).bit_count() ^ row) & 1) << (size - 2)
    return solution


class ShortestRecurrence:
    """The shortest linear recurrence of the bits seen so far; order L is determined by 2 L bits.

    ``order`` is L, and ``connection`` C (bit j is C[j]) with C[0] = 1 and ⊕ C[j] s[i − j] = 0 for all i >= L. Berlekamp
    and Massey (1969).
    """

    def __init__(self) -> None:
        self.order, self.connection, self._seen = 0, 1, 0
        self._before, self._since, self._bits = 1, 1, 0

    def see(self, bit: int) -> None:
        """Add one more bit."""
        self._bits = (self._bits << 1) | bit
        self._seen += 1
        if (self.connection & self._bits).bit_count() & 1:
            if 2 * self.order < self._seen:
                self.connection, self._before = self.connection ^ (self._before << self._since), self.connection
                self.order, self._since = self._seen - self.order, 1
                return
            self.connection ^= self._before << self._since
        self._since += 1

    def next(self) -> int:
        """The next bit according to the recurrence."""
        return ((self.connection >> 1) & self._bits).bit_count() & 1


def shortest_recurrence(bits: int, count: int) -> tuple[int, int]:
    """Order and connection polynomial of the shortest recurrence of `count` bits (bit i of `bits` is s[i])."""
    recurrence = ShortestRecurrence()
    for i in range(count):
        recurrence.see((bits >> i) & 1)
    return recurrence.order, recurrence.connection


def follows(bits: int, count: int, order: int, connection: int) -> bool:
    """Whether the bits obey a recurrence from s[order] on."""
    residual, remaining = 0, connection
    while remaining:
        lowest = remaining & -remaining
        residual ^= bits << (lowest.bit_length() - 1)
        remaining ^= lowest
    return not ((residual >> order) & ((1 << max(0, count - order)) - 1))


def plane(numbers: UInt64[np.ndarray, " n"], bit: int) -> int:
    """One bit of all numbers, packed: bit i of the result is bit `bit` of numbers[i]."""
    picked = ((numbers >> np.uint64(bit)) & np.uint64(1)).astype(np.uint8)
    return int.from_bytes(np.packbits(picked, bitorder="little").tobytes(), "little")
