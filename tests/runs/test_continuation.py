"""What `predict` says of a model is measured on the numbers that it was given, and is right about the next one."""

from collections import Counter

import numpy as np
import pytest

import unrandom
from tiers import slow_but
from unrandom.predictors.protocol import Predictions
from unrandom.runs.continuation import LAST, SHOWN, Reliability, Tried
from unrandom.tasks import FixedModulus

# m, a, c of LCGs as they are in textbooks and on blackboards: ten of full period, and ten of arbitrary (a, c)
CLASSROOM = [
    (9, 4, 1), (10, 1, 3), (16, 5, 3), (18, 13, 7), (64, 13, 7), (100, 21, 7), (144, 37, 25), (256, 5, 3), (512, 5, 3),
    (1000, 21, 7), (9, 2, 4), (16, 7, 5), (31, 3, 5), (64, 11, 3), (73, 5, 0), (97, 5, 3), (105, 2, 1), (256, 7, 7),
    (512, 100, 7), (1000, 7, 3),
]  # fmt: skip
MODELS = ("fm-216", "fm-256", "fm-360", "fm-2p8", "fm-2p10", "um-108-wide", "um-128", "um-144")


def verdicts(name):
    """For each LCG that a model can read: the verdict on 60 numbers of it, and whether the next guess is right."""
    run, found = unrandom.load(name, device="cpu"), Counter()
    for m, a, c in CLASSROOM:
        if m <= run.config.data.vocabulary:
            *numbers, following = unrandom.LCG(m, a, c).orbit(5 % m, 61)
            said = run.predict(numbers)
            found[said.tried.verdict, said.numbers[0] == following] += 1
    return found


@pytest.mark.parametrize("name", slow_but(["fm-2p10", "um-144"], MODELS))
def test_the_sentence_about_the_next_number_of_twenty_lcgs_is_right(name):
    found = verdicts(name)
    wrong = found["rely", False] + found["do not rely", True]
    said = found["rely", True] + found["do not rely", False]
    assert (wrong, found["too few", True], found["too few", False]) == (0, 0, 0), found
    assert said > found.total() / 2, found  # of the others nothing is claimed


class Stub:
    """A predictor that guesses a number wrong where `misses` has its place from the end, the last number being 1."""

    name = assumes = "stub"

    def __init__(self, misses=()):
        self.misses = misses

    def predict(self, row):
        guesses = row[:, 1:].copy()
        for place in self.misses:
            guesses[0, -place] += np.uint64(1)
        return Predictions(guesses, np.zeros(guesses.shape, bool))


TASK = FixedModulus(modulus=256, context=64)
NUMBERS = unrandom.LCG(m=256, a=5, c=3).orbit(x0=1, length=65)


def tried(length=65, misses=(), probability=0.9, reliable_from=32, numbers=NUMBERS):
    return Tried.on(numbers[:length], Stub(misses), TASK, probability=probability, reliable_from=reliable_from)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({}, "rely"),
        ({"misses": range(LAST + 1, 64)}, "rely"),  # the last numbers decide
        ({"misses": [LAST]}, "undecided"),
        ({"misses": range(1, LAST)}, "undecided"),
        ({"misses": range(1, LAST + 1)}, "do not rely"),
        ({"probability": 0.4}, "undecided"),  # the model itself is not sure of the next one
        ({"length": LAST + 1}, "rely"),  # it needs fewer numbers here than on its own test
        ({"length": LAST}, "too few"),
        ({"length": 1}, "too few"),
        ({"length": 39, "misses": range(1, LAST + 1)}, "too few"),
        ({"length": 40, "misses": range(1, LAST + 1)}, "do not rely"),
        ({"length": 9, "misses": range(1, LAST + 1), "reliable_from": None}, "do not rely"),
        ({"length": 64, "misses": range(1, LAST + 1), "reliable_from": 64}, "do not rely"),  # it reads no more
        # more numbers do not help if the numbers are not of its task
        ({"length": 20, "misses": range(1, LAST + 1), "numbers": [*range(10), *range(0, 200, 7)]}, "do not rely"),
    ],
)
def test_the_verdict_rests_on_the_last_numbers(given, verdict):
    assert tried(**given).verdict == verdict


@pytest.mark.parametrize("length", [1, 2, 5, 33, 34, 65, 200])
def test_the_numbers_that_are_counted(length):
    counted = tried(length, misses=[3] if length > 3 else [], numbers=NUMBERS * 4)
    assert counted.tested == min(SHOWN, length - 1)
    assert counted.guessed == counted.tested - (length > 3)
    assert counted.tested_last == min(LAST, length - 1)
    assert counted.guessed_last == counted.tested_last - (length > 3)


def test_the_test_of_a_model_is_its_guess_of_each_number_from_those_before():
    run, numbers = unrandom.load("fm-2p8", device="cpu"), unrandom.LCG(m=256, a=77, c=201).orbit(x0=3, length=30)
    right = [run.predict(numbers[:seen]).numbers[0] == numbers[seen] for seen in range(1, 30)]
    found = run.predict(numbers).tried
    assert (found.tested, found.guessed, found.guessed_last) == (29, sum(right), sum(right[-LAST:]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"misses": [20]},
            "31, and all of the last 8: rely on its next number; each later number rests on the ones before it",
        ),
        ({"misses": [1, 2, 3]}, "29, and 5 of the last 8: its next number may be right or wrong"),
        ({"misses": range(1, 31)}, "2, and none of the last 8: do not rely on its next number"),
    ],
)
def test_sentences(given, said):
    assert tried(**given).text() == f"of your last 32 numbers this model would have guessed {said}"


def test_sentences_about_few_numbers():
    assert tried(1).text() == "1 number is too few to tell whether this model continues them: give 40"
    assert tried(8).text() == "8 numbers are too few to tell whether this model continues them: give 40"
    assert tried(20, misses=[1]).text() == (
        "of your last 19 numbers this model would have guessed 18, and 7 of the last 8: "
        "these are too few for it, give 40"
    )


def reliability(**accuracy_after):
    return Reliability.of([{"accuracy_after": {}}, {"accuracy_after": {k[1:]: v for k, v in accuracy_after.items()}}])


@pytest.mark.parametrize(
    ("measured", "start"),
    [
        ({"_1": 0.0, "_2": 0.4, "_4": 0.95, "_8": 1.0}, 4),
        ({"_1": 0.95, "_2": 0.4, "_4": 0.89, "_16": 0.9}, 16),
        ({"_1": 1.0, "_2": 1.0}, 1),
        ({"_1": 1.0, "_2": 0.89}, None),
    ],
)
def test_the_first_count_from_which_accuracy_in_training_stays_high(measured, start):
    assert reliability(**measured).reliable_from == start


@pytest.mark.parametrize("metrics", [[], [{"step": 1}], [{"accuracy_after": {"1": 1.0}}, {"step": 2}]])
def test_what_was_not_measured_is_unknown(metrics):
    assert Reliability.of(metrics).reliable_from is None
