"""A neuron's period is found where one was planted; contributions are parts of the MLP's output."""

import json

import numpy as np
import pytest
import torch
from copying import CONTEXT, VOTERS, M, copying_model

from rounding import OPERATION, assert_agree
from unrandom.core.errors import UserError
from unrandom.generators.lcg import lcg_orbits
from unrandom.interpretation import (
    accuracy_as_neurons_are_added,
    best_first_order,
    dominant_periods,
    neuron_contribution,
    neuron_responses,
    random_order,
)
from unrandom.models import Transformer, TransformerConfig, record


@pytest.fixture(scope="module")
def model():
    return Transformer(TransformerConfig(d_model=16, activation="relu", vocab_size=64, context=12), seed=3).eval()


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    return rng.integers(64, size=(300, 13), dtype=np.uint64)


def full_period(n: int = M) -> np.ndarray:
    return lcg_orbits(np.arange(n, dtype=np.uint64) % np.uint64(M), a=5, c=3, m=M, length=CONTEXT + 1)


def test_planted_periods_are_found():
    x = np.arange(2048)
    planted = [
        np.maximum(np.cos(2 * np.pi * 32 * x / 2048) - 0.5, 0),  # period 64, spiked
        (x % 16 == 5).astype(float),  # period 16: all harmonics have the same power, and the lowest is taken
        (-1.0) ** x,  # period 2, the highest frequency there is
        np.cos(2 * np.pi * 300 * x / 2048 + 1) + 2,
    ]
    found = dominant_periods(np.stack(planted, axis=1).astype(np.float32))
    assert found.frequency.tolist() == [32, 128, 1024, 300]
    np.testing.assert_allclose(found.period, [64, 16, 2, 2048 / 300])
    np.testing.assert_allclose(found.harmonic_share, 1, atol=1e-6)
    np.testing.assert_allclose(found.peak_share[2:], 1, atol=1e-6)
    assert found.peak_share[1] == pytest.approx(2 / 15)  # 7 harmonics and, at half the power, period 2
    assert found.shuffled_peak_share.max() < 0.02
    assert found.alive.all()


@pytest.mark.parametrize("targets", [257, 512])
def test_shares_are_of_the_variance(targets):
    rng = np.random.default_rng(0)
    x = np.arange(targets)
    wave, other = (np.cos(2 * np.pi * f * x / targets) for f in (20, 33))
    found = dominant_periods((3 * wave + other + 7)[:, None])
    assert found.peak_share[0] == found.harmonic_share[0] == pytest.approx(0.9)
    noisy = wave + 0.1 * rng.normal(size=targets)
    assert dominant_periods(noisy[:, None]).peak_share[0] == pytest.approx(0.5 / 0.51, abs=0.01)


def test_white_noise_has_no_period():
    found = dominant_periods(np.random.default_rng(0).normal(size=(1024, 50)))
    assert found.peak_share.max() < 0.05
    assert found.peak_share.mean() == pytest.approx(found.shuffled_peak_share.mean(), abs=0.003)
    assert found.harmonic_share[found.frequency > 20].max() < 0.2


def test_silent_and_constant_neurons_are_told_apart():
    found = dominant_periods(np.stack([np.zeros(16), np.full(16, 2.0), np.arange(16.0), -np.ones(16)], axis=1))
    assert found.alive.tolist() == [False, True, True, False]
    assert found.frequency.tolist() == [0, 0, 1, 0]
    assert np.isnan(found.period).tolist() == [True, True, False, True]
    assert found.peak_share[[0, 1, 3]].tolist() == [0, 0, 0]


def test_the_table_is_json():
    responses = np.maximum(np.random.default_rng(0).normal(size=(16, 3)), 0)
    responses[:, 1] = 0
    tree = dominant_periods(responses).to_json()
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert tree["period"][1] is None
    assert tree == dominant_periods(responses).to_json()


def test_responses_are_ordered_by_the_target():
    responses = neuron_responses(copying_model(), M, 5, 3, position=8)  # it copies number t - 8, which is the target
    assert responses.shape == (M, 128)
    fires = responses[:, VOTERS] > 0
    np.testing.assert_array_equal(fires, np.eye(M, dtype=bool))


