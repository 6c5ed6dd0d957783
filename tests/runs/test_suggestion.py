"""The model that is suggested for numbers can read them, and continues them."""

import pytest

import unrandom
from unrandom.runs.suggestion import suggested_model


@pytest.mark.parametrize(
    ("m", "a", "c", "name"), [(216, 37, 11, "fm-216"), (256, 7, 7, "fm-256"), (512, 100, 7, "fm-2048-fast")]
)
def test_the_suggested_model_continues_the_numbers(m, a, c, name):
    numbers = unrandom.LCG(m=m, a=a, c=c).orbit(x0=5, length=65)
    suggested, tried = suggested_model(numbers[:60])
    assert (suggested, tried.verdict) == (name, "rely")
    assert unrandom.load(suggested).predict(numbers[:60], n=5).numbers == numbers[60:]


@pytest.mark.parametrize("numbers", [unrandom.LCG(m=2**31 - 1, a=16807, c=0).orbit(1, 60), [5, 8]])
def test_of_numbers_that_none_continues_none_is_suggested(numbers):
    assert suggested_model(numbers) is None
