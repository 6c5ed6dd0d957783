"""The model is causal, has the counted parameters and operations, and agrees on all attention paths."""

import itertools
from copy import deepcopy

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from rounding import OPERATION, assert_agree
from unrandom.core.errors import UserError
from unrandom.models import (
    Transformer,
    TransformerConfig,
    blockwise,
    forward_flops,
    intervene,
    parameter_count,
    record,
    training_flops,
)
from unrandom.models.numerics import difference

CONFIGS = [
    TransformerConfig(
        depth=depth,
        n_heads=heads,
        d_model=24,
        positions=positions,
        digits=digits,
        tied=tied,
        activation=activation,
        kv_shift=kv_shift,
        bias=bias,
        number_rotation=rotation,
        vocab_size=17,
        context=20,
    )
    for (depth, heads), (positions, digits), tied, activation, kv_shift, bias, rotation in [
        ((1, 1), ("learned", 1), True, "relu", False, False, False),
        ((2, 3), ("abacus", 3), True, "gelu", False, False, False),
        ((3, 2), ("rotary", 1), False, "gelu", True, False, False),
        ((1, 4), ("abacus", 1), False, "relu", False, False, False),
        ((2, 3), ("abacus", 3), True, "gelu", True, False, True),
        ((2, 3), ("abacus", 3), True, "gelu", False, True, False),
        ((3, 2), ("rotary", 1), False, "relu", True, True, False),
    ]
]


def name_of(c: TransformerConfig) -> str:
    parts = "-shift" * c.kv_shift + "-bias" * c.bias + "-rotation" * c.number_rotation
    return f"depth{c.depth}-heads{c.n_heads}-{c.positions}{parts}"


@pytest.fixture(params=CONFIGS, ids=name_of)
def model(request):
    return spread_out(Transformer(request.param))


def spread_out(model: Transformer) -> Transformer:
    """Weights ten times as large, so that attention is far from uniform and errors are visible; and biases."""
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 2:
                parameter.mul_(10)
            elif name.endswith(".bias"):
                parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def tokens(model, batch=3, length=None):
    shape = (batch, length or model.config.context)
    return torch.randint(model.config.vocab_size, shape, generator=torch.Generator().manual_seed(1))


@pytest.fixture(params=["fused", "blockwise"])
def path(request, monkeypatch):
    monkeypatch.setattr(blockwise, "QUERIES", 8)  # three blocks, the last one shorter
    return request.param


def test_attention_equals_explicit_attention(model, path):
    x = tokens(model)
    assert_agree(model.use_attention(path)(x), model.use_attention("explicit")(x))


def test_gradients_agree_too(model, path):
    x = tokens(model)
    gradients = []
    for each in (path, "explicit"):
        model.use_attention(each)(x).square().mean().backward()
        gradients.append([parameter.grad.clone() for parameter in model.parameters()])
        model.zero_grad()
    for found, explicit in zip(*gradients, strict=True):
        assert_agree(found, explicit)


def test_gradients_in_bf16_are_as_exact_as_those_of_explicit_attention(model, path):
    def gradients(model):
        model(tokens(model)).square().mean().backward()
        return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])

    exact = gradients(deepcopy(model).double())
    errors = {}
    for each in (path, "explicit"):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            errors[each] = difference(gradients(deepcopy(model).use_attention(each)), exact)
    assert errors[path] < 2 * errors["explicit"] < 0.5


def test_no_output_depends_on_a_later_token(model):
    x = tokens(model)
    changed = x.clone()
    changed[:, 11:] = (changed[:, 11:] + 1) % model.config.vocab_size
    assert torch.equal(model(x)[:, :11], model(changed)[:, :11])
    assert not torch.allclose(model(x)[:, 11:], model(changed)[:, 11:])


def test_a_shorter_sequence_has_the_same_outputs(model):
    x = tokens(model)
    assert_agree(model(x)[:, :7], model(x[:, :7]))


def test_the_parameter_count_is_the_model_s(model):
    assert parameter_count(model.config) == sum(parameter.numel() for parameter in model.parameters())


def test_the_flop_count_is_a_counter_s(model):
    x = tokens(model, batch=2)
    with FlopCounterMode(display=False) as counter:
        model.use_attention("explicit")(x)
    counted = forward_flops(model.config, sequences=2, tokens=20, causal=False)
    assert counter.get_total_flops() == counted
    assert training_flops(model.config, sequences=2, tokens=20) < 3 * counted


def test_flops_of_the_paper_s_fixed_modulus_run():
    config = TransformerConfig(depth=1, n_heads=1, d_model=768, vocab_size=2048, context=256)
    assert training_flops(config, sequences=256, tokens=256) == pytest.approx(3.48e12, rel=0.01)


def test_a_model_is_a_function_of_its_seed():
    one, same, other = (Transformer(CONFIGS[0], seed=seed) for seed in (0, 0, 1))
    assert torch.equal(one.embed.weight, same.embed.weight)
    assert not torch.equal(one.embed.weight, other.embed.weight)


def test_abacus_positions_are_the_sum_of_number_and_digit():
    model = Transformer(CONFIGS[1])
    table = model.pos_embed(20)
    for i, j in itertools.product(range(6), range(3)):
        assert torch.equal(table[3 * i + j], model.pos_embed.W_int[i] + model.pos_embed.W_digit[j])


