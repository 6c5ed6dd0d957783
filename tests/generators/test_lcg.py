"""Fast sequences equal the reference; jumps, inverses and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unrandom.core.errors import UserError
from unrandom.generators.lcg import LCG, lcg_orbits

modest = settings(max_examples=40, deadline=None, derandomize=True)

WORDS = [2, 3, 10, 256, 1800, 2039, 2**31 - 1, 2**32 - 5, 2**32 - 1, 2**32]
LARGE = [2**32 + 15, 2**48, 2**61 - 1, 2**63, 10**18, 2**64 - 59, 2**64 - 1, 2**64]
ANY_MODULUS = st.one_of(st.sampled_from(WORDS + LARGE), st.integers(2, 2**32), st.integers(2, 2**64))


@st.composite
def parameters(draw, modulus=ANY_MODULUS):
    m = draw(modulus)
    return (m, *(draw(st.one_of(st.integers(0, m - 1), st.just(m - 1))) for _ in range(3)))


def reference(cases, length):
    return [LCG(m, a, c).orbit(x0, length) for m, a, c, x0 in cases]


def random_cases(m, rows, seed=0):
    rng = np.random.default_rng(seed)
    return [(m, *(int(v) for v in rng.integers(0, m - 1, 3, np.uint64, endpoint=True))) for _ in range(rows)]


def columns(cases):
    m, *rest = zip(*cases, strict=True)
    return (np.array(m, dtype=object), *(np.array(v, dtype=np.uint64) for v in rest))


@given(parameters(), st.integers(1, 70))
@modest
def test_one_sequence_equals_python_integers(case, length):
    m, a, c, x0 = case
    assert lcg_orbits(x0, a=a, c=c, m=m, length=length).tolist() == reference([case], length)


@pytest.mark.parametrize("m", WORDS + LARGE)
def test_doubling_equals_python_integers(m):
    cases = random_cases(m, rows=64)
    _, a, c, x0 = columns(cases)
    assert lcg_orbits(x0, a=a, c=c, m=m, length=150).tolist() == reference(cases, 150)


@pytest.mark.parametrize("moduli", [WORDS, LARGE, [2**32, 2**64, 2, 2**40], WORDS + LARGE])
def test_every_row_has_its_own_modulus(moduli):
    cases = [case for m in moduli for case in random_cases(m, rows=3)]
    m, a, c, x0 = columns(cases)
    assert lcg_orbits(x0, a=a, c=c, m=m, length=40).tolist() == reference(cases, 40)


@pytest.mark.parametrize(("rows", "length"), [(1, 70_001), (1024, 65), (1100, 33), (3, 1), (1, 2)])
def test_block_and_chunk_boundaries_are_correct(rows, length):
    m, a, c = 2**32 - 5, 1664525, 1013904223
    x0 = np.arange(rows, dtype=np.uint64)
    orbits = lcg_orbits(x0, a=a, c=c, m=m, length=length)
    assert (orbits[:, 0] == x0).all()
    assert ((np.uint64(a) * orbits[:, :-1] + np.uint64(c)) % np.uint64(m) == orbits[:, 1:]).all()


def test_out_is_filled():
    whole = np.zeros((5, 40), np.uint64)
    view = lcg_orbits(np.arange(3), a=5, c=3, m=16, length=20, out=whole[1:4, 10:30])
    assert np.shares_memory(view, whole)
    assert whole[1:4, 10:30].tolist() == reference([(16, 5, 3, x) for x in range(3)], 20)
    assert whole.sum() == view.sum()
    with pytest.raises(UserError, match=r"uint64 \[3, 20\]"):
        lcg_orbits(np.arange(3), a=5, c=3, m=16, length=20, out=np.empty((3, 21), np.uint64))


def test_no_rows_are_no_error():
    assert lcg_orbits(np.empty(0, np.uint64), a=1, c=1, m=8, length=5).shape == (0, 5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m": 1}, "from 2 to"),
        ({"m": 2**64 + 1}, "from 2 to"),
        ({"a": 16}, "a must be from 0 to m - 1, but 16 was given for m = 16"),
        ({"c": -1}, "c must be"),
        ({"x0": np.array([0.5])}, "x0 must be whole"),
        ({"x0": np.array([3, 16])}, "x0 must be from 0 to m - 1, but 16"),
        ({"length": 0}, "length >= 1"),
    ],
)
def test_mistakes_are_named(change, message):
    with pytest.raises(UserError, match=message):
        lcg_orbits(**{"x0": 1, "a": 5, "c": 3, "m": 16, "length": 4} | change)


@given(parameters(), st.integers(0, 50), st.integers(0, 5))
@modest
def test_a_jump_is_many_steps(case, r, t):
    m, a, c, x0 = case
    orbit = LCG(m, a, c).orbit(x0, t + r + 1)
    assert LCG(m, a, c).jump(r)(orbit[t]) == orbit[t + r]


@given(parameters(), st.integers(1, 2**64))
@modest
def test_long_jumps_add_up(case, r):
    lcg = LCG(*case[:3])
    assert lcg.jump(r).jump(2) == lcg.jump(2 * r)
    assert lcg.jump(1) == lcg


def test_the_inverse_goes_back():
    lcg = LCG(2**48, 0x5DEECE66D, 11)
    assert lcg.inverse().orbit(lcg.orbit(42, 10)[-1], 10) == lcg.orbit(42, 10)[::-1]
    assert lcg.jump(-1) == lcg.inverse()
    assert lcg.inverse().inverse() == lcg
    with pytest.raises(UserError, match="gcd"):
        LCG(10, 4, 1).inverse()


def test_one_generator_knows_its_period():
    assert LCG(2048, 293, 1033).has_full_period
    assert LCG(2048, 293, 1033).period(7) == 2048
    assert not LCG(2048, 294, 1033).has_full_period
    with pytest.raises(UserError, match="a must be"):
        LCG(8, 8, 1)
    with pytest.raises(UserError, match="2 or more"):
        LCG(1, 0, 0)
