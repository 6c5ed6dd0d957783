"""The ranges from which numbers may have been drawn: of all that the smallest and the largest number allow, those with
round ends.

The ends of a range exceed the extremes of n numbers drawn from it by about 1/n of its size, and by 8/n with a
probability of e^−8.
"""

from collections.abc import Iterator
from itertools import zip_longest
from math import floor, log10

import numpy as np
from jaxtyping import Float64

MARGIN = 8  # the extremes of n numbers are nearly always nearer to the ends of the range than MARGIN / n of its size
MAX_RANGES = 4  # ranges that are tried
POWERS = (8, 10, 16, 24, 31, 32, 53, 63, 64)  # ranges of numbers with decimals may end at 2 to these powers


def whole_ranges(least: int, greatest: int, count: int) -> list[tuple[int, int]]:
    """First number and size of ranges that hold all whole numbers from `least` to `greatest`, the roundest first."""
    margin = MARGIN * (greatest - least) // count
    sizes = {start: _sizes(start, greatest, margin) for start in _starts(least, margin)}
    by_rank = zip_longest(*([(start, size) for size in of_start] for start, of_start in sizes.items()))
    found = [one for rank in by_rank for one in rank if one is not None]
    return list(dict.fromkeys([*found, (least, greatest - least + 1)]))


def _starts(least: int, margin: int) -> list[int]:
    """Possible first numbers: 0 and 1 if they are near enough; and a round one."""
    if least < 0:
        return [-_roundest(-least, margin - least)]
    near = [start for start in (0, 1) if start <= least <= start + margin]
    round_one = _roundest(max(2, least - margin), least)
    return [*near, round_one] if round_one % 10 == 0 or not near else near


def _sizes(start: int, greatest: int, margin: int) -> list[int]:
    """Sizes of ranges from this number on: those with which they end at a round number or, if they begin below 0, at
    the opposite of their first number; and round ones.
    """
    least = greatest - start + 1
    ends = [1 - 2 * start, -2 * start] if start < 0 else [_roundest(greatest + 1, greatest + 1 + margin) - start]
    found = [size for size in ends if least <= size <= least + margin] if start not in (0, 1) else []
    return list(dict.fromkeys([*found, *round_numbers(least, least + margin)]))


def round_numbers(least: int, greatest: int) -> list[int]:
    """Round numbers from `least` to `greatest`: the one with the most decimal zeros, a power of two, and `least`."""
    power_of_two = 1 << (least - 1).bit_length()
    numbers = [_roundest(least, greatest), power_of_two, least]
    return list(dict.fromkeys(number for number in numbers if least <= number <= greatest))


def _roundest(least: int, greatest: int) -> int:
    """The smallest of those numbers from `least` to `greatest` that end with the most decimal zeros."""
    unit = 1
    while -(-least // (10 * unit)) * 10 * unit <= greatest and 10 * unit <= max(abs(greatest), 1):
        unit *= 10
    return -(-least // unit) * unit


def fills(start: float, end: float, values: Float64[np.ndarray, " n"]) -> bool:
    """Whether numbers from `start` to `end` come as near to both as those drawn from all of this range do."""
    margin = MARGIN * float(values.max() - values.min()) / len(values)
    return bool(values.min() <= start + margin and values.max() >= end - margin)


def real_ranges(least: float, greatest: float, count: int) -> Iterator[tuple[float, float]]:
    """Lower end and size of ranges that hold all numbers from `least` to `greatest`, the roundest ends first."""
    margin = MARGIN * (greatest - least) / count
    lows = [0.0] if 0 <= least <= margin else list(_round_reals(least - margin, least))
    highs = list(_round_reals(greatest, greatest + margin))
    if lows == [0.0]:
        highs = _with_powers(highs, greatest, greatest + margin)
    if least < 0 and any(abs(low + high) < 1e-12 for low in lows for high in highs):
        pairs = sorted(((low, high) for low in lows for high in highs), key=lambda pair: abs(pair[0] + pair[1]))
    else:
        pairs = [(low, high) for low in lows for high in highs]
    yield from dict.fromkeys((low, high - low) for low, high in pairs if high > low)


def _with_powers(highs: list[float], least: float, greatest: float) -> list[float]:
    """The upper ends of ranges that begin at 0, with the powers of two and the numbers before them that lie between
    these: after an end with one digit, before the others.
    """
    powers = [float(2**k - less) for k in POWERS for less in (1, 0) if least <= 2**k - less <= greatest]
    short = [high for high in highs if len(f"{high:.15g}".strip("0.")) == 1]
    return list(dict.fromkeys([*short, *powers, *highs]))


def round_near(estimate: float, error: float) -> list[float]:
    """Up to two round numbers at most `error` away from an estimate, the roundest first: multiples of powers of ten, or
    of their halves.
    """
    exponent, found = floor(log10(max(abs(estimate) + error, 1e-300))) + 1, list[float]()
    while len(found) < 2 and exponent > -9:
        for unit in (10.0**exponent, 5 * 10.0 ** (exponent - 1)):
            number = round(round(estimate / unit) * unit, 12)
            if abs(number - estimate) <= error and number not in found:
                found.append(number)
        exponent -= 1
    return found[:2]


def _round_reals(least: float, greatest: float) -> Iterator[float]:
    """Up to two round numbers from `least` to `greatest`: that with the fewest digits, and that with one digit more."""
    exponent = floor(log10(max(abs(least), abs(greatest), 1e-300))) + 1
    found = 0
    while found < 2 and exponent > -9:
        unit = 10.0**exponent
        number = round(-(-least // unit) * unit, 12)
        if least <= number <= greatest:
            yield number
            found += 1
        exponent -= 1
