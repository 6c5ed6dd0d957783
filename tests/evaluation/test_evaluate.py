"""An evaluation counts what came true, in every slice."""

import json

import numpy as np
import pytest

from unrandom.core.seeds import stream
from unrandom.data import Parameters, SequenceSet
from unrandom.evaluation import evaluate
from unrandom.predictors import Predictions

M = 360


class Oracle:
    """Knows the truth, and is wrong where it is told to be."""

    name, assumes = "oracle", "everything"

    def __init__(self, spoil=None, abstain=False):
        self.spoil, self.abstain = spoil, abstain

    def predict(self, sequences):
        numbers = sequences[:, 1:].copy()
        if self.spoil is not None:
            numbers = self.spoil(numbers)
        return Predictions(numbers, np.full(numbers.shape, self.abstain))


@pytest.fixture
def sequences():
    rng = stream(0, "test")
    a, c, x0 = (rng.integers(0, M, size=1500, dtype=np.uint64) for _ in range(3))
    return SequenceSet.of(Parameters(M, a, c, x0), 9)


def test_the_truth_is_always_right(sequences):
    found = evaluate(Oracle(), sequences)
    assert found.last_number_accuracy.tree()["value"] == 1
    assert found.by_position.value.tolist() == [1] * 8
    assert all((tally.value == 1).all() for tally in found.by_digit().values())


def test_an_abstention_counts_as_wrong(sequences):
    assert evaluate(Oracle(abstain=True), sequences).number_accuracy.value == 0


def test_spoiling_one_digit_spoils_that_digit_alone(sequences):
    # adding 180 = M / 2 changes x mod 2^3 by 4 and x mod 9 and x mod 5 not at all
    found = evaluate(Oracle(lambda x: (x + np.uint64(180)) % np.uint64(M)), sequences)
    wrong = {digit for digit, tally in found.by_digit().items() if tally.value.max() < 1}
    assert wrong == {"2^2"}
    assert found.number_accuracy.value == 0


def test_digits_of_any_factorisation_can_be_asked_for(sequences):
    found = evaluate(Oracle(lambda x: (x + np.uint64(180)) % np.uint64(M)), sequences)
    assert list(found.by_digit({8: 1, 45: 1})) == ["8^0", "45^0"]
    assert found.by_digit({8: 1, 45: 1})["8^0"].value.max() == 0
    assert found.by_digit({8: 1, 45: 1})["45^0"].value.min() == 1


def test_the_interval_over_all_positions_is_over_pairs_and_not_over_numbers(sequences):
    def spoil(numbers):
        numbers[: len(numbers) // 2] += np.uint64(1)  # half of the sequences all wrong, the others all right
        return numbers

    accuracy = evaluate(Oracle(spoil), sequences).tree()["number_accuracy"]
    width = accuracy["high"] - accuracy["low"]
    assert width == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(1500), rel=0.25)


def test_position_t_is_the_guess_after_t_numbers(sequences):
    def spoil(numbers):
        numbers[:, 3] += np.uint64(1)  # the guess for number 4, after numbers 0 … 3 were seen
        return numbers

    tree = evaluate(Oracle(spoil), sequences).tree()
    assert dict(zip(tree["by_position"]["seen"], tree["by_position"]["value"], strict=True))[4] == 0
    assert sum(tree["by_position"]["value"]) == 7


def test_period_groups_cover_every_sequence_in_order(sequences):
    groups = evaluate(Oracle(), sequences).by_period()
    assert sum(int(tally.total) for tally in groups.values()) == len(sequences)
    lows = [int(group.split("-")[0]) for group in groups]
    assert lows == sorted(lows)


def test_the_tree_is_json(sequences):
    tree = evaluate(Oracle(), sequences).tree()
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert tree["by_digit"]["digits"] == ["2^0", "2^1", "2^2", "3^0", "3^1", "5^0"]
    assert tree["by_digit"]["chance"] == pytest.approx([0.5, 0.5, 0.5, 1 / 3, 1 / 3, 0.2], abs=1e-6)
