"""A grown model has the logits of the small one; incompatible models are refused."""

import pytest
import torch

from rounding import assert_agree
from unrandom.core.errors import UserError
from unrandom.models import Transformer, TransformerConfig, grow, incompatibility

SMALL = TransformerConfig(
    depth=2, n_heads=2, d_model=16, positions="abacus", vocab_size=4, context=11, digits=2, activation="gelu"
)


def resized(**changes):
    return SMALL.replace(**changes)


@pytest.mark.parametrize("positions", ["abacus", "learned", "rotary"])
@pytest.mark.parametrize(
    ("tied", "kv_shift", "bias", "number_rotation"),
    [(True, False, False, False), (False, False, True, True), (True, True, False, False)],
)
def test_logits_are_unchanged_when_vocabulary_and_context_grow(positions, tied, kv_shift, bias, number_rotation):
    shape = resized(positions=positions, tied=tied, kv_shift=kv_shift, bias=bias, number_rotation=number_rotation)
    small, large = Transformer(shape, seed=1), Transformer(shape.replace(vocab_size=9, context=21))
    for parameter in small.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    tokens = torch.randint(4, (3, 11))
    assert not torch.allclose(small(tokens), large(tokens)[..., :4])
    grow(small, large)
    assert_agree(large(tokens)[..., :4], small(tokens))


@pytest.mark.parametrize("positions", ["abacus", "learned", "rotary"])
def test_logits_are_unchanged_when_the_context_shrinks(positions):
    shape = resized(positions=positions)
    long, short = Transformer(shape, seed=1), Transformer(shape.replace(context=7))
    for parameter in long.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    grow(long, short)
    tokens = torch.randint(4, (3, 7))
    assert_agree(short(tokens), long(tokens))


def test_more_digits_per_number_copy_the_tables_and_keep_new_rows():
    small, large = Transformer(SMALL, seed=1), Transformer(resized(digits=3, context=32), seed=2)
    fresh = large.pos_embed.W_digit[2].clone()
    grow(small, large)
    assert torch.equal(large.pos_embed.W_digit[:2], small.pos_embed.W_digit)
    assert torch.equal(large.pos_embed.W_digit[2], fresh)
    assert torch.equal(large.pos_embed.W_int[:6], small.pos_embed.W_int)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"depth": 3}, "model.depth is 3, and it was 2"),
        ({"positions": "learned"}, "model.positions is learned"),
        ({"kv_shift": True}, "model.kv_shift is True, and it was False"),
        ({"bias": True}, "model.bias is True, and it was False"),
        ({"vocab_size": 3}, "vocab size shrinks from 4 to 3"),
        ({"digits": 1}, "digits shrinks from 2 to 1"),
    ],
)
def test_incompatible_models_are_refused_with_a_reason(changes, said):
    assert said in incompatibility(SMALL, resized(**changes))
    with pytest.raises(UserError, match=said):
        grow(Transformer(SMALL), Transformer(resized(**changes)))
