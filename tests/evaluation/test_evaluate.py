"""An evaluation counts correct guesses, by position, digit and group."""

import json

import numpy as np
import pytest

from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.predictors import Predictions
from unrandom.tasks import Examples, LCGParameters

M = 360


class Oracle:
    """A predictor that knows the truth, with errors made by ``spoil``."""

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
    return Examples.of(LCGParameters(M, a, c, x0), 9)


def test_the_truth_is_always_correct(sequences):
    found = evaluate(Oracle(), sequences)
    assert found.last_number_accuracy.to_json()["value"] == 1
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


def test_digits_of_any_coprime_factorisation_are_supported(sequences):
    found = evaluate(Oracle(lambda x: (x + np.uint64(180)) % np.uint64(M)), sequences)
    assert list(found.by_digit({8: 1, 45: 1})) == ["8^0", "45^0"]
    assert found.by_digit({8: 1, 45: 1})["8^0"].value.max() == 0
    assert found.by_digit({8: 1, 45: 1})["45^0"].value.min() == 1


def sequences_of(multipliers, increments, each):
    """All pairs of the given numbers of multipliers and increments modulo M, ``each`` times; a = 1 is included."""
    a = np.repeat(1 + 60 * np.arange(multipliers, dtype=np.uint64), increments * each) % np.uint64(M)
    c = np.tile(np.repeat(np.array([1, 7, 11, 13][:increments], dtype=np.uint64), each), multipliers)
    return Examples.of(LCGParameters(M, a, c, np.arange(len(a), dtype=np.uint64) % np.uint64(M)), 9)


def test_the_interval_is_over_multipliers_and_not_over_sequences():
    made = sequences_of(6, 4, 40)
    hard = made.parameters.a < 150  # three of six multipliers are never predicted

    def spoil(numbers):
        numbers[hard] = (numbers[hard] + np.uint64(1)) % np.uint64(M)
        return numbers

    found = evaluate(Oracle(spoil), made).to_json()
    for accuracy in (found["number_accuracy"], found["last_number_accuracy"]):
        assert accuracy["value"] == 0.5
        assert accuracy["high"] - accuracy["low"] > 0.6  # for independent sequences it would be .06
        assert accuracy["interval"] == "two-way cluster bootstrap over 6 multipliers and 4 increments"
    assert found["by_position"]["high"][0] - found["by_position"]["low"][0] > 0.6


def test_if_all_clusters_agree_the_interval_depends_on_their_number():
    few, many = (evaluate(Oracle(), sequences_of(n, 4, 10)).to_json()["last_number_accuracy"] for n in (2, 4))
    assert few["value"] == many["value"] == few["high"] == 1
    assert few["low"] < many["low"] < 1


def test_accuracy_by_how_often_a_prime_divides_a_less_one():
    made = sequences_of(6, 4, 10)  # a − 1 = 0, 60, 120, 180, 240, 300
    odd = (made.parameters.a == 61) | (made.parameters.a == 181) | (made.parameters.a == 301)

    def spoil(numbers):
        numbers[odd] = (numbers[odd] + np.uint64(1)) % np.uint64(M)
        return numbers

    found = {grouping["label"]: grouping["groups"] for grouping in evaluate(Oracle(spoil), made).by_group()}
    of_two = {row["group"]: (row["units"]["multipliers"], row["value"]) for row in found["v_2(a − 1)"]}
    assert of_two == {"2": (3, 0.0), "3": (1, 1.0), "4": (1, 1.0), "∞": (1, 1.0)}
    assert [row["group"] for row in found["v_3(a − 1)"]] == ["1", "2", "∞"]
    rows = [row for groups in found.values() for row in groups]
    several = [row for row in rows if row["units"]["multipliers"] > 1]
    assert several
    assert all(row["low"] <= row["value"] <= row["high"] for row in several)
    assert all(row["low"] is row["high"] is None for row in rows if row["units"]["multipliers"] == 1)
    assert sum(row["total"] for row in found["v_5(a − 1)"]) == len(made)


def test_multipliers_without_full_period_are_grouped_by_period_only(sequences):
    assert [grouping["label"] for grouping in evaluate(Oracle(), sequences).by_group()] == ["period"]


def test_independent_sequences_have_the_interval_of_their_count():
    made = sequences_of(6, 4, 10)
    alone = Examples.of(made.parameters, 9, independent=True)
    found = evaluate(Oracle(), alone).to_json()
    assert found["units"] == {}
    assert found["last_number_accuracy"]["interval"] == f"Wilson over {len(made)} independent sequences"
    shared = evaluate(Oracle(), made).to_json()["last_number_accuracy"]
    assert found["last_number_accuracy"]["low"] > shared["low"]


def test_position_t_is_the_guess_after_t_numbers(sequences):
    def spoil(numbers):
        numbers[:, 3] += np.uint64(1)  # the guess for number 4, after numbers 0 … 3 were seen
        return numbers

    tree = evaluate(Oracle(spoil), sequences).to_json()
    assert dict(zip(tree["by_position"]["seen"], tree["by_position"]["value"], strict=True))[4] == 0
    assert sum(tree["by_position"]["value"]) == 7


def test_period_groups_cover_every_sequence_in_order(sequences):
    (grouping,) = evaluate(Oracle(), sequences).by_group()
    assert sum(row["total"] for row in grouping["groups"]) == len(sequences)
    lows = [int(row["group"].split("-")[0]) for row in grouping["groups"]]
    assert lows == sorted(lows)


def test_to_json_is_json(sequences):
    tree = evaluate(Oracle(), sequences).to_json()
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert tree["by_digit"]["digits"] == ["2^0", "2^1", "2^2", "3^0", "3^1", "5^0"]
    assert tree["by_digit"]["chance"] == pytest.approx([0.5, 0.5, 0.5, 1 / 3, 1 / 3, 0.2], abs=1e-6)
