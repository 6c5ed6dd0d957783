"""What a few numbers tell of their range: how large it is, whether they fill it, and whether one of them, or a part of
the range, is more frequent than chance allows.
"""

from collections import Counter
from itertools import pairwise
from math import comb, log2

import numpy as np
from jaxtyping import Shaped

EVEN_UP_TO = 256  # numbers up to which a range that they seem to fill is taken for theirs; more tell their frequencies
UNEVEN_BITS = 20  # chance, as a power of two, below which numbers are not taken to be drawn evenly from their range
START_BITS = 4  # chance, as a power of two, below which numbers are not taken to be drawn from 0 on
FILLED_BITS = 8  # chance, as a power of two, below which numbers are not taken to fill a range or a width


def range_bits(numbers: Shaped[np.ndarray, " n"]) -> float:
    """log2 of how many multiples of a common factor the numbers' range has; of all, if the factor may be chance."""
    from_least = numbers - numbers.min()
    factor = max(1, int(np.gcd.reduce(from_least)))
    if (len(numbers) - 2) * log2(factor) < UNEVEN_BITS:
        factor = 1
    return log2(int(from_least.max()) // factor + 1)


def from_zero(numbers: Shaped[np.ndarray, " n"]) -> Shaped[np.ndarray, " m"]:
    """These numbers and 0, if numbers drawn from 0 on are all that far from it with a chance above 2**−START_BITS."""
    above = log2(int(numbers.max()) - int(numbers.min()) + 1) - log2(int(numbers.max()) + 1)
    return np.append(numbers, numbers[:1] * 0) if len(numbers) * above > -START_BITS else numbers


def filled(numbers: Shaped[np.ndarray, " n"], size: int) -> bool:
    """Whether numbers drawn from a range of this size lie so close together with a chance above 2**−FILLED_BITS."""
    if len(numbers) < 2:
        return True
    share = log2(int(numbers.max()) - int(numbers.min()) + 1) - log2(size)
    return log2(len(numbers)) + (len(numbers) - 1) * share >= -FILLED_BITS


def mode_information(numbers: Shaped[np.ndarray, " n"]) -> float:
    """−log2 of the frequency of the most frequent number; 64 if all are distinct."""
    highest_count = int(np.unique(numbers, return_counts=True)[1].max())
    return log2(len(numbers) / highest_count) if highest_count > 1 else 64.0


def repetitive(numbers: Shaped[np.ndarray, " n"]) -> bool:
    """Whether a number, or a difference of neighbours, occurs so often with a chance below 2**−UNEVEN_BITS only."""
    from_least, count = (numbers - numbers.min()).tolist(), len(numbers)
    size = max(from_least) + 1
    differences = [(after - before) % size for before, after in pairwise(from_least)]
    most = (max(Counter(values).values(), default=0) for values in (from_least, differences))
    return any(log2(comb(count, often)) - (often - 1) * log2(size) < -UNEVEN_BITS for often in most)


def crowded(numbers: Shaped[np.ndarray, " n"]) -> bool:
    """Whether the lowest sixteenth of the range is fuller than chance allows (2**−UNEVEN_BITS)."""
    from_least, count = (numbers - numbers.min()).tolist(), len(numbers)
    size = max(from_least) + 1
    low, share = sum(16 * x < size for x in from_least), -(-size // 16) / size
    return log2(comb(count, low)) + low * log2(share) < -UNEVEN_BITS
