"""Finds the seeds that may make the first outputs, by fast screens of one word each, which let all of them pass, and
few others.

Divisions and the steps of a method are slow compared with the words of a simple generator; most seeds fail here.
"""

from collections.abc import Sequence
from itertools import takewhile
from math import inf

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
LONG_REST = 5  # if x mod n is low, of an x of more than 32 bits

NEVER = 2**64 - 1

Screen = UInt64[np.ndarray, " 8"]  # the row of the word, the code, shift, mask, low, width, rejected, n
Screens = UInt64[np.ndarray, "outputs 8"]  # of the first outputs


def whole_screen(method: Method, n: int, first: int) -> Screen:
    """The screen for a whole number from a range of n that is the first output."""
    if first == draws.UNKNOWN:
        return _screen(0, ANY, 0, WORD, 0)
    piece = max(method.layout.pieces, key=lambda piece: piece.bits)
    shift, mask = piece.lost, piece.mask
    scaling = max(1, method.limit // max(n, 1))
    if method.code == draws.FRACTION:
        return real_screen(method, first / n, (first + 1) / n)
    if method.code == draws.BITS:
        return _screen(piece.word, BETWEEN, shift, mask, (first >> method.layout.place(piece)) & mask)
    if method.code == draws.JAVA_RANGE and not n & (n - 1):
        return _screen(0, BETWEEN, shift, mask, (first << 31) // n, (1 << 31) // n + 1)
    if method.code == draws.QUOTIENT:
        return _screen(0, BETWEEN, shift, mask, first * scaling + 1, scaling - 1, n * scaling + 1)
    if method.code in (draws.REMAINDER, draws.JAVA_RANGE) and method.bits <= 32:
        rejected = method.limit - (method.limit + 1) % n + 1 if method.limit else NEVER
        return _screen(0, REST, shift, mask, first, 0, rejected, n)
    if method.code == draws.REMAINDER and not method.limit:
        return _screen(0, LONG_REST, shift, mask, first, n=n)
    if method.code == draws.TOP_BITS:
        return _screen(0, EQUAL, 32 - n.bit_length(), WORD, first, n=n)
    if method.code == draws.LOW_BITS:
        return _screen(0, EQUAL, 0, (1 << (n - 1).bit_length()) - 1, first, n=n)
    if method.code == draws.R_BITS and n <= 2**15:
        return _screen(0, EQUAL, 16, (1 << (n - 1).bit_length()) - 1, first, n=n)
    if method.code == draws.LEMIRE:
        return _screen(0, LEMIRE, shift, mask, first, n=n)
    return _screen(0, ANY, 0, WORD, 0)


def real_screen(method: Method, least: float, most: float) -> Screen:
    """The screen for a first output that is a fraction or other real number from `least` to `most`."""
    if method.code != draws.FRACTION or least == -inf:
        return _screen(0, ANY, 0, WORD, 0)
    layout, piece = method.layout, method.layout.pieces[0]
    divisor = layout.parts if len(layout.pieces) == 1 else 1 << piece.bits
    margin = 2 + (divisor >> 50)
    low = max(0, int(min(least, 1.0) * divisor) - margin)  # numbers beyond 1 are refused with all words compared
    width = max(0, int(min(most, 1.0) * divisor) + margin - low)
    return _screen(piece.word, BETWEEN, piece.lost, piece.mask, low, min(width, 2**64 - 1))


def screens(first: Sequence[Screen], words: int) -> Screens:
    """The screens for the first outputs, up to that which all words pass. They are given as if each were for the first
    one; an output takes `words` words.
    """
    table = np.array(list(takewhile(lambda screen: screen[1] != ANY, first)) or first[:1])
    table[:, 0] += np.arange(len(table), dtype=np.uint64) * np.uint64(words)
    return table


def _screen(
    row: int, code: int, shift: int, mask: int, low: int, width: int = 0, rejected: int = NEVER, n: int = 1
) -> Screen:
    return np.array([row, code, shift, mask, low, width, rejected, n], dtype=np.uint64)


@compiled
def passing(words: Words, screens: Screens, columns: Int64[np.ndarray, " columns"]) -> int:
    """The columns of `words` that pass all screens, in `columns`; returns their number. A column of which a word may
    be rejected passes the screens after that one, too, because its outputs are made of other words.
    """
    found = _first_passing(words, screens[0], columns)
    for k in range(1, len(screens)):
        if np.int64(screens[k, 0]) < words.shape[0]:
            found = _still_passing(words, screens[k], columns, found)
    for i in range(found):
        if columns[i] < 0:
            columns[i] = ~columns[i]
    return found


@compiled
def _first_passing(words: Words, screen: Screen, columns: Int64[np.ndarray, " columns"]) -> int:
    """The columns of `words` that pass; j is ~j if its word may be rejected."""
    row, code, shift, mask = np.int64(screen[0]), screen[1], screen[2], screen[3]
    low, width, rejected, n = screen[4], screen[5], screen[6], screen[7]
    found, size = 0, words.shape[1]
    if code == ANY or row >= words.shape[0]:
        for j in range(size):
            columns[j] = ~j
        return int(size)
    if code == BETWEEN and rejected == np.uint64(NEVER):
        for j in range(size):
            x = (words[row, j] >> shift) & mask
            columns[found] = j
            found += x - low <= width
    elif code == BETWEEN:
        for j in range(size):
            x = (words[row, j] >> shift) & mask
            over = x >= rejected
            columns[found] = j ^ -np.int64(over)
            found += (x - low <= width) | over
    elif code == REST:
        inverse, divisor = 1.0 / np.float64(n), np.int64(n)
        rest, limit = np.int64(low), np.int64(rejected) if rejected < np.uint64(2**62) else np.int64(2**62)
        for j in range(size):
            x = np.int64((words[row, j] >> shift) & mask)
            y = x - np.int64(np.float64(x) * inverse) * divisor - rest  # the quotient may be one too large or small
            over = x >= limit
            columns[found] = j ^ -np.int64(over)
            found += (y == 0) | (y == divisor) | (y == -divisor) | over
    elif code == LONG_REST:
        for j in range(size):
            columns[found] = j
            found += ((words[row, j] >> shift) & mask) % n == low
    elif code == EQUAL:
        for j in range(size):
            x = (words[row, j] >> shift) & mask
            over = x >= n
            columns[found] = j ^ -np.int64(over)
            found += (x == low) | over
    else:
        for j in range(size):
            x = ((words[row, j] >> shift) & mask) * n
            over = (x & np.uint64(WORD)) < n
            columns[found] = j ^ -np.int64(over)
            found += ((x >> np.uint64(32)) == low) | over
    return int(found)


@compiled
def _still_passing(words: Words, screen: Screen, columns: Int64[np.ndarray, " columns"], count: int) -> int:
    """Marks the first `count` columns that pass, with the same marks, in their place."""
    row, code, shift, mask = np.int64(screen[0]), screen[1], screen[2], screen[3]
    low, width, rejected, n = screen[4], screen[5], screen[6], screen[7]
    found = 0
    for i in range(count):
        j = columns[i]
        x = (words[row, max(j, ~j)] >> shift) & mask
        over = x >= rejected
        if code == BETWEEN:
            right = x - low <= width
        elif code in (REST, LONG_REST):
            right = x % n == low
        elif code == EQUAL:
            over = x >= n
            right = x == low
        else:
            x *= n
            over = (x & np.uint64(WORD)) < n
            right = (x >> np.uint64(32)) == low
        columns[found] = max(j, ~j) ^ -np.int64(over | (j < 0))
        found += right | over | (j < 0)
    return found
