"""Numbers contradict an LCG task exactly where none of its LCGs, or none of full period, has them."""

import pytest

from unrandom.generators.lcg import LCG
from unrandom.tasks import FixedModulus, UnseenModulus

FULL, ANY = FixedModulus(modulus=64, full_period_share=1.0), FixedModulus(modulus=64)
SEVERAL = UnseenModulus(test_moduli=(96, 128), context=64)


def orbit(m, a, c, length=20):
    return LCG(m=m, a=a, c=c).orbit(x0=5 % m, length=length)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 20])
@pytest.mark.parametrize(("a", "c"), [(1, 1), (5, 3), (37, 63), (7, 7), (0, 9), (2, 0)])
def test_the_lcgs_of_the_modulus_are_no_contradiction(a, c, length):
    numbers = orbit(64, a, c, length)
    assert ANY.contradiction(numbers) is None
    assert (FULL.contradiction(numbers) is None) == (LCG(m=64, a=a, c=c).has_full_period or length < 3)


@pytest.mark.parametrize("task", [FULL, ANY])
def test_numbers_of_another_modulus_contradict_a_fixed_one(task):
    said = task.contradiction(orbit(63, 5, 3))
    assert said == "no a and c make your numbers modulo 64, but x → (5 x + 3) mod 63 does"
    assert task.contradiction([1, 2, 3, 5, 8, 13, 21, 33, 60]) == "no a and c make your numbers modulo 64"


def test_the_period_of_numbers_without_full_period_is_exact():
    numbers = orbit(64, 7, 7, 4)
    period = LCG(m=64, a=7, c=7).period(x0=5)
    assert f"which repeats after {period};" in FULL.contradiction(numbers)
    assert FULL.contradiction(numbers).endswith("this model was trained on sequences that repeat after 64")


def test_a_modulus_below_those_of_training_contradicts_unseen_moduli():
    assert SEVERAL.contradiction(orbit(31, 3, 5)) == (
        "your numbers are of x → (3 x + 5) mod 31; this model was trained on moduli from 64 to 153"
    )
    assert SEVERAL.contradiction(orbit(100, 21, 7)) is None
    assert SEVERAL.contradiction([1, 1, 1, 1, 1, 1, 1, 1, 1]) is None  # every modulus explains them
    assert SEVERAL.contradiction(orbit(31, 3, 5, 5)) is None  # five numbers do not tell the modulus
