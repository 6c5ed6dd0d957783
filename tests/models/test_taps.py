"""What is recorded is what passed; what is edited has an effect; silence is an error."""

import pytest
import torch
from torch.testing import assert_close

from rounding import OPERATION, assert_agree
from unrandom.core.errors import UserError
from unrandom.models import Transformer, TransformerConfig, intervene, record
from unrandom.models.taps import tap_names

CONFIG = TransformerConfig(depth=2, n_heads=2, d_model=8, vocab_size=11, context=6)


@pytest.fixture
def model():
    return Transformer(CONFIG).eval()


@pytest.fixture
def tokens():
    return torch.randint(11, (3, 6), generator=torch.Generator().manual_seed(0))


def test_the_names_are_the_vocabulary_of_the_field(model):
    names = set(tap_names(model))
    block = ("hook_resid_pre", "hook_resid_mid", "hook_resid_post", "hook_attn_out", "hook_mlp_out", "mlp.hook_pre",
             "mlp.hook_post", "ln1.hook_normalized", "ln2.hook_normalized", "attn.hook_q", "attn.hook_k", "attn.hook_v",
             "attn.hook_attn_scores", "attn.hook_pattern", "attn.hook_z")  # fmt: skip
    expected = {"hook_embed", "hook_pos_embed", "ln_final.hook_normalized"}
    assert names == expected | {f"blocks.{layer}.{name}" for layer in range(2) for name in block}


def test_a_model_says_which_taps_it_has(model):
    assert all(model.has_tap(name) for name in tap_names(model))
    assert not model.has_tap("blocks.7.hook_resid_pre")
    assert not model.has_tap("blocks.0.attn")  # a module, but no tap
    assert model.has_tap("hook_pos_embed")
    assert not Transformer(CONFIG.replace(positions="rotary")).has_tap("hook_pos_embed")


def test_shapes_are_those_of_the_field(model, tokens):
    names = tap_names(model)
    with record(model, names) as seen:
        model(tokens)
    assert set(seen) == set(names)
    assert seen["blocks.1.attn.hook_q"].shape == (3, 6, 2, 4)
    assert seen["blocks.1.attn.hook_z"].shape == (3, 6, 2, 4)
    assert seen["blocks.1.attn.hook_pattern"].shape == (3, 2, 6, 6)
    assert seen["blocks.1.mlp.hook_post"].shape == (3, 6, 32)
    assert seen["hook_pos_embed"].shape == (6, 8)


def test_recorded_values_are_those_of_the_pass(model, tokens):
    with (
        torch.no_grad(),
        record(model, ["hook_embed", "blocks.0.attn.hook_pattern", "ln_final.hook_normalized"]) as seen,
    ):
        logits = model(tokens)
    assert_close(seen["hook_embed"], model.embed(tokens))
    assert_close(seen["blocks.0.attn.hook_pattern"].sum(-1), torch.ones(3, 2, 6))
    assert seen["blocks.0.attn.hook_pattern"].triu(1).max() == 0
    assert_agree(seen["ln_final.hook_normalized"] @ model.unembed.weight.T, logits, OPERATION)


def test_an_edit_reaches_the_output_and_ends_with_the_block(model, tokens):
    before = model(tokens)
    with intervene(model, {"blocks.1.mlp.hook_post": torch.zeros_like}):
        assert not torch.allclose(model(tokens), before)
    assert torch.equal(model(tokens), before)
    with intervene(model, {"blocks.1.mlp.hook_post": lambda value: value}):
        assert torch.equal(model(tokens), before)


@pytest.mark.parametrize("path", ["fused", "blockwise"])
def test_a_tap_that_never_ran_is_an_error(model, tokens, path):
    model.use_attention(path)
    with (
        pytest.raises(RuntimeError, match=r"never ran: blocks\.0\.attn\.hook_pattern"),
        record(model, ["blocks.0.attn.hook_pattern"]),
    ):
        model(tokens)
    with pytest.raises(RuntimeError, match="never ran"), intervene(model, {"hook_embed": lambda value: value}):
        pass


def test_a_compiled_model_is_refused(model):
    compiled = torch.compile(model, backend="eager")
    with pytest.raises(UserError, match="compiled model"), record(compiled, ["hook_embed"]):
        pass


def test_an_unknown_tap_is_named(model):
    with (
        pytest.raises(UserError, match=r"no such tap: blocks\.7\.hook_resid_pre"),
        record(model, ["blocks.7.hook_resid_pre"]),
    ):
        pass


def test_an_error_inside_the_block_is_not_hidden_and_hooks_are_removed(model, tokens):
    with pytest.raises(ZeroDivisionError), intervene(model, {"hook_embed": torch.zeros_like}):
        raise ZeroDivisionError
    assert not model.hook_embed._forward_hooks


