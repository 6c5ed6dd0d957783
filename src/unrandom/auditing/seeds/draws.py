"""How do programs make numbers of the words of a generator, and for which seeds are these the given outputs?

A method is a code with the constants of a layout; `whole_draw` and `fraction_draw` give its next output and the number
of words used so far, which is negative if the words do not suffice. Methods that reject words draw again here.
"""

import numpy as np
from jaxtyping import Float64, Int64, UInt64

from unrandom.auditing.seeds.compiled import compiled
from unrandom.auditing.seeds.twisters import Words

# How whole numbers are made of words; n is the size of the range, and x is joined from one or two words by a layout:
FRACTION = 0  # ⌊n u⌋ of a fraction u
BITS = 1  # x
REMAINDER = 2  # x mod n, of an x up to a limit
TOP_BITS = 3  # the top k bits of x, where k is the width of n; drawn again until they are below n
LOW_BITS = 4  # the lowest k bits of x, where k is the width of n − 1; drawn again until they are below n
LEMIRE = 5  # ⌊n x / 2**32⌋ of an x for which n x modulo 2**32 is not below 2**32 mod n
QUOTIENT = 6  # ⌊(x − 1) / ⌊limit / n⌋⌋, if below n
R_BITS = 7  # the lowest k bits of the top 16 bits of one word, or two if k > 15; drawn again until they are below n
TOP_PRODUCT = 8  # ⌊n x / 2**31⌋
JAVA_LONG = 9  # x modulo 2**64, of which the low half is signed
BASH = 10  # 15 bits, never the same twice in succession; modulo n

HALF_WORD = 2**32
MASK_32 = 2**32 - 1

Constants = UInt64[np.ndarray, " 12"]
"""Of a method: its code; the words of x; index, shift and mask of its high part, then of its low part, and the bits of
that; limit; divisor of fractions, 0 for 2**64; and whether x is multiplied by its inverse instead.
"""

Targets = UInt64[np.ndarray, " outputs"]
Fractions = Float64[np.ndarray, " outputs"]
Hits = Int64[np.ndarray, " hits"]


@compiled
def _joined(words: Words, lane: int, used: int, method: Constants) -> np.uint64:
    """x of the words from `used` on. A low part that the layout does not have has no bits."""
    high = (words[used + np.int64(method[2]), lane] >> method[3]) & method[4]
    low = (words[used + np.int64(method[5]), lane] >> method[6]) & method[7]
    return (high << method[8]) | low


@compiled
def fraction_draw(words: Words, lane: int, used: int, method: Constants) -> tuple[float, int]:
    """The next fraction from 0 to 1, and the words used."""
    after = used + int(np.int64(method[1]))
    if after > words.shape[0]:
        return 0.0, -1
    x = np.float64(_joined(words, lane, used, method))
    divisor = np.float64(method[10]) if method[10] else 2.0**64
    if method[11]:
        return float(x * (1.0 / divisor)), after
    return float(x / divisor), after


@compiled
def whole_draw(words: Words, lane: int, used: int, method: Constants, n: np.uint64) -> tuple[np.uint64, int]:
    """The next whole number, and the words used."""
    code, size, limit, count = method[0], int(np.int64(method[1])), method[9], words.shape[0]
    if code == FRACTION:
        u, used = fraction_draw(words, lane, used, method)
        return np.uint64(np.float64(n) * u), used
    if code == BASH:
        return _bash_draw(words, lane, used, n)
    while used + size <= count:
        x = _joined(words, lane, used, method)
        used += size
        if code == BITS:
            return x, used
        if code == REMAINDER:
            if limit == np.uint64(0) or x <= limit - (limit + np.uint64(1)) % n:
                return x % n, used
        elif code == TOP_BITS:
            y = x >> np.uint64(32 - _bit_length(n))
            if y < n:
                return y, used
        elif code == LOW_BITS:
            y = x & _mask(n)
            if y < n:
                return y, used
        elif code == LEMIRE:
            product = x * n
            low = product & np.uint64(MASK_32)
            if low >= n or low >= np.uint64(HALF_WORD) % n:
                return product >> np.uint64(32), used
        elif code == QUOTIENT:
            y = (x - np.uint64(1)) // (limit // n)
            if y < n:
                return y, used
        elif code == R_BITS:
            y = x
            if n > np.uint64(2**15):  # a second word is needed
                if used == count:
                    return np.uint64(0), -1
                y = (y << np.uint64(16)) | (words[used, lane] >> np.uint64(16))
                used += 1
            y &= _mask(n)
            if y < n:
                return y, used
        elif code == TOP_PRODUCT:
            return (x * n) >> np.uint64(31), used
        else:
            return x - (((x >> np.uint64(31)) & np.uint64(1)) << np.uint64(32)), used
    return np.uint64(0), -1


@compiled
def _bash_draw(words: Words, lane: int, used: int, n: np.uint64) -> tuple[np.uint64, int]:
    last = np.uint64(0) if used == 0 else _bash(words[used - 1, lane])
    while used < words.shape[0]:
        y = _bash(words[used, lane])
        used += 1
        if y != last:
            return y % n, used
    return np.uint64(0), -1


@compiled
def _bash(word: np.uint64) -> np.uint64:
    return ((word >> np.uint64(16)) ^ (word & np.uint64(0xFFFF))) & np.uint64(0x7FFF)


@compiled
def _bit_length(n: np.uint64) -> int:
    bits = 0
    while n:
        bits += 1
        n >>= np.uint64(1)
    return bits


@compiled
def _mask(n: np.uint64) -> np.uint64:
    """As many ones as n − 1 has bits."""
    y = n - np.uint64(1)
    for shift in (1, 2, 4, 8, 16, 32):
        y |= y >> np.uint64(shift)
    return y


@compiled
def agreeing_whole(words: Words, method: Constants, ranges: Targets, targets: Targets, hits: Hits, count: int) -> int:
    """The first `count` of `hits` are columns of `words`; those from which the method makes these outputs, as far as
    the words suffice, take their place. Returns their number. `ranges` are the sizes of the ranges of the outputs.
    """
    found = 0
    for lane in hits[:count]:
        used, i = 0, 0
        while used >= 0 and i < len(targets):
            y, used = whole_draw(words, lane, used, method, ranges[i])
            if used > 0 and y != targets[i]:
                break
            i += 1
        else:
            hits[found] = lane
            found += 1
    return found


@compiled
def agreeing_fractions(
    words: Words, method: Constants, least: Fractions, most: Fractions, hits: Hits, count: int
) -> int:
    """The same for fractions from `least` to `most`."""
    found = 0
    for lane in hits[:count]:
        used, i = 0, 0
        while i < len(least):
            u, used = fraction_draw(words, lane, used, method)
            if used < 0:
                i = len(least)
            elif least[i] <= u <= most[i]:
                i += 1
            else:
                break
        if i == len(least):
            hits[found] = lane
            found += 1
    return found


@compiled
def whole_outputs(words: Words, method: Constants, ranges: Targets, outputs: Targets) -> int:
    """Fill `outputs` from the first column of words as far as they suffice; returns the number of outputs."""
    used = 0
    for i in range(len(outputs)):
        y, used = whole_draw(words, 0, used, method, ranges[i])
        if used < 0:
            return i
        outputs[i] = y
    return len(outputs)


@compiled
def fraction_outputs(words: Words, method: Constants, outputs: Fractions) -> int:
    """The same for fractions."""
    used = 0
    for i in range(len(outputs)):
        u, used = fraction_draw(words, 0, used, method)
        if used < 0:
            return i
        outputs[i] = u
    return len(outputs)