def test_shifted_keys_and_values_are_those_of_the_number_before():
    config = CONFIGS[4]
    shifted, plain = Transformer(config), Transformer(config.replace(kv_shift=False))
    plain.load_state_dict(shifted.state_dict(), strict=False)
    x = tokens(shifted)
    names = ["blocks.0.attn.hook_k", "blocks.0.attn.hook_v"]
    shares = [torch.tensor([1.0, 0.0, 0.25]), torch.tensor([0.0, 0.75, 1.0])]  # share of each head's own keys or values
    shift = shifted.blocks[0].attn.kv_shift
    shift.own_k.data.copy_(shares[0])
    shift.own_v.data.copy_(shares[1])
    with record(plain, names) as own, record(shifted, names) as mixed:
        plain(x), shifted(x)
    for name, share in zip(names, shares, strict=True):
        before = torch.zeros_like(own[name])
        before[:, 3:] = own[name][:, :-3]  # a number has three digits
        assert_agree(mixed[name], share[:, None] * own[name] + (1 - share[:, None]) * before, OPERATION)


def test_rotary_scores_depend_only_on_distance():
    model = Transformer(CONFIGS[2])
    rotary = model.blocks[0].attn.rotation
    q, k = (torch.randn(1, 1, 1, 12).expand(1, 1, 20, 12) for _ in range(2))  # the same vector everywhere
    scores = (rotary(q) @ rotary(k).mT)[0, 0]
    distance = torch.arange(20)[:, None] - torch.arange(20)
    past = distance >= 0
    assert_agree(scores[past], scores[:, 0][distance[past]], OPERATION)
    assert scores.diagonal(-1)[0] != scores.diagonal(-2)[0]


def test_rotation_by_number_looks_back_alike_from_every_number_and_from_all_of_its_digits():
    config = TransformerConfig(
        depth=1, n_heads=1, d_model=32, digits=3, number_rotation=True, vocab_size=5, context=60, positions="abacus"
    )
    rotation = Transformer(config).blocks[0].attn.rotation
    q, k = (torch.randn(32).expand(1, 1, 60, 32) for _ in range(2))
    by_number = (rotation(q) @ rotation(k).mT).reshape(20, 3, 20, 3)
    assert_agree(by_number, by_number[:, :1, :, :1].expand_as(by_number), OPERATION)
    scores = by_number[:, 0, :, 0]
    past = torch.ones(20, 20).tril().bool()
    distance = torch.arange(20)[:, None] - torch.arange(20)
    assert_agree(scores[past], scores[:, 0][distance[past]], OPERATION)
    assert scores[:, 0].unique().numel() == 20


def test_a_longer_sequence_than_the_context_is_refused(model):
    with pytest.raises(UserError, match="21 tokens were given; the context is 20"):
        model(tokens(model, length=21))


def test_initial_biases_are_zero_and_change_no_other_weight():
    with_biases, without = Transformer(CONFIGS[5], seed=3), Transformer(CONFIGS[1], seed=3)
    others = dict(with_biases.named_parameters())
    for name, parameter in without.named_parameters():
        assert torch.equal(others.pop(name), parameter), name
    assert len(others) == 6 * CONFIGS[5].depth + 1
    assert all(name.endswith(".bias") and not parameter.any() for name, parameter in others.items())


@torch.no_grad()
def test_biases_have_transformerlens_s_names(model):
    """The queries, keys, values, neurons and outputs are those of the weights and biases by their names."""
    parts = ("q", "k", "v")
    taps = [f"blocks.0.attn.hook_{part}" for part in (*parts, "z")]
    taps += [f"blocks.0.{tap}" for tap in ("ln1.hook_normalized", "ln2.hook_normalized", "hook_attn_out")]
    taps += ["blocks.0.mlp.hook_pre", "blocks.0.mlp.hook_post", "blocks.0.hook_mlp_out"]
    with record(model, taps) as seen:
        model(tokens(model))
    seen = {name.removeprefix("blocks.0."): value for name, value in seen.items()}
    for part in parts[: 1 if model.config.kv_shift else 3]:  # keys and values are tapped after the shift
        weight, bias = getattr(model, f"W_{part.upper()}")[0], getattr(model, f"b_{part.upper()}")[0]
        product = torch.einsum("bpm,hmf->bphf", seen["ln1.hook_normalized"], weight)
        assert_agree(seen[f"attn.hook_{part}"], product + bias, OPERATION)
    heads = torch.einsum("bphf,hfm->bpm", seen["attn.hook_z"], model.W_O[0])
    assert_agree(seen["hook_attn_out"], heads + model.b_O[0], OPERATION)
    assert_agree(seen["mlp.hook_pre"], seen["ln2.hook_normalized"] @ model.W_in[0] + model.b_in[0], OPERATION)
    assert_agree(seen["hook_mlp_out"], seen["mlp.hook_post"] @ model.W_out[0] + model.b_out[0], OPERATION)
    assert bool(model.b_Q.any()) == bool(model.b_out.any()) == model.config.bias


@torch.no_grad()
def test_head_outputs_add_up_to_the_block(model):  # attention is a sum over heads, and one bias
    x = tokens(model)

    def attention_out(edits):
        with torch.no_grad(), intervene(model, edits), record(model, ["blocks.0.hook_attn_out"]) as seen:
            model(x)
        return seen["blocks.0.hook_attn_out"]

    def keep_only(head):
        def edit(z):
            kept = torch.zeros_like(z)
            kept[:, :, head] = z[:, :, head]
            return kept

        return {"blocks.0.attn.hook_z": edit}

    parts = [attention_out(keep_only(head)) for head in range(model.config.n_heads)]
    assert_agree(sum(parts), attention_out({}) + (len(parts) - 1) * model.b_O[0], OPERATION)
