"""The residual stream is the sum of its parts; what a probe, the lens or a patch finds there, the model can use."""

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from rounding import OPERATION, assert_agree
from unrandom.core.errors import UserError
from unrandom.interpretation import (
    direct_logit_attribution,
    logit_lens,
    patch_heads,
    patch_positions,
    probe_stream,
    stream_taps,
)
from unrandom.models import Transformer, TransformerConfig

SHAPES = ({}, {"positions": "rotary"}, {"bias": True}, {"positions": "abacus", "digits": 2}, {"kv_shift": True})


def a_model(**shape):
    model = Transformer(
        TransformerConfig(**{"depth": 2, "n_heads": 2, "d_model": 8, "vocab_size": 11, "context": 6, **shape})
    )
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():  # gains and biases, too, so that none can be forgotten
        parameter.data.copy_(torch.randn(parameter.shape, generator=generator) * 0.5)
    return model.eval()


@pytest.fixture
def tokens():
    return torch.randint(11, (3, 6), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_parts_of_a_logit_add_up(shape, tokens):
    model, answers = a_model(**shape), torch.tensor([1, 5, 9])
    added = direct_logit_attribution(model, tokens, answers, position=3)
    logits = model(tokens)[:, 3].detach()
    assert_agree(sum(added.values()), logits[range(3), answers] - logits.mean(-1), OPERATION)
    assert {"L0H0", "L1H1", "L1MLP", "embed"} < set(added)
    assert ("pos_embed" in added) == (model.pos_embed is not None)


def test_the_last_reading_of_the_lens_is_the_model(tokens):
    model = a_model()
    lens = logit_lens(model, tokens)
    assert list(lens) == stream_taps(model)
    assert_close(lens["blocks.1.hook_resid_post"], model(tokens)[:, -1].detach())
    assert not torch.allclose(lens["blocks.1.hook_resid_mid"], lens["blocks.1.hook_resid_post"])


def test_a_patch_of_everything_before_gives_the_other_answer_and_one_of_the_same_input_none(tokens):
    model, other = a_model(), (tokens + 1) % 11

    def last(logits):
        return logits[:, -1, 0].mean()

    before, after = (float(last(model(each).detach())) for each in (tokens, other))
    assert patch_heads(model, tokens, tokens, last).flatten().tolist() == pytest.approx([before] * 4)
    moved = patch_positions(model, tokens, other, last, tap="resid_post")
    assert moved.shape == (2, 6)
    assert float(moved[1, -1]) == pytest.approx(after, rel=1e-5)  # the end of the stream at the last position decides
    assert moved[1, :-1].tolist() == pytest.approx([before] * 5)
    assert patch_heads(model, tokens, other, last, tap="v").shape == (2, 2)
    with pytest.raises(UserError, match="q, k, v or z, not 'zz'"):
        patch_heads(model, tokens, other, last, tap="zz")


def test_probes_read_what_the_stream_holds():
    model, rng = a_model(d_model=16), np.random.default_rng(0)
    tokens = torch.from_numpy(rng.integers(0, 11, (600, 3)))
    last, noise = tokens[:, -1].numpy(), rng.integers(0, 2, 600)
    found = probe_stream(model, tokens, np.stack([last, noise], axis=1))
    assert list(found) == stream_taps(model)
    assert found["blocks.0.hook_resid_pre"][0] == 1
    assert all(chance == pytest.approx(0.5, abs=0.12) for _, chance in found.values())
    renamed = probe_stream(model, tokens, np.stack([-5 * last, noise], axis=1))
    assert all(renamed[tap].tolist() == accuracy.tolist() for tap, accuracy in found.items())


def test_a_probe_of_other_groups_does_not_know_them_by_heart():
    model, rng = a_model(d_model=16), np.random.default_rng(0)
    tokens = torch.from_numpy(rng.integers(0, 11, (600, 3)))
    last = tokens[:, -1].numpy()
    told = probe_stream(model, tokens, last[:, None], groups=last)
    assert told["blocks.0.hook_resid_pre"][0] == 0  # none of the classes that are tested was fitted


def test_what_does_not_fit_is_one_line(tokens):
    model = a_model()
    checked = "Type-check error"  # in the slow tier, which checks types
    with pytest.raises((UserError, TypeError), match=f"3 answers are needed, one per sequence|{checked}"):
        direct_logit_attribution(model, tokens, torch.tensor([1]))
    with pytest.raises(UserError, match="from 0 to 10"):
        direct_logit_attribution(model, tokens, torch.tensor([1, 2, 11]))
    with pytest.raises(UserError, match="position must be from -6 to 5, but 6 was given"):
        logit_lens(model, tokens, position=6)
    for classes in (np.zeros((2, 1), int), np.zeros((3, 1))):
        with pytest.raises((UserError, TypeError), match=f"whole numbers .rows, questions. for 3 rows|{checked}"):
            probe_stream(model, tokens, classes)
    with pytest.raises(UserError, match="groups must be one label per row, of two groups or more"):
        probe_stream(model, tokens, np.zeros((3, 1), int), groups=np.zeros(3, int))
    with pytest.raises(UserError, match="such as resid_pre, not 'pattern'"):
        patch_positions(model, tokens, tokens, lambda logits: logits[0, 0, 0], tap="pattern")
    with pytest.raises((UserError, TypeError), match=f"must return one number|{checked}"):
        patch_heads(model, tokens, tokens, lambda logits: logits)
    with pytest.raises((UserError, TypeError), match=rf"have \[3, 6\] and \[3, 5\]|{checked}"):
        patch_positions(model, tokens, tokens[:, :5], lambda logits: logits[0, 0, 0])
