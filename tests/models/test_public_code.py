"""A model of the paper's public code has the same logits here; what is none is refused with what to set."""

import pytest
import torch

from public_code import digits_model, numbers_model
from rounding import assert_agree
from unrandom.core.errors import UserError
from unrandom.models import TransformerConfig
from unrandom.models.formats import from_huggingface, to_huggingface
from unrandom.models.formats.public_code import from_public_code, settings_of, without_prefixes

CONFIGS = {
    "digits": TransformerConfig(
        depth=2, n_heads=3, d_model=12, positions="abacus", bias=True, vocab_size=8, context=23, digits=2
    ),
    "numbers": TransformerConfig(depth=1, n_heads=2, d_model=12, activation="relu", vocab_size=32, context=11),
}
MODELS = {"digits": digits_model, "numbers": numbers_model}


@pytest.fixture(params=MODELS)
def pair(request):
    return MODELS[request.param](), CONFIGS[request.param]


def tokens(config):
    return torch.randint(config.vocab_size, (3, config.context), generator=torch.Generator().manual_seed(1))


@torch.no_grad()
def test_logits_are_those_of_the_public_code(pair):
    reference, config = pair
    x, model = tokens(config), from_public_code(config, reference.tensors())
    expected = reference(x)
    assert_agree(model(x), expected)
    assert_agree(model.use_attention("fused")(x[:, :7]), expected[:, :7])
    assert_agree(from_huggingface(*to_huggingface(model.use_attention("explicit")))(x), expected)


def test_what_the_tensors_tell_are_the_model_s_settings(pair):
    reference, config = pair
    told = settings_of(reference.tensors())
    assert told == {name: getattr(config, name) for name in told}
    assert set(told) == {"depth", "d_model", "positions", "tied", "bias"}


def test_numbers_of_other_formats_are_read(pair):
    reference, config = pair
    half = {name: tensor.bfloat16() for name, tensor in reference.tensors().items()}
    assert torch.equal(from_public_code(config, half).W_E, half["transformer.wte.weight"].float())


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module."])
def test_what_training_put_before_the_names_is_left_out(prefix):
    tensors = digits_model().tensors()
    found = without_prefixes({f"{prefix}{name}": tensor for name, tensor in tensors.items()})
    assert list(found) == list(tensors)
    with pytest.raises(UserError, match=r"'transformer\.wte\.weight' is there twice, with and without a prefix"):
        without_prefixes({**tensors, f"{prefix}transformer.wte.weight": torch.zeros(1)})


@torch.no_grad()
def test_the_unembedding_is_tied_if_it_is_missing_or_equal_and_its_own_if_it_is_another(pair):
    reference, config = pair
    tensors, x = reference.tensors(), tokens(config)
    head = tensors["transformer.wte.weight"].clone()
    assert settings_of({**tensors, "lm_head.weight": head})["tied"]
    assert_agree(from_public_code(config, {**tensors, "lm_head.weight": head})(x), reference(x))
    other = {**tensors, "lm_head.weight": head + 1}
    assert not settings_of(other)["tied"]
    model = from_public_code(config.replace(tied=False), other)
    assert torch.equal(model.W_U, (head + 1).mT)


def without(name):
    return lambda tensors: {key: tensor for key, tensor in tensors.items() if key != name}


WTE, WPE, DIGIT = "transformer.wte.weight", "transformer.wpe.weight", "transformer.abacus.weight"
MISTAKES = {
    "tokens": ({"vocab_size": 16}, dict, rf"{WTE} has 8 rows, .* 16 tokens: set data.base, or data.modulus"),
    "digits": ({"digits": 3}, dict, rf"{DIGIT} has 2 rows, .* 3 digits per number: set data.modulus or data.digits"),
    "context": ({"context": 29}, dict, rf"{WPE} has 12 rows, but data.context=14 needs 15: set data.context=11"),
    "learned": ({"positions": "learned"}, dict, "the tensors have model.positions=abacus, but learned was given"),
    "no digits": (
        {"positions": "learned"},
        without(DIGIT),
        rf"{WPE} has 12 rows, but data.context=11 needs 23: no data.context fits 2 digits per number",
    ),
    "shift": ({"kv_shift": True}, dict, "the paper's public code cannot express model.kv_shift=true"),
    "rotary": ({"positions": "rotary"}, dict, "cannot express model.positions=rotary, .*; leave it out"),
    "no positions": ({}, without(WPE), f"'{WPE}' is missing"),
    "a vector": ({}, lambda t: {**t, WTE: torch.zeros(8)}, rf"{WTE} has shape \(8,\), but two axes are needed"),
    "a number": ({}, lambda t: {**t, WPE: torch.tensor(1.0)}, rf"{WPE} has shape \(\), but two axes are needed"),
    "no bias": ({}, without("transformer.ln_f.bias"), "'transformer.ln_f.bias' is missing"),
    "bias": ({"bias": False}, dict, "the tensors have model.bias=true, but false was given"),
    "depth": ({"depth": 2**31}, dict, "the tensors have model.depth=2, but 2147483648 was given"),
    "no block": ({}, without("transformer.h.1.ln_1.weight"), "'transformer.h.1.ln_1.weight' is missing"),
    "unknown": ({}, lambda t: {**t, "x": torch.zeros(1)}, "'x' is no tensor of this model"),
    "shape": (
        {},
        lambda t: {**t, "transformer.h.0.attn.c_attn.weight": torch.zeros(12, 36)},
        r"transformer.h.0.attn.c_attn.weight has shape \(12, 36\), but this model needs \(36, 12\)",
    ),
    "integers": ({}, lambda t: {**t, "transformer.ln_f.weight": torch.ones(12).long()}, "has whole numbers"),
    "infinite": ({}, lambda t: {**t, WPE: t[WPE] / 0}, "not finite"),
    "larger": (
        {"d_model": 3 * 2**20},
        lambda t: {**t, WTE: torch.zeros(8, 3 * 2**20)},
        "the configuration describes a model of .* parameters, but .* numbers are stored",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_does_not_fit_is_one_line_that_says_what_to_set(mistake):
    changes, change, said = MISTAKES[mistake]
    with pytest.raises(UserError, match=said) as raised:
        from_public_code(CONFIGS["digits"].replace(**changes), change(digits_model().tensors()))
    assert "\n" not in str(raised.value)


def test_another_model_is_none_of_the_public_code():
    with pytest.raises(UserError, match=rf"not a model of the paper's public code: it has no tensor {WTE}"):
        settings_of({"embed.weight": torch.zeros(3, 4)})
    with pytest.raises(UserError, match="two axes are needed"):
        settings_of({WTE: torch.zeros(3)})


def test_heads_that_were_assumed_wrongly_cannot_be_seen_in_the_tensors():
    reference, config = numbers_model(), CONFIGS["numbers"].replace(n_heads=3)
    x = tokens(config)
    with torch.no_grad():
        assert not torch.allclose(from_public_code(config, reference.tensors())(x), reference(x))
