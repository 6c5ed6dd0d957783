"""Makes numbers from the words of a generator, as programs do, and tells for which seeds these are the given outputs.

A method is a code with the constants of a layout; `whole_draw` and `real_draw` give its next output and the number of
words used so far, which is negative if the words do not suffice. Methods that reject words draw again here.
"""

from math import exp, factorial, log, sqrt

import numpy as np
from jaxtyping import Float64, Int64, UInt64

from unrandom.auditing.seeds.compiled import compiled
from unrandom.auditing.seeds.twisters import Words
from unrandom.auditing.seeds.ziggurat import FIRST_TAIL, HEIGHT, LAYERS, LEFT, RIGHT, SCALE

# How whole numbers are made of words; n is the size of the range, and x is joined from one or two words by a layout:
FRACTION = 0  # ⌊n u⌋ of a fraction u
BITS = 1  # x
REMAINDER = 2  # x mod n, of an x up to a limit
TOP_BITS = 3  # the top k bits of x, where k is the width of n; drawn again until they are below n
LOW_BITS = 4  # the lowest k bits of x, where k is the width of n − 1; drawn again until they are below n
LEMIRE = 5  # ⌊n x / 2**32⌋ of an x for which n x modulo 2**32 is not below 2**32 mod n
QUOTIENT = 6  # ⌊(x − 1) / ⌊limit / n⌋⌋, if below n
R_BITS = 7  # the lowest k bits of the top 16 bits of one word, or two if k > 15; drawn again until they are below n
JAVA_RANGE = 8  # ⌊n x / 2**31⌋ if n is a power of two, else x mod n of an x up to a limit
JAVA_LONG = 9  # x modulo 2**64, of which the low half is signed
BASH = 10  # 15 bits, never the same twice in succession; modulo n
LETTERS = 11  # the place of the character x mod 91 + 32 among digits, capitals and small letters; drawn until it is one

# How real numbers are made of fractions u and u', one or more for each:
POLAR = 12  # normal deviates by the polar method of Marsaglia and Bray: of a point (2u − 1, 2u' − 1), in this order
POLAR_TURNED = 13  # the same in the opposite order
RATIO = 14  # normal deviates by the ratio of Kinderman and Monahan
BOX_MULLER = 15  # normal deviates by Box and Muller: cosine and sine of 2π u, times √(−2 ln (1 − u'))
ZIGGURAT = 16  # normal deviates by numpy's ziggurat
R_EXPONENTIAL = 17  # 1 − exp(−x) of exponential deviates x by Algorithm SA of Ahrens and Dieter, as R's rexp

START: int = np.int64(0)  # type: ignore[assignment]  # a literal 0 has another type, for which all is compiled again

HALF_WORD = 2**32
MASK_32 = 2**32 - 1

CHARACTERS = 91  # RandomStringUtils of Apache Commons Lang draws from these, the space to z
DIGITS, CAPITALS, SMALL = ord("0") - 32, ord("A") - 32, ord("a") - 32  # places of the first ones among these

RATIO_FACTOR = 4 * exp(-0.5) / sqrt(2.0)

R_SUMS = tuple(sum(log(2.0) ** i / factorial(i) for i in range(1, k + 1)) for k in range(1, 17))
"""Of terms of the series of exp(ln 2) − 1, the number that R uses."""

Constants = UInt64[np.ndarray, " 12"]
"""Of a method: its code; the words of x; index, shift and mask of its high part, then of its low part, and the bits of
that; limit; divisor of fractions, 0 for 2**64; and whether x is multiplied by its inverse instead.
"""

UNKNOWN = 2**64 - 1  # stands for an output that is not known

Targets = UInt64[np.ndarray, " outputs"]
Reals = Float64[np.ndarray, " outputs"]
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
def real_draw(words: Words, lane: int, used: int, method: Constants, saved: float) -> tuple[float, int, float]:
    """The next real number, the words used, and the second number of a pair if this is the first one, else nan; `saved`
    is what the draw before gave as such.
    """
    if saved == saved:  # not nan
        return saved, used, np.nan
    code = method[0]
    if code == R_EXPONENTIAL:
        x, used = _r_exponential(words, lane, used, method)
        return x, used, np.nan
    if code == ZIGGURAT:
        x, used = _ziggurat(words, lane, used, method)
        return x, used, np.nan
    x, used = fraction_draw(words, lane, used, method)
    if code == FRACTION:
        return x, used, np.nan
    while used > 0:
        y, used = fraction_draw(words, lane, used, method)
        if used < 0:
            break
        if code == RATIO:
            z = RATIO_FACTOR * (x - 0.5) / (1.0 - y)
            if z * z / 4.0 <= -np.log(1.0 - y):
                return z, used, np.nan
        elif code == BOX_MULLER:
            radius = np.sqrt(-2.0 * np.log(1.0 - y))
            return np.cos(2.0 * np.pi * x) * radius, used, np.sin(2.0 * np.pi * x) * radius
        else:
            x, y = 2.0 * x - 1.0, 2.0 * y - 1.0
            square = x * x + y * y
            if 0.0 < square < 1.0:
                factor = np.sqrt(-2.0 * np.log(square) / square)
                if code == POLAR:
                    return x * factor, used, y * factor
                return y * factor, used, x * factor
        x, used = fraction_draw(words, lane, used, method)
    return 0.0, -1, np.nan


