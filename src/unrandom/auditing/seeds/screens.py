"""Which seeds may make the first output? A fast screen by one word, which lets all of them pass, and few others.

Divisions and the steps of a method are slow compared with the words of a simple generator; most seeds fail here.
"""

import numpy as np
from jaxtyping import Int64, UInt64

from unrandom.auditing.seeds import draws
from unrandom.auditing.seeds.compiled import compiled
from unrandom.auditing.seeds.methods import WORD, Method
from unrandom.auditing.seeds.twisters import Words

# With x = (word >> shift) & mask, a word passes …
ANY = 0  # always
BETWEEN = 1  # if low <= x <= low + width, or x >= rejected
REST = 2  # if x mod n is low, or x >= rejected
EQUAL = 3  # if x is low, or x >= n
LEMIRE = 4  # if ⌊n x / 2**32⌋ is low, or n x mod 2**32 below n

NEVER = 2**64 - 1

Screen = UInt64[np.ndarray, " 8"]  # the row of the word, the code, shift, mask, low, width, rejected, n


def whole_screen(method: Method, n: int, first: int) -> Screen:
    """The screen for a first whole number from a range of n."""
    piece = max(method.layout.pieces, key=lambda piece: piece.bits)
    shift, mask = piece.lost, piece.mask
    scaling = max(1, method.limit // max(n, 1))
    if method.code == draws.FRACTION:
        return fraction_screen(method, first / n, (first + 1) / n)
    if method.code == draws.BITS:
        return _screen(piece.word, BETWEEN, shift, mask, (first >> method.layout.place(piece)) & mask)
    if method.code == draws.TOP_PRODUCT:
        return _screen(0, BETWEEN, shift, mask, (first << 31) // n, (1 << 31) // n + 1)
    if method.code == draws.QUOTIENT:
        return _screen(0, BETWEEN, shift, mask, first * scaling + 1, scaling - 1, n * scaling + 1)
    if method.code == draws.REMAINDER and method.bits <= 32:
        rejected = method.limit - (method.limit + 1) % n + 1 if method.limit else NEVER
        return _screen(0, REST, shift, mask, first, 0, rejected, n)
    if method.code == draws.TOP_BITS:
        return _screen(0, EQUAL, 32 - n.bit_length(), WORD, first, n=n)
    if method.code == draws.LOW_BITS:
        return _screen(0, EQUAL, 0, (1 << (n - 1).bit_length()) - 1, first, n=n)
    if method.code == draws.R_BITS and n <= 2**15:
        return _screen(0, EQUAL, 16, (1 << (n - 1).bit_length()) - 1, first, n=n)
    if method.code == draws.LEMIRE:
        return _screen(0, LEMIRE, shift, mask, first, n=n)
    return _screen(0, ANY, 0, WORD, 0)


def fraction_screen(method: Method, least: float, most: float) -> Screen:
    """The screen for a first fraction from `least` to `most`."""
    layout, piece = method.layout, method.layout.pieces[0]
    divisor = layout.parts if len(layout.pieces) == 1 else 1 << piece.bits
    margin = 2 + (divisor >> 50)
    low = max(0, int(least * divisor) - margin)
    return _screen(piece.word, BETWEEN, piece.lost, piece.mask, low, max(0, int(most * divisor) + margin - low))


def _screen(
    row: int, code: int, shift: int, mask: int, low: int, width: int = 0, rejected: int = NEVER, n: int = 1
) -> Screen:
    return np.array([row, code, shift, mask, low, width, rejected, n], dtype=np.uint64)


@compiled
def passing(words: Words, screen: Screen, columns: Int64[np.ndarray, " columns"]) -> int:
    """The columns of `words` that pass, in `columns`; returns their number."""
    row, code, shift, mask = np.int64(screen[0]), screen[1], screen[2], screen[3]
    low, width, rejected, n = screen[4], screen[5], screen[6], screen[7]
    found, size = 0, words.shape[1]
    if code == ANY or row >= words.shape[0]:
        for j in range(size):
            columns[j] = j
        return int(size)
    if code == BETWEEN:
        for j in range(size):
            x = (words[row, j] >> shift) & mask
            columns[found] = j
            found += (x - low <= width) | (x >= rejected)
    elif code == REST:
        inverse, divisor = 1.0 / np.float64(n), np.int64(n)
        rest, over = np.int64(low), np.int64(rejected) if rejected < np.uint64(2**62) else np.int64(2**62)
        for j in range(size):
            x = np.int64((words[row, j] >> shift) & mask)
            y = x - np.int64(np.float64(x) * inverse) * divisor - rest  # the quotient may be one too large or small
            columns[found] = j
            found += (y == 0) | (y == divisor) | (y == -divisor) | (x >= over)
    elif code == EQUAL:
        for j in range(size):
            x = (words[row, j] >> shift) & mask
            columns[found] = j
            found += (x == low) | (x >= n)
    else:
        for j in range(size):
            x = ((words[row, j] >> shift) & mask) * n
            columns[found] = j
            found += ((x >> np.uint64(32)) == low) | ((x & np.uint64(WORD)) < n)
    return int(found)
