"""A line of training metrics has the right values, for fixed and unseen moduli."""

import math

import numpy as np
import pytest

from unrandom.evaluation import TrainingMeasure, during_training
from unrandom.models import Transformer
from unrandom.tasks import make_batches


@pytest.mark.parametrize("regime", ["fm", "um"])
def test_a_line_of_metrics(regime, tiny, fm_data, um_data):
    config = tiny.replace(data={"fm": fm_data, "um": um_data}[regime])
    split = config.data.split(0)
    measure = TrainingMeasure(split, make_batches(split, 8), test_sequences=40, precision="fp32")
    model = Transformer(config.transformer).eval()
    line = measure(model)
    needed = {"test_loss", "token_accuracy", "number_accuracy", "last_number_accuracy"}
    assert needed | {"train_short_period_accuracy", "train_long_period_accuracy"} <= set(line)
    assert set(line["test_moduli"]) == {str(modulus) for modulus in config.data.moduli}
    assert list(line["accuracy_after"]) == ["1", "2", "4", "8", "12"]
    assert line["test_loss"] == pytest.approx(math.log(config.transformer.vocab_size), abs=0.3)
    assert measure(model) == line


def test_an_unseen_prime_is_measured_in_both_ways(tiny, um_data):
    data = um_data.replace(test_moduli=(23, 32), test_multipliers="primitive-root")
    config = tiny.replace(data=data)
    split = data.split(0)
    measure = TrainingMeasure(split, make_batches(split, 8), test_sequences=40, precision="fp32")
    line = measure(Transformer(config.transformer).eval())
    assert {part for part, further in measure.further.items() if further} == {23}
    steps = np.diff(measure.further[23]["counting"].astype(np.int64), axis=1) % 23
    assert (steps == steps[:, :1]).all()  # x + c
    assert set(line["test_moduli"]["23"]) == {"last_number_accuracy", "counting_last_number_accuracy"}
    assert set(line["test_moduli"]["32"]) == {"last_number_accuracy"}


def test_counters_and_short_periods_are_separated_from_long_periods(tiny, um_data):
    split = um_data.split(0)
    drawn = make_batches(split, 8).probe(512)
    periods, kinds = drawn.periods(), drawn.followed(um_data.context)
    assert (drawn.a[kinds["long_period"]] == 1).any()  # counters (a = 1) have a long period
    assert (kinds["short_period"] ^ kinds["long_period"]).all()
    assert not (drawn.a[kinds["rule"]] == 1).any()
    assert (periods[kinds["rule"]] > um_data.context).all()
    assert (periods[kinds["full_period"]] == drawn.m[kinds["full_period"]]).all()
    assert (kinds["rule"] & ~kinds["full_period"]).any()


def test_the_context_needed_counts_the_numbers_seen():
    # of two guesses, one is correct after one number, both after two, one after three, both from four on
    correct = np.array([[True, True, False, True, True], [False, True, True, True, True]])
    assert during_training._context_needed(correct, 0.9) == 4
    assert during_training._context_needed(correct, 0.5) == 1
    assert during_training._context_needed(correct[:, :3], 0.9) is None
