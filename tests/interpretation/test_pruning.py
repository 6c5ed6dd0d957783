"""Pruning inserts the named constant, and the digits that are lost show which head serves which prime."""

import json

import numpy as np
import pytest
import torch
from counting import counting_model, counting_sequences

from rounding import OPERATION, assert_agree
from unrandom.core.errors import UserError
from unrandom.evaluation import evaluate
from unrandom.interpretation import digit_damage, head_outputs, mean_head_values, prune_heads
from unrandom.interpretation.heads import head_values
from unrandom.interpretation.pruning import replace_head
from unrandom.models import Transformer, TransformerConfig, intervene, record
from unrandom.models.predictor import TransformerPredictor
from unrandom.tasks import Examples, LCGParameters
from unrandom.tokenization import Tokenizer

REPLACEMENTS = ["zero", "position-mean", "scalar-mean"]


@pytest.fixture(scope="module")
def model():
    config = TransformerConfig(depth=2, n_heads=2, d_model=16, vocab_size=32, context=10, tied=False)
    model = Transformer(config, seed=5).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter *= 5  # far from linear
    return model


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(0).integers(32, size=(40, 11), dtype=np.uint64)


@pytest.fixture(scope="module")
def counting():
    return TransformerPredictor(counting_model(), Tokenizer(6))


def written_with(model, numbers, edits, tap="blocks.1.hook_attn_out") -> np.ndarray:
    with torch.no_grad(), intervene(model, edits), record(model, [tap]) as seen:
        model(torch.from_numpy(numbers[:, :10].astype(np.int64)))
    return seen[tap].numpy()


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_the_output_is_replaced_by_the_constant_and_the_other_head_stays(model, numbers, replacement):
    outputs = [head_outputs(model, numbers, 1, head) for head in range(2)]
    constant = {
        "zero": np.zeros(16),
        "position-mean": outputs[1].mean(axis=0),
        "scalar-mean": np.full(16, outputs[1].mean()),
    }[replacement]
    edits = replace_head(model, 1, 1, replacement, head_values(model, numbers, 1).mean(axis=0)[:, 1])
    # the tap after the addition to the residual stream, where all edits have been applied
    before, after = (written_with(model, numbers, edit, "blocks.1.hook_resid_mid") for edit in ({}, edits))
    assert_agree(after, before - outputs[1] + constant, OPERATION)
    assert np.abs(after - before).max() > 1e-3


def test_zero_is_the_same_as_no_columns(model, numbers):
    sequences = Examples.of(LCGParameters(32, *(numbers[:, i] for i in range(3))), 11)
    predictor = TransformerPredictor(model, Tokenizer(32))
    pruned = prune_heads(predictor, sequences, mean_head_values(predictor.model, numbers), "zero")
    assert [(part.layer, part.head) for part in pruned] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for part in pruned:
        other = Transformer(model.config)
        other.load_state_dict(model.state_dict())
        with torch.no_grad():
            other.blocks[part.layer].attn.W_O.weight[:, 8 * part.head : 8 * part.head + 8] = 0
        expected = evaluate(TransformerPredictor(other, Tokenizer(32)), sequences)
        np.testing.assert_array_equal(part.evaluation.guesses, expected.guesses)
    assert len({part.evaluation.guesses.tobytes() for part in pruned}) > 1


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_the_digits_of_a_heads_prime_are_lost_and_no_others(counting, replacement):
    sequences = counting_sequences()
    whole = evaluate(counting, sequences)
    found = digit_damage(
        whole, prune_heads(counting, sequences, mean_head_values(counting.model, sequences.numbers), replacement)
    )
    assert whole.number_accuracy.value == 1
    assert found.heads == [(0, 0), (0, 1), (0, 2)]
    assert [str(digit) for digit in found.digits] == ["2^0", "3^0"]
    np.testing.assert_allclose(found.relative, [[0, 1], [1, 0], [0, 0]], atol=1e-12)


def test_means_do_not_depend_on_how_the_reference_is_cut(model, numbers, monkeypatch):
    sequences = Examples.of(LCGParameters(32, *(numbers[:, i] for i in range(3))), 11)
    predictor = TransformerPredictor(model, Tokenizer(32))
    whole = prune_heads(predictor, sequences, mean_head_values(predictor.model, numbers, [0]), "scalar-mean")
    monkeypatch.setattr("unrandom.interpretation.pruning.SEQUENCES_AT_ONCE", 7)
    for one, other in zip(
        whole,
        prune_heads(predictor, sequences, mean_head_values(predictor.model, numbers, [0]), "scalar-mean"),
        strict=True,
    ):
        np.testing.assert_array_equal(one.evaluation.guesses, other.evaluation.guesses)


def test_damage_is_relative_to_what_there_is_to_lose(counting):
    sequences = counting_sequences()
    whole = evaluate(counting, sequences)
    found = digit_damage(
        whole, prune_heads(counting, sequences, mean_head_values(counting.model, sequences.numbers), "zero"), start=6
    )
    assert found.start == 6
    found.before[:] = [0.54, 0.5]
    found.after[:] = [[0, 0.5], [0, 0.4], [0, 0]]
    assert np.isnan(found.relative[:, 0]).all()
    np.testing.assert_allclose(found.relative[:, 1], [0, 0.6, 1])
    tree = found.to_json()
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert tree["relative"][0][0] is None


def test_the_entries_are_json(counting):
    sequences = counting_sequences()
    tree = [
        part.to_json()
        for part in prune_heads(counting, sequences, mean_head_values(counting.model, sequences.numbers), "scalar-mean")
    ]
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree


def test_what_cannot_be_pruned_is_named(counting):
    sequences = counting_sequences()
    whole = evaluate(counting, sequences)
    with pytest.raises(UserError, match="3 positions; the sequences have 8"):
        prune_heads(counting, sequences, mean_head_values(counting.model, sequences.numbers[:, :3]), "position-mean")
    with pytest.raises(UserError, match="no such tap"):
        mean_head_values(counting.model, sequences.numbers, [1])
    with pytest.raises(UserError, match="head 3"):
        replace_head(counting.model, 0, 3, "zero", np.zeros((8, 12)))
    with pytest.raises(UserError, match="bf16"):
        prune_heads(TransformerPredictor(counting.model, Tokenizer(6), precision="bf16"), sequences, {}, "zero")
    with pytest.raises(ValueError, match="at least one"):
        mean_head_values(counting.model, sequences.numbers[:0])
    with pytest.raises(ValueError, match="start=8"):
        digit_damage(whole, [], start=8)
