"""A linear recurrence of bits is continued, from twice its order on."""

import numpy as np
import pytest

from unrandom.predictors import Predictor
from unrandom.predictors.recurrence import RecurrencePredictor


@pytest.mark.parametrize("bits", [1, 3, 8])
def test_it_continues_what_obeys_a_recurrence(bits):
    rng = np.random.default_rng(0)
    for _ in range(10):
        s = [1, *rng.integers(0, 2, 6).tolist()]
        taps = [7, *np.flatnonzero(rng.integers(0, 2, 6)) + 1]
        while len(s) < 20 * bits:
            s.append(sum(s[-j] for j in taps) % 2)
        numbers = [int("".join(map(str, s[bits * t : bits * (t + 1)])), 2) for t in range(20)]
        x = np.array([numbers], dtype=np.uint64)
        sure = -(-14 // bits) - 1
        assert RecurrencePredictor(bits).predict(x).correct(x)[0, sure:].all()


def test_before_it_knows_the_order_it_says_that_nothing_follows():
    assert isinstance(RecurrencePredictor(2), Predictor)
    predictions = RecurrencePredictor(2).predict(np.zeros((1, 4), dtype=np.uint64))
    assert predictions.numbers.tolist() == [[0, 0, 0]]
    assert not predictions.abstained.any()
