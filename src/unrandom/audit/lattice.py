"""Which state is behind outputs that each show a part of it? The closest vector of a lattice tells.

When y[i] = (A[i] x + C[i]) mod m is known to lie between bounds, (y[0], …, y[n−1]) − C is a vector of the lattice that
(A[0], …, A[n−1]) and m times the unit vectors span, and it is close to the middle of the bounds. The closest one is
found by Kannan's embedding: the middle joins the basis, with a further coordinate, and reduction (LLL) leaves the
difference as a short vector. Frieze, Håstad, Kannan, Lagarias and Shamir (1988) found truncated LCGs so.
"""

from collections.abc import Iterator, Sequence

from flint import fmpz_mat

Bounds = Sequence[tuple[int, int]]


def states_within(multipliers: Sequence[int], offsets: Sequence[int], modulus: int, bounds: Bounds) -> Iterator[int]:
    """Candidates for x with (A[i] x + C[i]) mod m between the bounds (both included) for every i; A[0] must be 1.

    They are candidates, not proven, and one that exists is missed where outputs are too few or show too little.
    """
    n = len(bounds)
    rows = [list(multipliers)] + [[modulus if i == j else 0 for i in range(n)] for j in range(1, n)]
    middles = [(low + high) // 2 - c for (low, high), c in zip(bounds, offsets, strict=True)]
    for vector in closest(rows, middles, [high - low + 1 for low, high in bounds]):
        yield vector[0] % modulus


def closest(rows: Sequence[Sequence[int]], target: Sequence[int], widths: Sequence[int]) -> Iterator[list[int]]:
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


def short_vectors(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """The reduced basis of the lattice that these rows span, as LLL orders it, without zero rows."""
    reduced = fmpz_mat([list(row) for row in rows]).lll()
    return [vector for row in reduced.tolist() if any(vector := [int(x) for x in row])]
