"""Finds the LCG state behind outputs that each show a part of it: the closest vector of a lattice, by reduction.

If bounds are known for every x[i] = (A[i] x + C[i]) mod m, then (x[0], …, x[n−1]) − C is a vector of the lattice
spanned by (A[0], …, A[n−1]) and m times the unit vectors, and it is close to the middle of the bounds. The closest
vector is found by Kannan's embedding: the middle is added to the basis, with a further coordinate, and reduction (LLL)
yields the difference as a short vector. The method is due to Frieze, Håstad, Kannan, Lagarias and Shamir (1988), for
truncated LCGs. An unknown increment is one more basis vector; a number known only modulo a period has a second
coordinate, the quotient by the period.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, repeat
from math import ceil, log2

from unrandom.core.lattices import short_vectors
from unrandom.generators.lcg import LCG

Bounds = Sequence[tuple[int, int]]

MAX_DIMENSION = 72  # the largest dimension in which lattice reduction works
REDUNDANCY = 0.75  # share of outputs used beyond the ones needed: with fewer, reduction misses some states
LOST_BITS_PER_OUTPUT = 0.35  # subtracted from its information, because reduction needs more than the minimum


def hidden_states(
    bounds: Bounds,
    modulus: int,
    multiplier: int,
    increment: int | None = None,
    *,
    period: int | None = None,
    count: int | None = None,
) -> Iterator[tuple[LCG, int]]:
    """Generators and first states x[0] with bounds[t][0] <= x[t] mod ``period`` <= bounds[t][1] for every t.

    They have this modulus, multiplier and increment; if ``increment`` is None, one of the possible increments. Without
    a period (which is at most the modulus) the bounds are for x[t] itself; they wrap around the modulus if they exceed
    it. The lattice uses the first ``count`` bounds, by default the share ``REDUNDANCY`` more than needed. None are
    found if the bounds carry less information than the state; existing ones may be missed if the bounds carry little
    more, or if a small multiplier correlates neighbours.
    """
    m, span = modulus, min(period or modulus, modulus)
    least = outputs_needed(bounds, m, increment is None, span)
    if least is None:
        return
    used = min(len(bounds), count or least + ceil(REDUNDANCY * least), max_outputs(m, span))
    for first, second in _first_two(bounds[:used], m, multiplier, increment, span):
        lcg = LCG(m, multiplier, (second - multiplier * first) % m if increment is None else increment)
        states = lcg.orbit(first, len(bounds))
        if increment is None:
            # x[t] + shift, for every t, is an orbit with another increment
            shift = _shift(states, bounds, m, span)
            first = (first + shift) % m
            lcg = LCG(m, multiplier, (lcg.c - (multiplier - 1) * shift) % m)
            states = lcg.orbit(first, len(bounds))
        if all((x - low) % span <= high - low for x, (low, high) in zip(states, bounds, strict=True)):
            yield lcg, first


def outputs_needed(bounds: Bounds, modulus: int, unknown_increment: bool, period: int | None = None) -> int | None:
    """How many of the first bounds together carry somewhat more bits of information than the state has. None if all
    of them carry less, if a lattice cannot hold that many, or if a bound is empty (high < low)."""
    span = period or modulus
    if not bounds or any(high < low for low, high in bounds):
        return None
    bits_needed = log2(modulus) + 4
    if unknown_increment:  # its lowest bits, which a bound leaves open, need not be determined
        bits_needed += log2(modulus) - min(log2(high - low + 1) for low, high in bounds)
    bits_known = 0.0
    for least, (low, high) in enumerate(bounds[: max_outputs(modulus, span)], start=1):
        bits_known += log2(span / (high - low + 1)) - LOST_BITS_PER_OUTPUT
        if bits_known >= bits_needed:
            return least
    return None


def max_outputs(modulus: int, period: int | None = None) -> int:
    """The greatest number of outputs that a lattice can hold."""
    return MAX_DIMENSION // 2 if period and period < modulus else MAX_DIMENSION


def _first_two(bounds: Bounds, m: int, a: int, c: int | None, span: int) -> Iterator[tuple[int, int]]:
    """Candidates for (x[0], x[1]), from the lattice of the vectors (e[0], …, e[n−1], q[0], …, q[n−1]) with
    x[t] = e[t] + span q[t]; without the q if span = m.
    """
    n = len(bounds)
    max_quotient = -(-m // span) if span < m else 0
    width = 2 * n if max_quotient else n
    powers = list(accumulate(repeat(a, n - 1), lambda x, y: x * y % m, initial=1))
    sums = list(accumulate(powers[:-1], lambda x, y: (x + y) % m, initial=0))  # 1 + a + … + a**(t−1)
    units = [[0] * i + [1] + [0] * (width - i - 1) for i in range(width)]
    rows = [powers + [0] * (width - n)]
    if c is None:
        rows.append(sums + [0] * (width - n))
    rows += [[m * x for x in units[t]] for t in range(len(rows), n)]
    if max_quotient:
        rows += [[q - span * e for e, q in zip(units[t], units[n + t], strict=True)] for t in range(n)]
    offsets = [x * (c or 0) % m for x in sums]
    target = [(low + high) // 2 - offset for (low, high), offset in zip(bounds, offsets, strict=True)]
    widths = [high - low + 1 for low, high in bounds]
    if max_quotient:
        target, widths = target + [max_quotient // 2] * n, widths + [max_quotient] * n
    for vector in closest(rows, target, widths):
        states = [e + offset for e, offset in zip(vector[:n], offsets, strict=True)]
        if max_quotient:
            states = [e + span * q for e, q in zip(states, vector[n:], strict=True)]
        yield states[0] % m, states[1] % m


def _shift(states: Sequence[int], bounds: Bounds, m: int, span: int) -> int:
    """The shift of all states that centres them between their bounds; if the bounds are for x[t] mod span, it also
    centres the states between 0 and m.
    """
    min_shift, max_shift, unwrapped = -span, span, []
    for x, (low, high) in zip(states, bounds, strict=True):
        middle = (low + high) // 2
        # x, x − m and x + m are congruent modulo m; take the one that is closest to the bounds modulo span
        candidates = (((y - middle + span // 2) % span - span // 2, y) for y in (x, x - m, x + m))
        offset, x = min(candidates, key=lambda offset_and_state: abs(offset_and_state[0]))
        min_shift, max_shift = max(min_shift, low - middle - offset), min(max_shift, high - middle - offset)
        unwrapped.append(x)
    shift = (min_shift + max_shift) // 2
    if span == m:
        return shift
    centring = (m - 1 - min(unwrapped) - max(unwrapped)) // 2
    return shift + (centring - shift + span // 2) // span * span


def states_within(multipliers: Sequence[int], offsets: Sequence[int], modulus: int, bounds: Bounds) -> Iterator[int]:
    """Candidates for x with (A[i] x + C[i]) mod m within the bounds (both included) for every i; A[0] must be 1.

    The candidates are not verified, and x may be missed if the outputs carry too little information.
    """
    n = len(bounds)
    rows = [list(multipliers)] + [[modulus if i == j else 0 for i in range(n)] for j in range(1, n)]
    middles = [(low + high) // 2 - c for (low, high), c in zip(bounds, offsets, strict=True)]
    for vector in closest(rows, middles, [high - low + 1 for low, high in bounds]):
        yield vector[0] % modulus


def closest(rows: Sequence[Sequence[int]], target: Sequence[int], widths: Sequence[int]) -> Iterator[list[int]]:
    """Vectors of the lattice spanned by the rows that are close to the target: each coordinate should differ by at most
    half its width. Yields few vectors, possibly none, and does not verify them.
    """
    widest = max(widths)
    weights = [max(1, widest // width) for width in widths]
    embedding = max(1, widest // 4)  # about the typical distance of a coordinate from the middle
    weighted = [[x * w for x, w in zip(row, weights, strict=True)] for row in (*rows, target)]
    for *difference, last in short_vectors([[*row, embedding * (i == len(rows))] for i, row in enumerate(weighted)]):
        if abs(last) == embedding:
            sign = last // embedding
            yield [t - sign * d // w for t, d, w in zip(target, difference, weights, strict=True)]
