"""Known generators produce their published numbers."""

import subprocess
import sys

import pytest

from sweeping import PATIENCE
from unrandom.core.errors import UserError
from unrandom.generators.known import KNOWN, known


def states(name, seed, count):
    """The first states after the seed."""
    return known(name).lcg.orbit(seed, count + 1)[1:]


def window(name, seed, count, low, bits):
    return [(x >> low) % 2**bits for x in states(name, seed, count)]


def test_every_name_is_a_generator():
    for name, generator in KNOWN.items():
        assert generator.name == name
        assert generator.lcg.m == generator.m
        assert "\n" not in generator.source


def test_the_ten_thousandth_number():
    assert states("minstd0", 1, 10_000)[-1] == 1043618065  # check value of Park and Miller
    assert states("minstd", 1, 10_000)[-1] == 399268537  # value in the C++ standard


def test_first_outputs_of_programs():
    assert window("msvc", 1, 5, low=16, bits=15) == [41, 18467, 6334, 26500, 19169]
    assert window("ansi-c", 1, 3, low=16, bits=15) == [16838, 5758, 10113]
    assert window("borland", 1, 3, low=16, bits=15) == [346, 130, 10982]
    assert states("glibc-type0", 1, 2) == [1103527590, 377401575]
    assert states("randu", 1, 4) == [65539, 393225, 1769499, 7077969]
    assert states("numerical-recipes", 0, 3) == [0x3C6EF35F, 0x47502932, 0xD1CCF6E9]


def test_javas_first_integer():
    (first,) = window("java", 0x5DEECE66D, 1, low=16, bits=32)  # new Random(0).nextInt()
    assert first - 2**32 == -1155484576


def test_first_fractions():
    (first,) = states("drand48", 0x330E, 1)  # srand48(0)
    assert first / 2**48 == pytest.approx(0.170828036)
    (first,) = states("visual-basic", 0x50000, 1)  # Rnd of a fresh program
    assert first / 2**24 == pytest.approx(0.7055475)


def test_which_have_full_period():
    partial = {name for name, generator in KNOWN.items() if not generator.lcg.has_full_period}
    assert partial == {"minstd", "minstd0", "randu", "zx81"}  # 65537 is prime and 75 ≠ 1
    assert known("zx81").lcg.period(0) == 65536
    assert known("minstd").lcg.period(1) == 2**31 - 2
    assert known("randu").lcg.period(1) == 2**29


def test_similar_names_are_suggested():
    with pytest.raises(UserError, match="'Java'; did you mean java"):
        known("Java")
    with pytest.raises(UserError, match="did you mean minstd"):
        known("minst")
    with pytest.raises(UserError, match="ansi-c, borland"):
        known("???")


def test_importing_the_floor_is_light():
    code = (
        "import sys, unrandom.generators.known, unrandom.generators.spectral, unrandom.generators.residues;"
        "heavy = {'torch', 'sympy', 'flint', 'scipy'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)