def test_responses_are_those_of_the_pass(model):
    responses = neuron_responses(model, 64, 5, 3, position=6)
    row = lcg_orbits(17, a=5, c=3, m=64, length=8)
    with torch.no_grad(), record(model, ["blocks.0.mlp.hook_post"]) as seen:
        model(torch.from_numpy(row[:, :7].astype(np.int64)))
    assert_agree(responses[int(row[0, -1])], seen["blocks.0.mlp.hook_post"][0, 6], OPERATION)


def test_contributions_add_up_to_the_output_of_the_mlp(model, numbers):
    contributions = [neuron_contribution(model, numbers[0], neuron, position=9) for neuron in range(64)]
    with torch.no_grad(), record(model, ["blocks.0.hook_mlp_out"]) as seen:
        model(torch.from_numpy(numbers[:1, :12].astype(np.int64)))
        readout = model.unembed(seen["blocks.0.hook_mlp_out"])[0, 9]
    assert_agree(sum(contributions), readout, OPERATION)


def test_a_neuron_votes_for_the_number_it_stands_for():
    row = full_period()[2]
    target = int(row[9])
    votes = neuron_contribution(copying_model(), row, int(VOTERS[target]), position=8)
    assert votes.argmax() == target
    assert np.count_nonzero(votes) == 1
    assert not neuron_contribution(copying_model(), row, int(VOTERS[target - 1]), position=8).any()


def test_adding_all_neurons_is_the_same_in_any_order(model, numbers):
    orders = best_first_order(model, numbers[:150], 9), random_order(64), np.arange(64)
    found = [accuracy_as_neurons_are_added(model, numbers[150:], 9, order, [1, 7, 64]) for order in orders]
    assert len({int(tally.correct[-1]) for tally in found}) == 1
    assert all(tally.total.tolist() == [150, 150, 150] for tally in found)
    alone = accuracy_as_neurons_are_added(model, numbers[150:], 9, orders[0], [64])
    assert alone.correct[0] == found[0].correct[-1]


def test_the_neurons_that_matter_come_first():
    model, numbers = copying_model(), full_period()
    order = best_first_order(model, numbers[::-1], 8)
    assert set(order[:M]) == set(VOTERS)
    counts = [2, 4, 8, 128]
    best = accuracy_as_neurons_are_added(model, numbers, 8, order, counts)
    assert best.value[2:].tolist() == [1, 1]
    assert best.value[0] < best.value[1] < 1
    random = accuracy_as_neurons_are_added(model, numbers, 8, random_order(128), counts)
    assert random.value[2] < 1
    assert random.value[3] == 1


def test_a_random_order_repeats_with_its_seed():
    assert sorted(random_order(50)) == list(range(50))
    assert np.array_equal(random_order(50, seed=1), random_order(50, seed=1))
    assert not np.array_equal(random_order(50, seed=1), random_order(50, seed=2))


def test_what_cannot_be_read_is_named(model, numbers):
    with pytest.raises(UserError, match="full period"):
        neuron_responses(model, 64, 3, 3, position=2)
    with pytest.raises(UserError, match="position 12"):
        neuron_responses(model, 64, 5, 3, position=12)
    with pytest.raises(UserError, match="no such tap"):
        neuron_responses(model, 64, 5, 3, position=2, layer=1)
    with pytest.raises(UserError, match="127 does not fit"):
        neuron_responses(model, 128, 5, 3, position=2)
    with pytest.raises(UserError, match="neuron 64"):
        neuron_contribution(model, numbers[0], 64, position=2)
    with pytest.raises(UserError, match="none follows"):
        best_first_order(model, numbers[:, :4], position=3)
    with pytest.raises(ValueError, match="ascend"):
        accuracy_as_neurons_are_added(model, numbers, 3, random_order(64), [2, 1])
    with pytest.raises(ValueError, match="ascend"):
        accuracy_as_neurons_are_added(model, numbers, 3, random_order(64), [65])
    digits = Transformer(TransformerConfig(d_model=8, vocab_size=4, context=12, digits=2))
    with pytest.raises(UserError, match="2 tokens"):
        neuron_responses(digits, 4, 1, 1, position=2)
