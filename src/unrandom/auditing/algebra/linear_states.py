"""Finds the first numbers of a linear recurrence of which each output shows a part, as the closest vector of a lattice:
as for LCGs (``hidden_state``), but with several numbers as the state.

x[t] = (a[1] x[t−1] + … + a[k] x[t−k] + c) mod m. The sequences of c = 0 that begin with each of the k unit vectors span
a lattice with m times the unit vectors; the sequence of c that begins with zeros is an offset.
"""

from collections.abc import Iterator, Sequence

from unrandom.predictors.hidden_state import Bounds, closest


def first_numbers(
    bounds: Bounds, modulus: int, coefficients: Sequence[int], constant: int, *, count: int | None = None
) -> Iterator[list[int]]:
    """Candidates for x[0], …, x[k − 1], given low and high with (x[t] − low) mod m <= high − low for every t.

    ``coefficients`` are a[1], …, a[k]. The lattice uses the first ``count`` bounds (None: all), and the candidates
    fulfil all. Some may be missed if the outputs carry little more information than the k numbers.
    """
    n, k = min(len(bounds), count or len(bounds)), len(coefficients)
    if n < k or any(high < low for low, high in bounds):
        return
    units = [[int(i == j) for j in range(n)] for i in range(n)]
    rows = [extended(unit[:k], n, modulus, coefficients, 0) for unit in units[:k]]
    rows += [[modulus * x for x in unit] for unit in units[k:]]
    offsets = extended([0] * k, n, modulus, coefficients, constant)
    middles = [(low + high) // 2 - offset for (low, high), offset in zip(bounds[:n], offsets, strict=True)]
    for vector in closest(rows, middles, [high - low + 1 for low, high in bounds[:n]]):
        first = [x % modulus for x in vector[:k]]
        numbers = extended(first, len(bounds), modulus, coefficients, constant)
        if all((x - low) % modulus <= high - low for x, (low, high) in zip(numbers, bounds, strict=True)):
            yield first


def extended(first: Sequence[int], length: int, modulus: int, coefficients: Sequence[int], constant: int) -> list[int]:
    """x[0], …, x[length − 1], given the first k numbers."""
    numbers = list(first)
    while len(numbers) < length:
        terms = (a * x for a, x in zip(coefficients, reversed(numbers), strict=False))
        numbers.append((sum(terms) + constant) % modulus)
    return numbers