@compiled
def _ziggurat(words: Words, lane: int, used: int, method: Constants) -> tuple[float, int]:
    """The next normal deviate, and the words used."""
    while used < words.shape[0]:
        word = words[used, lane]
        used += 1
        layer = np.int64(word & np.uint64(LAYERS - 1))
        negative = (word >> np.uint64(8)) & np.uint64(1)
        steps = (word >> np.uint64(9)) & np.uint64(SCALE - 1)
        x = np.float64(steps) * RIGHT[layer]
        x = -x if negative else x
        if steps < LEFT[layer]:
            return x, used
        while layer == 0:
            u, used = fraction_draw(words, lane, used, method)
            v, used = fraction_draw(words, lane, used, method) if used > 0 else (0.0, -1)
            if used < 0:
                return 0.0, -1
            beyond = -np.log1p(-u) / FIRST_TAIL
            if -2.0 * np.log1p(-v) > beyond * beyond:
                x = FIRST_TAIL + beyond
                return (-x if (steps >> np.uint64(8)) & np.uint64(1) else x), used
        u, used = fraction_draw(words, lane, used, method)
        if used < 0:
            break
        if (HEIGHT[layer - 1] - HEIGHT[layer]) * u + HEIGHT[layer] < np.exp(-0.5 * x * x):
            return x, used
    return 0.0, -1


@compiled
def _r_exponential(words: Words, lane: int, used: int, method: Constants) -> tuple[float, int]:
    """1 − exp(−x) of the next exponential deviate x, and the words used."""
    u, used = fraction_draw(words, lane, used, method)
    if used < 0 or u <= 0.0:
        return 0.0, -1
    whole = 0.0
    while u <= 0.5:
        u += u
        whole += R_SUMS[0]
    u += u - 1.0
    if u <= R_SUMS[0]:
        return 1.0 - np.exp(-whole - u), used
    least, used = fraction_draw(words, lane, used, method)
    i = 0
    while used > 0:
        other, used = fraction_draw(words, lane, used, method)
        least = min(least, other)
        i += 1
        if used > 0 and u <= R_SUMS[i]:
            return 1.0 - np.exp(-whole - least * R_SUMS[0]), used
    return 0.0, -1


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
        elif code == JAVA_RANGE:
            if n & (n - np.uint64(1)) == np.uint64(0):
                return (x * n) >> np.uint64(31), used
            if x <= limit - (limit + np.uint64(1)) % n:
                return x % n, used
        elif code == LETTERS:
            if x <= limit - (limit + np.uint64(1)) % np.uint64(CHARACTERS):
                y = _letter(x % np.uint64(CHARACTERS), n)
                if y < n:
                    return y, used
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
def _letter(character: np.uint64, n: np.uint64) -> np.uint64:
    """The place of a character among digits, capitals and small letters, or among the letters if n is 52."""
    place = n
    if np.uint64(DIGITS) <= character < np.uint64(DIGITS + 10):
        place = character - np.uint64(DIGITS)
    elif np.uint64(CAPITALS) <= character < np.uint64(CAPITALS + 26):
        place = character - np.uint64(CAPITALS - 10)
    elif np.uint64(SMALL) <= character < np.uint64(SMALL + 26):
        place = character - np.uint64(SMALL - 36)
    else:
        return n
    return place - np.uint64(10) if n == np.uint64(52) else place


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
        used, i = START, 0
        while used >= 0 and i < len(targets):
            y, used = whole_draw(words, lane, used, method, ranges[i])
            if used > 0 and y != targets[i] and targets[i] != np.uint64(UNKNOWN):
                break
            i += 1
        else:
            hits[found] = lane
            found += 1
    return found


@compiled
def agreeing_reals(words: Words, method: Constants, least: Reals, most: Reals, hits: Hits, count: int) -> int:
    """The same for real numbers from `least` to `most`."""
    found = 0
    for lane in hits[:count]:
        used, i, saved = START, 0, np.nan
        while i < len(least):
            x, used, saved = real_draw(words, lane, used, method, saved)
            if used < 0:
                i = len(least)
            elif least[i] <= x <= most[i]:
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
    used = START
    for i in range(len(outputs)):
        y, used = whole_draw(words, 0, used, method, ranges[i])
        if used < 0:
            return i
        outputs[i] = y
    return len(outputs)


@compiled
def real_outputs(words: Words, method: Constants, outputs: Reals) -> int:
    """The same for real numbers."""
    used, saved = START, np.nan
    for i in range(len(outputs)):
        x, used, saved = real_draw(words, 0, used, method, saved)
        if used < 0:
            return i
        outputs[i] = x
    return len(outputs)
