"""Which state is behind outputs that each show a part of it? The closest vector of a lattice tells.

When every x[i] = (A[i] x + C[i]) mod m is known to lie between bounds, (x[0], …, x[n−1]) − C is a vector of the lattice
that (A[0], …, A[n−1]) and m times the unit vectors span, and it is close to the middle of the bounds. The closest one
is found by Kannan's embedding: the middle joins the basis, with a further coordinate, and reduction (LLL) leaves the
difference as a short vector. Frieze, Håstad, Kannan, Lagarias and Shamir (1988) found truncated LCGs so. An increment
that is unknown is one more vector of the basis; what is known only modulo a period has a second coordinate, the number
of periods.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, repeat
from math import ceil, log2

from unrandom.core.lattices import short_vectors
from unrandom.generators.lcg import Lcg

Bounds = Sequence[tuple[int, int]]

DIMENSIONS = 72
"""Coordinates of a lattice at most: reduction fails above."""

SPARE = 0.75
"""More outputs than that, where there are as many, as a share: with fewer, reduction misses some."""

LOST = 0.35
"""Bits of an output that do not help: a vector is found if the outputs have some to spare."""


def hidden_states(
    bounds: Bounds,
    modulus: int,
    multiplier: int,
    increment: int | None = None,
    *,
    period: int | None = None,
    count: int | None = None,
) -> Iterator[tuple[Lcg, int]]:
    """Generators and first states x[0] with bounds[t][0] <= x[t] mod ``period`` <= bounds[t][1] for every t.

    They have this modulus, multiplier and increment; if none is given, one that will do (others would, too). Without a
    period (which is at most the modulus) the bounds are for x[t] itself. The lattice is made of the first ``count``
    bounds, else of ``SPARE`` more than needed. None are found if the bounds say less than a state has bits; those that
    there are may be missed where they say little more, or where small multipliers make neighbours alike.
    """
    m, span = modulus, min(period or modulus, modulus)
    least = outputs_needed(bounds, m, increment is None, span)
    if least is None:
        return
    used = min(len(bounds), count or least + ceil(SPARE * least), most_outputs(m, span))
    for first, second in _first_two(bounds[:used], m, multiplier, increment, span):
        lcg = Lcg(m, multiplier, (second - multiplier * first) % m if increment is None else increment)
        states = lcg.orbit(first, len(bounds))
        if increment is None:
            # x[t] + shift for every t is the orbit of another increment
            shift = _shift(states, bounds, m, span)
            first = (first + shift) % m
            lcg = Lcg(m, multiplier, (lcg.c - (multiplier - 1) * shift) % m)
            states = lcg.orbit(first, len(bounds))
        if all(low <= x % span <= high for x, (low, high) in zip(states, bounds, strict=True)):
            yield lcg, first


def outputs_needed(bounds: Bounds, modulus: int, unknown_increment: bool, period: int | None = None) -> int | None:
    """The first bounds that together say somewhat more than a state has bits: how many? None if all of them say less,
    if a lattice cannot take as many, or if one cannot be fulfilled.
    """
    span = period or modulus
    if not bounds or any(high < low for low, high in bounds):
        return None
    wanted = log2(modulus) + 4
    if unknown_increment:  # of its bits, as many as the bounds leave open make no difference
        wanted += log2(modulus) - min(log2(high - low + 1) for low, high in bounds)
    said = 0.0
    for least, (low, high) in enumerate(bounds[: most_outputs(modulus, span)], start=1):
        said += log2(span / (high - low + 1)) - LOST
        if said >= wanted:
            return least
    return None


def most_outputs(modulus: int, period: int | None = None) -> int:
    """The outputs that a lattice can take."""
    return DIMENSIONS // 2 if period and period < modulus else DIMENSIONS


def _first_two(bounds: Bounds, m: int, a: int, c: int | None, span: int) -> Iterator[tuple[int, int]]:
    """Candidates for x[0] and x[1], from the lattice of (e[0], …, e[n−1], q[0], …, q[n−1]) for x[t] = e[t] + span q[t];
    without the q if span = m.
    """
    n = len(bounds)
    periods = -(-m // span) if span < m else 0
    width = 2 * n if periods else n
    powers = list(accumulate(repeat(a, n - 1), lambda x, y: x * y % m, initial=1))
    sums = list(accumulate(powers[:-1], lambda x, y: (x + y) % m, initial=0))  # 1 + a + … + a**(t−1)
    units = [[0] * i + [1] + [0] * (width - i - 1) for i in range(width)]
    rows = [powers + [0] * (width - n)]
    if c is None:
        rows.append(sums + [0] * (width - n))
    rows += [[m * x for x in units[t]] for t in range(len(rows), n)]
    if periods:
        rows += [[q - span * e for e, q in zip(units[t], units[n + t], strict=True)] for t in range(n)]
    offsets = [x * (c or 0) % m for x in sums]
    target = [(low + high) // 2 - offset for (low, high), offset in zip(bounds, offsets, strict=True)]
    widths = [high - low + 1 for low, high in bounds]
    if periods:
        target, widths = target + [periods // 2] * n, widths + [periods] * n
    for vector in _closest(rows, target, widths):
        states = [e + offset for e, offset in zip(vector[:n], offsets, strict=True)]
        if periods:
            states = [e + span * q for e, q in zip(states, vector[n:], strict=True)]
        yield states[0] % m, states[1] % m


def _shift(states: Sequence[int], bounds: Bounds, m: int, span: int) -> int:
    """By how much to shift all states so that they are well between their bounds; and, if these are for what is left
    modulo span, well between 0 and m.
    """
    least, most, unwrapped = -span, span, []
    for x, (low, high) in zip(states, bounds, strict=True):
        middle = (low + high) // 2
        # modulo m they are the same; modulo span, one of them is as shown
        shown = (((y - middle + span // 2) % span - span // 2, y) for y in (x, x - m, x + m))
        off, x = min(shown, key=lambda off_and_state: abs(off_and_state[0]))
        least, most = max(least, low - middle - off), min(most, high - middle - off)
        unwrapped.append(x)
    shift = (least + most) // 2
    if span == m:
        return shift
    to_the_middle = (m - 1 - min(unwrapped) - max(unwrapped)) // 2
    return shift + (to_the_middle - shift + span // 2) // span * span


def states_within(multipliers: Sequence[int], offsets: Sequence[int], modulus: int, bounds: Bounds) -> Iterator[int]:
    """Candidates for x with (A[i] x + C[i]) mod m between the bounds (both included) for every i; A[0] must be 1.

    They are candidates, not proven, and one that exists is missed where outputs are too few or show too little.
    """
    n = len(bounds)
    rows = [list(multipliers)] + [[modulus if i == j else 0 for i in range(n)] for j in range(1, n)]
    middles = [(low + high) // 2 - c for (low, high), c in zip(bounds, offsets, strict=True)]
    for vector in _closest(rows, middles, [high - low + 1 for low, high in bounds]):
        yield vector[0] % modulus


def _closest(rows: Sequence[Sequence[int]], target: Sequence[int], widths: Sequence[int]) -> Iterator[list[int]]:
    """Vectors of the lattice that these rows span which are close to the target, a coordinate being close if it is off
    by half its width or less; at most a few, and none for sure.
    """
    widest = max(widths)
    weights = [max(1, widest // width) for width in widths]
    size = max(1, widest // 4)  # about the distance a coordinate has from the middle
    weighted = [[x * w for x, w in zip(row, weights, strict=True)] for row in (*rows, target)]
    for *difference, last in short_vectors([[*row, size * (i == len(rows))] for i, row in enumerate(weighted)]):
        if abs(last) == size:
            sign = last // size
            yield [t - sign * d // w for t, d, w in zip(target, difference, weights, strict=True)]
