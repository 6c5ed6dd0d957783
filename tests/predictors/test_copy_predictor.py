"""The copy predictor returns the successor of the last earlier occurrence of the current number, and nothing else."""

import numpy as np
import pytest

from priors import arbitrary
from unrandom.core.errors import UserError
from unrandom.predictors import CopyPredictor, Predictor


def copied(sequence):
    """For each number but the last, the successor of its last earlier occurrence."""
    followed, guesses = {}, []
    for before, after in zip([None, *sequence[:-2]], sequence[:-1], strict=True):
        followed[before] = after
        guesses.append(followed.get(after))
    return guesses


def copied_by_most(sequence, most):
    """The same for the last ``most`` numbers, or as many of these as have occurred before."""
    guesses = []
    for t in range(len(sequence) - 1):
        guess = None
        for length in range(1, min(most, t + 1) + 1):
            last = sequence[t + 1 - length : t + 1]
            ends = [end for end in range(length - 1, t) if sequence[end + 1 - length : end + 1] == last]
            guess = sequence[ends[-1] + 1] if ends else guess
        guesses.append(guess)
    return guesses


def said(sequences, numbers=1):
    predictions = CopyPredictor(numbers).predict(np.array(sequences, dtype=np.uint64))
    rows = zip(predictions.numbers.tolist(), predictions.abstained.tolist(), strict=True)
    return [[None if abstained else x for x, abstained in zip(*row, strict=True)] for row in rows]


def test_it_is_a_predictor():
    assert isinstance(CopyPredictor(), Predictor)


def test_the_successor_of_the_last_earlier_occurrence_is_copied():
    assert said([[5, 7, 5, 7, 5, 9], [1, 2, 1, 3, 1, 1]]) == [[None, None, 7, 5, 7], [None, None, 2, None, 3]]


def test_random_numbers_are_copied_as_a_dictionary_would():
    sequences = np.random.default_rng(0).integers(0, 7, size=(50, 30)).tolist()
    assert said(sequences) == [copied(sequence) for sequence in sequences]


@pytest.mark.parametrize("numbers", [1, 2, 3, 100])
def test_several_numbers_are_looked_for_first(numbers):
    sequences = np.random.default_rng(0).integers(0, 3, size=(30, 20)).tolist()
    assert said(sequences, numbers) == [copied_by_most(sequence, numbers) for sequence in sequences]
    assert CopyPredictor(numbers).name == ("copy" if numbers == 1 else f"copy:{numbers}")
    with pytest.raises(UserError, match="one number or more that recur, but 0 was given"):
        CopyPredictor(0)


def test_numbers_without_repetition_give_abstentions():
    predictions = CopyPredictor().predict(np.array([[3, 4, 2**64 - 1, 6]], dtype=np.uint64))
    assert predictions.abstained.all()
    assert not predictions.numbers.any()


def test_on_an_lcg_every_guess_is_right():
    x = arbitrary(100, rows=200, length=64)
    predictions = CopyPredictor().predict(x)
    assert (predictions.correct(x) == ~predictions.abstained).all()
    assert predictions.correct(x)[:, -1].mean() > 0.8  # most periods are short


def test_one_number_gives_no_guesses():
    assert CopyPredictor().predict(np.array([[3]], dtype=np.uint64)).numbers.shape == (1, 0)
