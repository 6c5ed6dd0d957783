"""A head that attends to the largest number and writes its embedding is distinguished from one that does not."""

import json

import numpy as np
import pytest
import torch

from unrandom.core.errors import UserError
from unrandom.interpretation import modulus_estimates, number_similarity, size_rank_correlation
from unrandom.interpretation.modulus_estimate import nearest_numbers
from unrandom.models import Transformer, TransformerConfig, record
from unrandom.tasks import Examples, LCGParameters

V, CONTEXT = 32, 16
NUMBER, POSITION = slice(0, V), slice(V, V + CONTEXT)
CONFIG = TransformerConfig(n_heads=2, d_model=96, tied=False, vocab_size=V, context=CONTEXT)


@torch.no_grad()
def greedy_model() -> Transformer:
    """Head 0 attends to the largest number and writes it; head 1 attends to the current number and writes it."""
    model = Transformer(CONFIG, seed=1)
    attn = model.blocks[0].attn
    w_q, w_k, w_v = attn.W_QKV.weight.unflatten(0, (3, 2, 48)).unbind(0)
    for weight in (model.embed.weight, model.pos_embed.W_pos, attn.W_QKV.weight, attn.W_O.weight):
        weight.zero_()
    model.embed.weight[:, NUMBER] = torch.eye(V)
    model.pos_embed.W_pos[:, POSITION] = torch.eye(CONTEXT)
    w_q[0, 0, POSITION] = 1
    w_k[0, 0, NUMBER] = torch.arange(V).float()
    w_q[1, :CONTEXT, POSITION] = 10 * torch.eye(CONTEXT)
    w_k[1, :CONTEXT, POSITION] = torch.eye(CONTEXT)
    for head in range(2):
        w_v[head, :V, NUMBER] = torch.eye(V)
        attn.W_O.weight[NUMBER, 48 * head : 48 * head + V] = torch.eye(V)
    return model


@pytest.fixture(scope="module")
def sequences():
    a, c, x0 = (np.random.default_rng(0).integers(27, size=20, dtype=np.uint64) for _ in range(3))
    return Examples.of(LCGParameters(27, a // 9 * 9 + 1, c // 3 * 3 + 1, x0), CONTEXT + 1)


def looking_at(numbers: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Patterns [batch, 1, T, T] whose weights are a given function of number and position."""
    length = numbers.shape[1]
    pattern = np.tril(np.broadcast_to(weight[:, None], (len(numbers), length, length)))
    return (pattern / pattern.sum(axis=-1, keepdims=True))[:, None]


def test_weights_that_rise_with_size_are_told_from_those_that_fall_and_from_others():
    rng = np.random.default_rng(0)
    numbers = np.stack([rng.permutation(40) for _ in range(30)]).astype(np.uint64)
    size = numbers.astype(float) + 1
    patterns = [looking_at(numbers, weight) for weight in (size, 1 / size, rng.random(size.shape))]
    found = size_rank_correlation(np.concatenate(patterns, axis=1), numbers)
    np.testing.assert_allclose(found.correlation[:2].mean(axis=1), [1, -1])
    assert abs(found.correlation[2].mean()) < 0.1
    assert found.strongest_is_largest[0].tolist() == [1] * 30
    assert found.strongest_is_largest[1].mean() == 0
    assert found.strongest_is_largest[2].mean() == pytest.approx(found.chance, abs=0.1)
    assert found.chance == pytest.approx(np.mean([1 / (q + 1) for q in range(8, 40)]))


def test_a_number_that_came_twice_is_the_largest_in_both_places():
    numbers = np.array([[7, 3, 7, 1]], dtype=np.uint64)
    found = size_rank_correlation(looking_at(numbers, np.array([[1.0, 1, 9, 1]])), numbers, start=3)
    assert found.strongest_is_largest.tolist() == [[1]]
    assert found.chance == 0.5


def test_similarity_is_the_cosine_and_a_silent_head_is_like_nothing():
    rng = np.random.default_rng(0)
    embedding, outputs = rng.normal(size=(9, 5)), rng.normal(size=(4, 5))
    outputs[3] = 0
    found = number_similarity(outputs, embedding, below=7)
    assert found.shape == (4, 7)
    assert found[1, 2] == pytest.approx(
        outputs[1] @ embedding[2] / np.linalg.norm(outputs[1]) / np.linalg.norm(embedding[2])
    )
    assert not found[3].any()


def test_the_nearest_number_is_the_planted_one_whatever_its_length(monkeypatch):
    rng = np.random.default_rng(0)
    embedding, planted = rng.normal(size=(50, 12)), rng.integers(50, size=(6, 9))
    outputs = embedding[planted] * rng.uniform(0.1, 9, size=(6, 9, 1))
    np.testing.assert_array_equal(nearest_numbers(outputs, embedding), planted)
    assert nearest_numbers(outputs, embedding, below=20).max() < 20
    assert (nearest_numbers(-outputs, embedding) != planted).all()
    monkeypatch.setattr("unrandom.interpretation.modulus_estimate.VALUES_AT_ONCE", 1)
    np.testing.assert_array_equal(nearest_numbers(outputs, embedding), planted)


def test_the_head_that_passes_on_the_largest_number_is_found(sequences):
    greedy, other = modulus_estimates(greedy_model(), sequences)
    seen = sequences.numbers[:, :CONTEXT].astype(np.int64)
    np.testing.assert_array_equal(greedy.nearest, np.maximum.accumulate(seen, axis=1)[:, 8:])
    assert greedy.distance.max() == 0
    assert greedy.correlation == pytest.approx(1)
    assert greedy.control_correlation < 0.8
    assert greedy.control_distance.mean() > 0
    assert greedy.estimates.tolist() == seen.max(axis=1).tolist()
    assert greedy.estimate == np.median(seen.max(axis=1))
    np.testing.assert_array_equal(other.nearest, seen[:, 8:])
    assert other.correlation < 0.8
    assert other.distance.mean() > 0.2


def test_its_pattern_shows_it_too(sequences):
    model, tap = greedy_model(), "blocks.0.attn.hook_pattern"
    with torch.no_grad(), record(model, [tap]) as seen:
        model(torch.from_numpy(sequences.numbers[:, :CONTEXT].astype(np.int64)))
    found = size_rank_correlation(seen[tap].numpy(), sequences.numbers)
    assert found.strongest_is_largest[0].min() == 1
    assert found.correlation[0].mean() > 0.95
    assert found.strongest_is_largest[1].mean() < 0.3


def test_the_tables_are_json(sequences):
    trees = [estimate.to_json() for estimate in modulus_estimates(greedy_model(), sequences, below=27)]
    numbers = sequences.numbers[:, :12]
    trees.append(size_rank_correlation(looking_at(numbers, numbers + 1.0), numbers).to_json())
    assert json.loads(json.dumps(trees, allow_nan=False)) == trees


def test_what_cannot_be_read_is_named(sequences):
    with pytest.raises(ValueError, match="start=16"):
        modulus_estimates(greedy_model(), sequences, start=16)
    with pytest.raises(UserError, match="no such tap"):
        modulus_estimates(greedy_model(), sequences, layer=1)
    numbers = sequences.numbers[:, :12]
    with pytest.raises(ValueError, match="start=12"):
        size_rank_correlation(looking_at(numbers, numbers + 1.0), numbers, start=12)
