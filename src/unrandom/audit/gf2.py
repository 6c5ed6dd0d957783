"""What do bits modulo 2 say? Linear equations and linear recurrences, with many bits in one Python integer."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import UInt64


def solve(equations: Iterable[tuple[int, int]], unknowns: int) -> int | None:
    """The unknown bits (bit k of the answer is unknown k) from equations: the xor of the unknowns in a mask is a bit.

    None if they contradict each other, which ends the reading of them, or leave a bit open. Gaussian elimination.
    """
    pivots: dict[int, int] = {}  # highest bit of a row -> the row; the right-hand side is its lowest bit
    for mask, bit in equations:
        row = mask << 1 | bit
        while row > 1 and (known := pivots.get(row.bit_length())) is not None:
            row ^= known
        if row == 1:
            return None
        if row:
            pivots[row.bit_length()] = row
    if len(pivots) < unknowns:
        return None
    solution = 0
    for size in sorted(pivots):  # each row's other unknowns have smaller numbers, and are known by now
        row = pivots[size]
        others = row >> 1 & ~(1 << (size - 2))
        solution |= (((others & solution).bit_count() ^ row) & 1) << (size - 2)
    return solution


def shortest_recurrence(bits: int, count: int) -> tuple[int, int]:
    """The shortest linear recurrence of `count` bits (bit i of `bits` is s[i]): its order L, and C with C[0] = 1 and
    ⊕ C[j] s[i − j] = 0 for all i >= L. Determined once count >= 2 L. Berlekamp and Massey (1969).
    """
    connection, before, order, since, window = 1, 1, 0, 1, 0
    for i in range(count):
        window = window << 1 | (bits >> i & 1)
        if i % 256 == 0:
            window &= (1 << (order + 512)) - 1  # older bits do not matter
        if (connection & window).bit_count() & 1:
            if 2 * order <= i:
                connection, before = connection ^ before << since, connection
                order, since = i + 1 - order, 1
                continue
            connection ^= before << since
        since += 1
    return order, connection


def follows(bits: int, count: int, order: int, connection: int) -> bool:
    """Whether bits obey a recurrence from s[order] on."""
    total, rest = 0, connection
    while rest:
        low = rest & -rest
        total ^= bits << (low.bit_length() - 1)
        rest ^= low
    return not (total >> order & ((1 << max(0, count - order)) - 1))


def plane(numbers: UInt64[np.ndarray, " n"], bit: int) -> int:
    """One bit of all numbers, packed: bit i of the answer is that bit of numbers[i]."""
    picked = (numbers >> np.uint64(bit) & np.uint64(1)).astype(np.uint8)
    return int.from_bytes(np.packbits(picked, bitorder="little").tobytes(), "little")
