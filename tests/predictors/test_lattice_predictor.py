"""Windows of an LCG state are predicted once the numbers have about as many bits as the state."""

import numpy as np
import pytest

from plainly import lcg, take
from unrandom.core.errors import UserError
from unrandom.generators.known import known
from unrandom.generators.lcg import LCG
from unrandom.predictors import LatticePredictor, Predictor

MERSENNE = 2**31 - 1
MSVC = [41, 18467, 6334, 26500, 19169, 15724, 11478, 29358, 26962, 24464]  # rand() after srand(1)


def windows(generator: LCG, low: int, bits: int, rows: int = 12, length: int = 40):
    chance = np.random.default_rng(low + bits)
    orbits = [generator.orbit(int(x), length) for x in chance.integers(0, generator.m, size=rows, dtype=np.uint64)]
    return np.array([[(x >> low) & ((1 << bits) - 1) for x in orbit] for orbit in orbits], dtype=np.uint64)


def test_rand_of_msvc():
    lcg = known("msvc").lcg
    predictor = LatticePredictor(lcg.m, lcg.a, lcg.c, low=16, bits=15)
    assert isinstance(predictor, Predictor)
    made = predictor.predict(np.array([MSVC], dtype=np.uint64))
    assert (~made.abstained[0]).tolist() == [False, False] + [True] * 7  # 31 bits of state, 15 per number
    assert made.numbers[0, 2:].tolist() == MSVC[3:]


@pytest.mark.parametrize(
    ("modulus", "multiplier", "low", "bits", "needed"),
    [
        (2**64, 6364136223846793005, 48, 16, 5),  # top bits
        (2**64, 6364136223846793005, 0, 16, 2),  # higher bits have no influence: 16 of 16 bits
        (2**32, 1664525, 8, 8, 3),  # top bits of 16
        (2**32, 1664525, 28, 4, 10),
        (MERSENNE, 48271, 23, 8, 5),
        (MERSENNE, 48271, 0, 8, 5),  # lowest bits
        (MERSENNE, 48271, 12, 8, 5),  # middle bits
        (2**61 - 1, 437799614237992725, 20, 20, 4),
        (65537, 75, 12, 5, 6),
    ],
)
def test_states_of_which_some_bits_are_seen(modulus, multiplier, low, bits, needed):
    x = windows(LCG(modulus, multiplier, 74), low, bits)
    made = LatticePredictor(modulus, multiplier, 74, low=low, bits=bits).predict(x)
    assert made.abstained[:, : needed - 1].all()
    assert made.correct(x)[:, needed - 1 :].all()


@pytest.mark.parametrize(
    ("modulus", "multiplier", "low", "bits", "needed"),
    [
        (2**64, 6364136223846793005, 48, 16, 6),
        (2**32, 1664525, 24, 8, 6),
        (MERSENNE, 48271, 0, 8, 9),
        (MERSENNE, 48271, 8, 16, 4),
    ],
)
def test_the_increment_may_be_unknown(modulus, multiplier, low, bits, needed):
    x = windows(LCG(modulus, multiplier, 12345), low, bits)
    made = LatticePredictor(modulus, multiplier, low=low, bits=bits).predict(x)
    right = made.correct(x)
    assert made.abstained[:, : needed - 1].all()
    assert not made.abstained[:, needed - 1 :].any()
    assert right[:, needed - 1 :].mean() > 0.9  # some states agree with these numbers but not with later ones
    assert right[:, -1].mean() > 0.8


@pytest.mark.parametrize("multiplier", [3, 5, 65539])
def test_small_multipliers_need_a_larger_lattice(multiplier):
    x = windows(LCG(2**32, multiplier, 12345), 24, 8)
    made = LatticePredictor(2**32, multiplier, 12345, low=24, bits=8).predict(x)
    assert made.correct(x)[:, -10:].all()


def test_all_bits_are_a_window_too():
    x = windows(LCG(2**31, 1103515245, 12345), 0, 31)
    made = LatticePredictor(2**31, 1103515245, low=0, bits=31).predict(x)
    assert made.correct(x)[:, 2:].all()


def test_numbers_that_no_state_shows():
    x = np.random.default_rng(0).integers(0, 256, size=(3, 60)).astype(np.uint64)
    assert not LatticePredictor(2**32, 1664525, 1, low=24, bits=8).predict(x).correct(x)[:, 8:].any()
    broken = np.array([take(lcg(2**32, 214013, 2531011, 1, lambda s: (s >> 16) & 0x7FFF), 40)], dtype=np.uint64)
    broken[0, 20] ^= np.uint64(1)
    made = LatticePredictor(2**32, 214013, 2531011, low=16, bits=15).predict(broken)
    assert made.correct(broken)[0, 2:19].all()
    assert made.abstained[0, 20:].all()  # no state shows all of them


def test_no_guess_depends_on_what_follows():
    x = windows(LCG(2**32, 1664525, 7), 24, 8)
    other = x.copy()
    other[:, 15:] ^= np.uint64(3)
    predictor = LatticePredictor(2**32, 1664525, low=24, bits=8)
    before, after = predictor.predict(x), predictor.predict(other)
    assert (before.numbers[:, :14] == after.numbers[:, :14]).all()


@pytest.mark.parametrize(("low", "bits"), [(32, 1), (-1, 8), (0, 0)])
def test_bits_outside_the_state_are_refused(low, bits):
    with pytest.raises(UserError, match="a state has bits 0 to 31"):
        LatticePredictor(2**32, 1664525, low=low, bits=bits)
    with pytest.raises(UserError, match="modulus"):
        LatticePredictor(1, 0, low=0, bits=1)
