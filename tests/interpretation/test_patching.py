"""A patch moves predictions below m_patch if the head carries them, and only then."""

import json

import numpy as np
import pytest
import torch
from copying import CONTEXT, M, copying_model

from unrandom.core.errors import UserError
from unrandom.interpretation import overwrite, patch_all, patch_parameters
from unrandom.models import Transformer, TransformerConfig
from unrandom.models.predictor import TransformerPredictor
from unrandom.tasks import Examples, LCGParameters
from unrandom.tokenization import Tokenizer


@pytest.fixture
def copying():
    return TransformerPredictor(copying_model(), Tokenizer(M))


@pytest.fixture(scope="module")
def parameters():
    """Full period: a = 1 or 5, c odd, every seed."""
    a, c, x0 = (axis.ravel() for axis in np.meshgrid([1, 5], [1, 3, 5, 7], np.arange(M), indexing="ij"))
    return LCGParameters(M, *(v.astype(np.uint64) for v in (a, c, x0)))


def sequences(parameters: LCGParameters) -> Examples:
    return Examples.of(parameters, CONTEXT + 1)


def test_parameters_are_reduced_and_so_are_the_numbers_if_m_patch_divides_m(parameters):
    reduced = patch_parameters(parameters, 4)
    assert reduced.m == 4
    assert max(reduced.a.max(), reduced.c.max(), reduced.x0.max()) < 4
    np.testing.assert_array_equal(reduced.numbers(12), parameters.numbers(12) % np.uint64(4))
    same = patch_parameters(parameters, 100)
    np.testing.assert_array_equal(same.a, parameters.a)


def test_a_patch_of_the_same_sequences_changes_nothing(parameters):
    model = Transformer(TransformerConfig(depth=2, n_heads=2, d_model=16, vocab_size=M, context=CONTEXT), seed=0)
    found = patch_all(TransformerPredictor(model, Tokenizer(M)), sequences(parameters), sequences(parameters), limit=4)
    assert [(part.layer, part.head) for part in found] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for part in found:
        assert not part.effects.any()
        np.testing.assert_array_equal(part.right_before, part.right_after)


def test_the_head_that_carries_the_numbers_carries_the_modulus(copying, parameters):
    carrier, idle = patch_all(copying, sequences(parameters), sequences(patch_parameters(parameters, 4)), start=7)
    assert carrier.limit == 4
    # the predictions from t = 8 on are copies of number t - 8, now modulo 4
    assert set(carrier.below_after) == {1}
    assert carrier.below_before.mean() == pytest.approx(0.5)
    assert carrier.effect == pytest.approx(0.5)
    assert set(carrier.right_before) == {1}
    assert carrier.right_after.mean() == pytest.approx(0.5)
    assert idle.effect == 0
    assert set(idle.right_after) == {1}


def test_rows_meet_their_own_patches_however_the_batch_is_cut(copying, parameters):
    whole = patch_all(copying, sequences(parameters), sequences(patch_parameters(parameters, 4)))
    copying.chunk = 5
    parts = patch_all(copying, sequences(parameters), sequences(patch_parameters(parameters, 4)))
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.effects, other.effects)
        np.testing.assert_array_equal(one.right_after, other.right_after)


def test_the_table_is_json(copying, parameters):
    tree = [part.to_json() for part in patch_all(copying, sequences(parameters), sequences(parameters))]
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree


def test_what_cannot_be_patched_is_named(copying, parameters):
    whole = sequences(parameters)
    with pytest.raises(UserError, match="the same"):
        patch_all(copying, whole, Examples.of(parameters, 5))
    with pytest.raises(UserError, match="m_patch=1"):
        patch_parameters(parameters, 1)
    with pytest.raises(UserError, match="bf16"):
        patch_all(TransformerPredictor(copying.model, Tokenizer(M), precision="bf16"), whole, whole)
    with pytest.raises(ValueError, match="start=12"):
        patch_all(copying, whole, whole, start=12)


def test_vectors_of_one_head_are_overwritten_at_the_given_positions_alone():
    here, other = torch.zeros(2, 5, 3, 4), torch.ones(2, 5, 3, 4)
    edited = overwrite(1, other, [0, 3])(here)
    assert (edited[:, [0, 3], 1] == 1).all()
    assert edited.sum() == 2 * 2 * 4
    assert here.sum() == 0
    assert overwrite(2, other)(here)[:, :, 2].sum() == 2 * 5 * 4
