"""The line of metrics that training writes holds what it must, for both regimes."""

import math

import numpy as np
import pytest

from unrandom.evaluation import TrainingMeasure, during_training
from unrandom.models import Transformer
from unrandom.tasks import make_batches, make_split


@pytest.mark.parametrize("regime", ["fm", "um"])
def test_a_line_of_metrics(regime, tiny, fm_data, um_data):
    config = tiny.model_copy(update={"data": {"fm": fm_data, "um": um_data}[regime]})
    split = make_split(config.data, 0)
    measure = TrainingMeasure(split, make_batches(split, 8), test_sequences=40, precision="fp32")
    model = Transformer(config.transformer).eval()
    line = measure(model)
    needed = {"test_loss", "token_accuracy", "number_accuracy", "last_number_accuracy"}
    assert needed | {"train_short_period_accuracy", "train_long_period_accuracy"} <= set(line)
    assert set(line["test_moduli"]) == {str(modulus) for modulus in config.data.test_moduli}
    assert list(line["accuracy_after"]) == ["1", "2", "4", "8", "12"]
    assert line["test_loss"] == pytest.approx(math.log(config.transformer.vocab_size), abs=0.3)
    assert measure(model) == line


def test_an_unseen_prime_is_followed_in_both_readings(tiny, um_data):
    data = um_data.model_copy(update={"test_moduli": (23, 32), "test_multipliers": "primitive-root"})
    config = tiny.model_copy(update={"data": data})
    split = make_split(data, 0)
    measure = TrainingMeasure(split, make_batches(split, 8), test_sequences=40, precision="fp32")
    line = measure(Transformer(config.transformer).eval())
    assert set(measure.counting) == {23}
    assert set(measure.counting[23].parameters.a.tolist()) == {1}
    assert set(line["test_moduli"]["23"]) == {"last_number_accuracy", "counting_last_number_accuracy"}
    assert set(line["test_moduli"]["32"]) == {"last_number_accuracy"}


def test_counting_and_copying_are_apart_from_what_needs_the_rule(tiny, um_data):
    split = make_split(um_data, 0)
    measure = TrainingMeasure(split, make_batches(split, 8), test_sequences=40, precision="fp32")
    drawn, periods = measure.probe.parameters, measure.probe.parameters.periods()
    assert (drawn.a[~measure.short] == 1).any()  # counting has a long period
    assert not (drawn.a[measure.rule] == 1).any()
    assert (periods[measure.rule] > um_data.context).all()
    assert (periods[measure.full] == drawn.m[measure.full]).all()
    assert (measure.rule & ~measure.full).any()


def test_numbers_needed_count_the_numbers_that_were_seen():
    # one guess in two is right after one number, both after two, one after three, both from four on
    correct = np.array([[True, True, False, True, True], [False, True, True, True, True]])
    assert during_training._needed(correct, 0.9) == 4
    assert during_training._needed(correct, 0.5) == 1
    assert during_training._needed(correct[:, :3], 0.9) is None
