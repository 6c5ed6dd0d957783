"""The spectral test: how coarse the lattice is on which a generator's outputs lie (Knuth, TAOCP vol. 2, 3.3.4).

The points (x[t], …, x[t+d−1]) / m lie on parallel hyperplanes
1/ν_d apart, where ν_d is the length of the shortest non-zero integer vector s with ∑ s_i a**i ≡ 0 (mod m). Large ν_d
is good. The figures of merit of Steele and Vigna (2021) compare ν_d with its maximum over lattices of the same density.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt, sqrt

from unrandom.core.errors import UserError
from unrandom.core.lattices import short_vectors
from unrandom.core.seeds import stream
from unrandom.generators.full_period import count_multipliers, sample_multipliers

HERMITE = (1, 1, Fraction(4, 3), 2, 4, 8, Fraction(64, 3), 64, 256)
"""γ_d**d, exactly, for the lattices of d = 0 … 8 dimensions: the greatest ν_d**(2d) / m**2 possible."""

Vector = list[int]


def spectral_test(a: int, m: int, dimensions: Iterable[int] = range(2, 9)) -> dict[int, int]:
    """ν_d² for each dimension d: exact, by lattice reduction and an exhaustive search.

    0 < a < m and d >= 2, else UserError; fast for d <= 8.
    """
    if not 0 < a < m:
        raise UserError(f"the spectral test needs 0 < a < m, but a={a}, m={m} were given")
    dimensions = list(dimensions)
    if min(dimensions, default=2) < 2:
        raise UserError(f"the spectral test needs dimensions of at least 2, but {min(dimensions)} was given")
    return {d: _shortest_square(short_vectors(_dual_lattice(a, m, d))) for d in dimensions}


def figures_of_merit(a: int, m: int, dimensions: Iterable[int] = range(2, 9)) -> dict[int, float]:
    """f_d = ν_d / (γ_d^½ m^(1/d)), from 0 (bad) to 1 (the best lattice), for 2 <= d <= 8 (else UserError)."""
    dimensions = list(dimensions)
    if max(dimensions, default=2) >= len(HERMITE):
        raise UserError(f"the best lattice is known up to 8 dimensions, but {max(dimensions)} was given")
    squares = spectral_test(a, m, dimensions)
    return {d: sqrt(square) / (float(HERMITE[d]) ** (0.5 / d) * m ** (1 / d)) for d, square in squares.items()}


def figure_of_merit(a: int, m: int) -> float:
    """The least of the figures of merit in 2 to 8 dimensions, from 0 (bad) to 1."""
    return min(figures_of_merit(a, m).values())


def best_multipliers(m: int, count: int, candidates: int = 256) -> tuple[int, ...]:
    """The ``count`` multipliers with the highest figure of merit among ``candidates`` full-period ones, ascending.

    The candidates are drawn uniformly, from a random stream that depends on m only; each takes about 20 ms.
    """
    rng = stream(0, "spectral", m)
    drawn = sample_multipliers(rng, m, min(candidates, count_multipliers(m))).tolist()
    return tuple(sorted(sorted(sorted(drawn), key=lambda a: figure_of_merit(a, m))[-count:]))


def _dual_lattice(a: int, m: int, dimension: int) -> list[Vector]:
    """A basis of all s with ∑ s_i a**i ≡ 0 (mod m): m e_0 and e_i − a**i e_0, with unit vectors e_i."""
    rows = [[-pow(a, i, m) if i else m] + [0] * (dimension - 1) for i in range(dimension)]
    for i in range(1, dimension):
        rows[i][i] = 1
    return rows


def _shortest_square(basis: list[Vector]) -> int:
    """The least |∑ z_i b_i|² over integers z, not all zero (Fincke and Pohst 1985), in exact fractions.

    With the Gram–Schmidt vectors b*_i it is ∑ (z_i + ∑_(j>i) μ_ji z_j)² |b*_i|²: z is chosen from the last to the
    first coordinate, and a branch is cut as soon as its partial sum reaches the best length so far.
    """
    mu, squares = _gram_schmidt(basis)
    best = min(sum(x * x for x in row) for row in basis)
    z = [0] * len(basis)

    def search(i: int, partial: Fraction) -> None:
        nonlocal best
        if i < 0:
            best = int(partial) or best  # the zero vector does not count
            return
        centre = -sum((mu[j][i] * z[j] for j in range(i + 1, len(z))), start=Fraction(0))
        radius = isqrt(int((best - partial) / squares[i])) + 1
        for z[i] in sorted(range(round(centre) - radius, round(centre) + radius + 1), key=lambda n: abs(n - centre)):
            longer = partial + (z[i] - centre) ** 2 * squares[i]
            if longer >= best:
                break
            search(i - 1, longer)
        z[i] = 0

    search(len(basis) - 1, Fraction(0))
    return best


def _gram_schmidt(basis: list[Vector]) -> tuple[list[list[Fraction]], list[Fraction]]:
    """μ_ij = <b_i, b*_j> / |b*_j|² for j < i, and |b*_i|², exactly."""
    stars: list[list[Fraction]] = []
    mu: list[list[Fraction]] = []
    squares: list[Fraction] = []
    for row in basis:
        star = [Fraction(x) for x in row]
        mu.append([])
        for other, square in zip(stars, squares, strict=True):
            factor = sum((x * y for x, y in zip(row, other, strict=True)), start=Fraction(0)) / square
            mu[-1].append(factor)
            star = [x - factor * y for x, y in zip(star, other, strict=True)]
        stars.append(star)
        squares.append(sum((x * x for x in star), start=Fraction(0)))
    return mu, squares