def test_short_names_are_those_of_transformer_lens(model, tokens):
    logits, cache = model.run_with_cache(tokens)
    assert torch.equal(logits, model(tokens))
    assert cache["pattern", 1] is cache["blocks.1.attn.hook_pattern"]
    assert cache["embed"] is cache["hook_embed"]
    assert cache["normalized", 0, "ln2"] is cache["blocks.0.ln2.hook_normalized"]
    assert set(model.run_with_cache(tokens, ("z", 0))[1]) == {"blocks.0.attn.hook_z"}
    assert set(model.run_with_cache(tokens, ["blocks.*.hook_resid_mid", "embed"])[1]) == {
        "blocks.0.hook_resid_mid", "blocks.1.hook_resid_mid", "hook_embed"}  # fmt: skip


def test_a_function_chooses_taps_and_layers_are_those_of_the_model(model, tokens):
    _, cache = model.run_with_cache(tokens, lambda name: name.startswith("blocks.0.") and name.endswith("_z"))
    assert list(cache) == ["blocks.0.attn.hook_z"]
    assert cache.get(("z", 0)) is cache["z", 0]
    assert (("z", 0) in cache, ("z", -1) in cache, cache.get(("z", -1)), 3 in cache) == (True, False, None, False)
    with pytest.raises(KeyError, match=r"blocks\.1\.attn\.hook_z was not recorded"):
        cache["z", -1]


def test_tokens_of_one_axis_are_a_mistake(model, tokens):
    said = r"tokens must be a tensor \[batch, pos\]|Type-check error"  # the slow tier checks types
    with pytest.raises((UserError, TypeError), match=said):
        model(tokens[0])


def test_an_edit_that_is_no_function_is_a_mistake(model, tokens):
    said = "an edit must be a function of an activation, not 3|Type-check error"  # the slow tier checks types
    with pytest.raises((UserError, TypeError), match=said):
        model.run_with_hooks(tokens, [("embed", 3)])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (("patern", 0), "near misses: pattern"),
        ("blocks.0.hook_pattern", r"near misses: blocks\.0\.attn\.hook_pattern"),
        (("normalized", 0), r"it may be blocks\.0\.ln1\.hook_normalized, blocks\.0\.ln2"),
    ],
)
def test_a_mistyped_tap_is_answered_with_near_misses(model, tokens, name, said):
    with pytest.raises(UserError, match=said), record(model, [name]):
        pass
    with pytest.raises(KeyError, match=said):
        model.run_with_cache(tokens)[1][name]


def test_edits_may_take_the_hook_and_follow_each_other(model, tokens):
    seen = []

    def doubled(value, hook):
        seen.append((hook.name, hook.layer()))
        return 2 * value

    edited = model.run_with_hooks(
        tokens, [(("mlp_out", 1), doubled), ("blocks.1.hook_mlp_out", lambda value: value / 2)]
    )
    assert_close(edited, model(tokens))
    assert seen == [("blocks.1.hook_mlp_out", 1)]
    with pytest.raises(UserError, match="hook_embed is in no block"):
        model.run_with_hooks(tokens, [("embed", lambda value, hook: value * hook.layer())])


def test_products_of_weights_are_what_heads_compute(model, tokens):
    _, cache = model.run_with_cache(tokens)
    x = cache["normalized", 0, "ln1"]
    scores = torch.einsum("bqm,hmn,bkn->bhqk", x, model.QK[0], x) / CONFIG.d_head**0.5
    causal = torch.ones(6, 6).tril().bool()
    assert_agree(scores[..., causal], cache["attn_scores", 0][..., causal], OPERATION)
    written = torch.einsum("bhqk,bkm,hmn->bqn", cache["pattern", 0], x, model.OV[0])
    assert_agree(written, cache["attn_out", 0], OPERATION)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda z: z[:, :1], r"one of shape \[3, 1, 2, 4\]"),
        (lambda _z: 5, "5"),
        (lambda z: z[..., :3], r"\[3, 6, 2, 3\]"),
    ],
)
def test_an_edit_of_another_shape_is_refused_and_not_broadcast(model, tokens, edit, said):
    with pytest.raises(
        UserError, match=rf"blocks\.0\.attn\.hook_z must return a tensor of shape \[3, 6, 2, 4\].*{said}"
    ):
        model.run_with_hooks(tokens, [(("z", 0), edit)])
    assert torch.equal(model.run_with_hooks(tokens, [(("z", 0), lambda _z: None)]), model(tokens))


def test_layers_count_from_the_end_and_lists_are_no_tokens(model, tokens):
    _, cache = model.run_with_cache(tokens, names_filter=[("z", -1)])
    assert set(cache) == {"blocks.1.attn.hook_z"}
    assert cache["z", -1] is cache["z", 1]
    assert repr(cache) == f"{'blocks.1.attn.hook_z':32} [3, 6, 2, 4]"
    with pytest.raises(UserError, match="layers are 0 to 1"), record(model, ("pattern", 9)):
        pass
    with pytest.raises((UserError, TypeError), match=r"as run\.tokens|Type-check error"):  # the slow tier checks types
        model.run_with_cache([[1, 2]])
