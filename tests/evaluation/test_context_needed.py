"""The context needed is where accuracy stays above a threshold; its interval resamples multipliers and increments."""

import numpy as np

from unrandom.evaluation import Evaluation, context_needed
from unrandom.evaluation.context_needed import first_lasting
from unrandom.tasks import LCGParameters


def test_a_position_counts_only_if_accuracy_stays():
    rows = np.array([[0, 1, 0, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 0]], dtype=float)
    assert first_lasting(rows, 1.0).tolist() == [4, 1, np.inf]
    assert first_lasting(rows.mean(axis=0), 0.9) == np.inf
    assert first_lasting(rows.mean(axis=0), 0.6) == 1
    assert first_lasting(np.full(5, 1 / 3) + np.full(5, 1 / 3) + np.full(5, 1 / 3), 1.0) == 1  # rounding is tolerated


def evaluation(correct):
    """An evaluation with given correctness; pairs of rows share a multiplier."""
    rows = len(correct)
    words = np.arange(rows, dtype=np.uint64)
    numbers = np.zeros(correct.shape, dtype=np.uint64)
    parameters = LCGParameters(64, words // 2, words % 2, words)
    return Evaluation("made up", parameters, parameters.units, correct, numbers, numbers, 0)


def test_the_interval_holds_the_value():
    correct = np.zeros((400, 20), dtype=bool)
    for row, right_from in enumerate(np.random.default_rng(0).integers(8, 13, size=400)):
        correct[row, right_from:] = True
    found = context_needed(evaluation(correct), 0.6)
    assert (found.needed, found.low, found.high) == (11, 11, 11) or found.low <= found.needed <= found.high
    assert context_needed(evaluation(correct), 1.0).needed == 13
    assert context_needed(evaluation(correct), 1.0).high == 13


def test_an_accuracy_not_reached_is_none_and_later_than_any_position():
    correct = np.ones((40, 10), dtype=bool)
    correct[:4, 5:] = False
    found = context_needed(evaluation(correct), 0.9)
    assert (found.needed, found.low, found.high) == (1, 1, None)
    assert context_needed(evaluation(~correct), 0.9).needed is None


def test_a_hard_multiplier_moves_the_upper_end():
    correct = np.ones((40, 10), dtype=bool)
    correct[:2, :8] = False  # both rows of one multiplier of twenty
    found = context_needed(evaluation(correct), 0.95)
    assert found.needed == 1
    assert found.high == 9
