"""How do programs make numbers of the words of a generator, and for which seeds are these the given outputs?

A method is a code with a few constants; `whole_draw` and `fraction_draw` give its next output and the number of words
used so far, which is negative if the words do not suffice. Methods that reject words and draw again do so here.
"""

import numpy as np
from jaxtyping import Float64, Int64, UInt64

from unrandom.auditing.seeds.compiled import compiled
from unrandom.auditing.seeds.twisters import Words

# How fractions are made of words:
DIVIDED = 0  # (word >> shift) & mask, divided by a number
MULTIPLIED = 1  # the same, multiplied by the inverse of the number
TWO_OF_27_AND_26 = 2  # ((a >> 5) 2**26 + (b >> 6)) / 2**53
JAVA_DOUBLE = 3  # ((a >> 22) 2**27 + (b >> 21)) / 2**53
CPP_DOUBLE = 4  # (a + 2**32 b) / 2**64

# How whole numbers are made of them; n is the size of the range, and x is (word >> shift) & mask:
FRACTION = 0  # ⌊n u⌋ of a fraction u
BITS = 1  # x
REMAINDER = 2  # x mod n, of an x up to a limit
TOP_BITS = 3  # the top k bits of x, where k is the width of n; drawn again until they are below n
LOW_BITS = 4  # the lowest k bits of x, where k is the width of n − 1; drawn again until they are below n
LEMIRE = 5  # ⌊n x / 2**32⌋ of an x for which n x modulo 2**32 is not below 2**32 mod n
QUOTIENT = 6  # ⌊(x − 1) / ⌊limit / n⌋⌋, if below n
R_BITS = 7  # the lowest k bits of the top 16 bits of one word, or two if k > 15; drawn again until they are below n
TOP_PRODUCT = 8  # ⌊n x / 2**31⌋
TWO_WORDS = 9  # a + 2**32 (b >> shift)
JAVA_LONG = 10  # 2**32 a + b modulo 2**64, b signed
BASH = 11  # 15 bits, never the same twice in succession; modulo n


ONE, HALF_WORD = 1, 2**32
MASK_32 = 2**32 - 1

Constants = UInt64[np.ndarray, " 6"]
"""Of a method: its code, the code of its fraction, shift, mask, limit and divisor."""

Targets = UInt64[np.ndarray, " outputs"]


@compiled
def fraction_draw(words: Words, lane: int, used: int, method: Constants) -> tuple[float, int]:
    """The next fraction from 0 to 1, and the words used."""
    code, shift, mask = method[1], method[2], method[3]
    if code <= MULTIPLIED:
        if used >= words.shape[0]:
            return 0.0, -1
        x = np.float64((words[used, lane] >> shift) & mask)
        if code == DIVIDED:
            return x / np.float64(method[5]), used + 1
        return x * (1.0 / np.float64(method[5])), used + 1
    if used + 2 > words.shape[0]:
        return 0.0, -1
    a, b = words[used, lane], words[used + 1, lane]
    if code == TWO_OF_27_AND_26:
        y = ((a >> np.uint64(5)) << np.uint64(26)) + (b >> np.uint64(6))
        return np.float64(y) / 2.0**53, used + 2
    if code == JAVA_DOUBLE:
        y = ((a >> np.uint64(22)) << np.uint64(27)) + (b >> np.uint64(21))
        return np.float64(y) / 2.0**53, used + 2
    return (np.float64(a) + np.float64(b) * 2.0**32) / 2.0**64, used + 2


@compiled
def whole_draw(words: Words, lane: int, used: int, method: Constants, n: np.uint64) -> tuple[np.uint64, int]:
    """The next whole number, and the words used."""
    code, shift, mask, limit = method[0], method[2], method[3], method[4]
    if code == FRACTION:
        u, used = fraction_draw(words, lane, used, method)
        return np.uint64(np.float64(n) * u), used
    if code >= TWO_WORDS:
        return _wide_draw(words, lane, used, method, n)
    count = words.shape[0]
    while used < count:
        word = words[used, lane]
        x = (word >> shift) & mask
        used += 1
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
            y = word >> np.uint64(16)
            if n > np.uint64(2**15):  # a second word is needed
                if used == count:
                    return np.uint64(0), -1
                y = (y << np.uint64(16)) | (words[used, lane] >> np.uint64(16))
                used += 1
            y &= _mask(n)
            if y < n:
                return y, used
        else:
            return (x * n) >> np.uint64(31), used
    return np.uint64(0), -1


@compiled
def _wide_draw(words: Words, lane: int, used: int, method: Constants, n: np.uint64) -> tuple[np.uint64, int]:
    """The draws of two words, and bash's."""
    code, shift, count, nothing = method[0], method[2], words.shape[0], np.uint64(0)
    if code == BASH:
        last = nothing if used == 0 else _bash(words[used - 1, lane])
        while used < count:
            y = _bash(words[used, lane])
            used += 1
            if y != last:
                return y % n, used
        return nothing, -1
    if used + 2 > count:
        return nothing, -1
    a, b = words[used, lane], words[used + 1, lane]
    if code == TWO_WORDS:
        return a | ((b >> shift) << np.uint64(32)), used + 2
    low = (b >> shift) & np.uint64(MASK_32)
    high = (a >> shift) - (low >> np.uint64(31))
    return (high << np.uint64(32)) | low, used + 2


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
def agreeing_whole(
    words: Words, method: Constants, ranges: Targets, targets: Targets, hits: Int64[np.ndarray, " hits"], count: int
) -> int:
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
    words: Words,
    method: Constants,
    least: Float64[np.ndarray, " outputs"],
    most: Float64[np.ndarray, " outputs"],
    hits: Int64[np.ndarray, " hits"],
    count: int,
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
def fraction_outputs(words: Words, method: Constants, outputs: Float64[np.ndarray, " outputs"]) -> int:
    """The same for fractions."""
    used = 0
    for i in range(len(outputs)):
        u, used = fraction_draw(words, 0, used, method)
        if used < 0:
            return i
        outputs[i] = u
    return len(outputs)
