"""The spectral test agrees with Knuth's table and with exhaustive search."""

from itertools import product
from math import isqrt

import pytest

from unrandom.core.errors import UserError
from unrandom.generators.known import KNOWN
from unrandom.generators.spectral import best_multipliers, figure_of_merit, figures_of_merit, spectral_test
from unrandom.generators.spectrally_good import SPECTRALLY_GOOD


@pytest.mark.parametrize(
    ("a", "m", "squares"),
    [
        (23, 10**8 + 1, [530, 530, 530, 530, 447]),
        (137, 256, [274, 30, 14, 6, 4]),
        (3141592621, 10**10, [4577114792, 1034718, 62454, 1776, 542]),
        (69069, 2**32, [4243209856, 2072544, 52804, 6990, 242]),
        (1664525, 2**32, [4938916874, 2322494, 63712, 4092, 1038]),
        (65539, 2**29, [536936458, 118, 116, 116, 116]),  # RANDU: only odd seeds, so a quarter of 2**31
    ],
)
def test_knuths_table(a, m, squares):
    assert list(spectral_test(a, m, range(2, 7)).values()) == squares


def test_randu_falls_mainly_in_the_planes():
    assert spectral_test(65539, 2**31, [3]) == {3: 118}
    assert figures_of_merit(65539, 2**31)[3] < 0.01


@pytest.mark.parametrize(("a", "m"), [(5, 64), (13, 97), (21, 100), (37, 128), (7, 11), (1, 50)])
@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_nothing_shorter_exists(a, m, dimension):
    (square,) = spectral_test(a, m, [dimension]).values()
    reach = range(-isqrt(square), isqrt(square) + 1)
    points = (s for s in product(reach, repeat=dimension) if any(s))
    lattice = (s for s in points if sum(x * a**i for i, x in enumerate(s)) % m == 0)
    assert square == min(sum(x * x for x in s) for s in lattice)


def test_no_lattice_beats_hermite():
    for lcg in KNOWN.values():
        merit = figures_of_merit(lcg.a, lcg.m)
        assert list(merit) == list(range(2, 9))
        assert all(0 < f <= 1 + 1e-12 for f in merit.values())


def test_steele_and_vignas_multipliers_are_good_in_every_dimension():
    chosen = [lcg for name, lcg in KNOWN.items() if name.startswith("steele-vigna")]
    assert len(chosen) == 5
    assert min(f for lcg in chosen for f in figures_of_merit(lcg.a, lcg.m).values()) > 0.6


def test_mistakes_are_named():
    with pytest.raises(UserError, match="0 < a < m"):
        spectral_test(0, 16)
    with pytest.raises(UserError, match="at least 2, but 1"):
        spectral_test(5, 16, [1])
    with pytest.raises(UserError, match="up to 8 dimensions, but 9"):
        figures_of_merit(5, 16, [9])


@pytest.mark.parametrize("modulus", [2**4, 2**6, 2**8, pytest.param(2**24, marks=pytest.mark.slow)])
def test_the_table_of_good_multipliers_has_the_best(modulus):
    assert SPECTRALLY_GOOD[modulus] == best_multipliers(modulus, len(SPECTRALLY_GOOD[modulus]))


def test_the_best_multipliers_are_better_than_all_others_tried():
    best = best_multipliers(2**8, 8)
    merits = {a: figure_of_merit(a, 2**8) for a in range(1, 2**8, 4)}
    assert min(merits[a] for a in best) >= max(merit for a, merit in merits.items() if a not in best)
    assert best == tuple(sorted(best))
