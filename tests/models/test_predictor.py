"""A Transformer's guesses depend on the past only, and its probabilities are those of complete numbers."""

import numpy as np
import pytest
import torch

from rounding import TOLERANCE, assert_agree
from unrandom.core.errors import UserError
from unrandom.models import Transformer
from unrandom.models.predictor import TransformerPredictor
from unrandom.predictors import Predictor

ROUNDING = 10 * TOLERANCE  # a probability is the exponential of a logit, whose errors are shares of about 10


@pytest.fixture(params=[None, 4])
def predictor(request, tiny):
    config = tiny.override([f"data.base={request.param or 'none'}", "model.positions=abacus"])
    model = Transformer(config.transformer, seed=3).eval()
    with torch.no_grad():
        model.embed.weight.mul_(20)
    return TransformerPredictor(model, config.data.tokenizer)


@pytest.fixture
def sequences():
    return np.random.default_rng(0).integers(0, 64, size=(5, 13), dtype=np.uint64)


def test_it_is_a_predictor(predictor):
    assert isinstance(predictor, Predictor)


def test_no_guess_depends_on_what_it_guesses_or_on_what_follows(predictor, sequences):
    changed = sequences.copy()
    changed[:, 6:] = (changed[:, 6:] + 4) % 64  # keeps the lowest digit, from which the next one is predicted
    before, after = predictor.predict(sequences), predictor.predict(changed)
    assert (before.numbers[:, :5] == after.numbers[:, :5]).all()
    assert (before.numbers[:, 5] % 16 == after.numbers[:, 5] % 16).all()
    assert (before.numbers[:, 6:] != after.numbers[:, 6:]).any()


def test_a_number_is_right_exactly_when_greedy_decoding_finds_it(predictor, sequences):
    correct = predictor.predict(sequences).correct(sequences)
    for t in range(1, 13):
        decoded, _ = predictor.continue_sequences(sequences[:, :t], 1)
        assert (correct[:, t - 1] == (decoded[:, 0] == sequences[:, t])).all()


def test_probabilities_of_all_numbers_add_up_to_one(predictor, sequences):
    every = np.repeat(sequences[:1, :3], 64, axis=0)
    every[:, 2] = np.arange(64)
    assert predictor.predict(every).truth_probability[:, 1].sum() == pytest.approx(1, abs=ROUNDING)


def test_the_probability_of_a_greedy_guess_is_that_of_the_number(predictor, sequences):
    guess, probability = predictor.continue_sequences(sequences[:, :6], 1)
    told = np.concatenate([sequences[:, :6], guess], axis=1)
    assert_agree(predictor.predict(told).truth_probability[:, -1], probability[:, 0], ROUNDING)


def test_the_number_of_sequences_predicted_at_once_changes_nothing(predictor, sequences):
    whole = predictor.predict(sequences)
    predictor.chunk = 2
    parts = predictor.predict(sequences)
    assert (whole.numbers == parts.numbers).all()
    assert_agree(parts.truth_probability, whole.truth_probability, ROUNDING)


def test_continuing_past_the_context_drops_the_earliest_number(predictor, sequences):
    guesses, _ = predictor.continue_sequences(sequences[:, :12], 5)
    window = np.concatenate([sequences[:, 1:12], guesses[:, :1]], axis=1)
    assert (predictor.continue_sequences(window, 1)[0][:, 0] == guesses[:, 1]).all()


def test_only_the_last_numbers_of_a_long_sequence_are_used(predictor, sequences):
    longer, last = (predictor.continue_sequences(part, 3) for part in (sequences, sequences[:, 1:]))
    assert (longer[0] == last[0]).all()
    assert (longer[1] == last[1]).all()


def test_a_periodic_continuation_is_not_computed_again(predictor, sequences):
    def plainly(numbers, steps):
        """Greedy decoding one number at a time, without cycle detection."""
        chances = []
        for _ in range(steps):
            guess, chance = predictor.continue_sequences(numbers[:, -12:], 1)
            numbers = np.concatenate([numbers, guess], axis=1)
            chances.append(chance[:, 0])
        return numbers[:, -steps:], np.stack(chances, axis=1)

    heard = []
    guesses, chances = predictor.continue_sequences(sequences[:1], 2000, heard.append)
    assert heard == list(range(1, len(heard) + 1))
    assert len(heard) < 1000, "the numbers of a model this small come round"
    expected, likely = plainly(sequences[:1], len(heard) + 200)
    assert (guesses[:, : expected.shape[1]] == expected).all()
    assert np.array_equal(chances[:, : expected.shape[1]], likely)


def test_too_long_sequences_and_too_large_numbers_are_refused(predictor, sequences):
    with pytest.raises(UserError, match="14 numbers is too long; at most 13"):
        predictor.predict(np.zeros((1, 14), dtype=np.uint64))
    with pytest.raises(UserError, match="does not fit; numbers below 64"):
        predictor.predict(sequences + np.uint64(64))
