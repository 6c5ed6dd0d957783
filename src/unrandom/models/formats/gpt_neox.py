"""Converts a model with rotary positions to transformers' class `GPTNeoXForCausalLM`, and back.

With ``use_parallel_residual`` false, a block of GPT-NeoX is x + attention(LayerNorm(x)), then x + MLP(LayerNorm(x)),
with epsilon 1e-5, as here. With ``rotary_pct`` 1 it rotates whole queries and keys, by the same angles as here:
(x1, x2) → (x1 cos θ − x2 sin θ, x2 cos θ + x1 sin θ), where x1 and x2 are the halves of a head's features, and
θ = position · 10000^(−2f/d_head) for feature f of a half. Two things differ:

- The rows of its matrix for queries, keys and values are ordered as (head, q|k|v, feature); here, as (q|k|v, head,
  feature). Rows are put into the other order, which changes no product.
- It has biases everywhere. For a model without biases they are zero.

transformers computes θ from frequencies that are rounded otherwise, so that logits agree to rounding, not bit for bit.
"""

import torch
from einops import rearrange
from torch import Tensor

from unrandom.core.files import JsonObject
from unrandom.models.config import TransformerConfig
from unrandom.models.formats.conversion import (
    OWN,
    Expressed,
    Tensors,
    check_values,
    filled,
    matched,
    model_to_fill,
    own_config,
    part_names,
    weights_of,
)
from unrandom.models.transformer import Transformer

GPT_NEOX = "GPTNeoXForCausalLM"
EMBEDDING, UNEMBEDDING = "gpt_neox.embed_in.weight", "embed_out.weight"
BLOCK = {
    "ln1": "input_layernorm",
    "attn.W_QKV": "attention.query_key_value",
    "attn.W_O": "attention.dense",
    "ln2": "post_attention_layernorm",
    "mlp.W_in": "mlp.dense_h_to_4h",
    "mlp.W_out": "mlp.dense_4h_to_h",
}
"""The parts of a block by their names in this package: their names in GPT-NeoX."""

EXPRESSED = Expressed("GPT-NeoX", {"activation": ("relu", "gelu"), "positions": ("rotary",), "bias": (False, True)})

# Without influence on logits, or (rotary_…) the names that transformers 4 has for ``rope_parameters``.
FURTHER = {
    "architectures": [GPT_NEOX],
    "dtype": "float32",
    "rotary_pct": 1.0,
    "rotary_emb_base": 10_000,
    **dict.fromkeys(("attention_dropout", "hidden_dropout"), 0.0),
    **dict.fromkeys(("bos_token_id", "eos_token_id"), None),
}


def to_gpt_neox(model: Transformer) -> tuple[JsonObject, Tensors]:
    """``config.json`` and the tensors (fp32) of a `GPTNeoXForCausalLM` with the same logits.

    Raises UserError, naming it, for a setting that is not in EXPRESSED (``kv_shift``, other positions), and for a
    parameter that GPT-NeoX has no tensor for.

    >>> from unrandom.models import Transformer, TransformerConfig
    >>> from unrandom.models.formats import to_gpt_neox
    >>> rotary = TransformerConfig(depth=1, n_heads=2, d_model=8, positions="rotary", vocab_size=5, context=6)
    >>> config, tensors = to_gpt_neox(Transformer(rotary))
    >>> tensors["gpt_neox.layers.0.attention.query_key_value.weight"].shape  # [3 d_model, d_model]
    torch.Size([24, 8])
    """
    config, weights = model.config, weights_of(model)
    EXPRESSED.check_settings(config)
    tensors = {EMBEDDING: weights.pop("embed.weight")}
    for ours, theirs in _parts(config).items():
        weight = weights.pop(f"{ours}.weight")
        bias = weights.pop(f"{ours}.bias") if config.bias else torch.zeros(len(weight))
        for kind, tensor in (("weight", weight), ("bias", bias)):
            tensors[f"{theirs}.{kind}"] = _by_head(tensor, config) if ours.endswith("W_QKV") else tensor
    if not config.tied:
        tensors[UNEMBEDDING] = weights.pop("unembed.weight")
    EXPRESSED.check_all_taken(weights)
    return {**_architecture(config), **FURTHER, OWN: config.to_json()}, tensors


def from_gpt_neox(values: JsonObject, tensors: Tensors) -> Transformer:
    """The inverse of `to_gpt_neox`, bit for bit.

    Raises UserError if ``values`` or ``tensors`` describe a model that this package cannot express: another
    architecture, other shapes, or biases in a model without.

    >>> from unrandom.models import Transformer, TransformerConfig
    >>> from unrandom.models.formats import from_gpt_neox, to_gpt_neox
    >>> rotary = TransformerConfig(depth=1, n_heads=2, d_model=8, positions="rotary", vocab_size=5, context=6)
    >>> model = Transformer(rotary)
    >>> bool((from_gpt_neox(*to_gpt_neox(model)).W_Q == model.W_Q).all())
    True
    """
    config = own_config(values)
    check_values(values, _architecture(config))
    model = model_to_fill(config, tensors)
    found = matched(tensors, to_gpt_neox(model)[1], bias=config.bias)
    weights = {"embed.weight": found[EMBEDDING]}
    for ours, theirs in _parts(config).items():
        for kind in ("weight", "bias")[: 1 + config.bias]:
            tensor = found[f"{theirs}.{kind}"]
            weights[f"{ours}.{kind}"] = _by_kind(tensor, config) if ours.endswith("W_QKV") else tensor
    if not config.tied:
        weights["unembed.weight"] = found[UNEMBEDDING]
    return filled(model, weights)


def _by_head(rows: Tensor, config: TransformerConfig) -> Tensor:
    return rearrange(rows, "(kind h f) ... -> (h kind f) ...", kind=3, h=config.n_heads).contiguous()


def _by_kind(rows: Tensor, config: TransformerConfig) -> Tensor:
    return rearrange(rows, "(h kind f) ... -> (kind h f) ...", kind=3, h=config.n_heads)


def _architecture(config: TransformerConfig) -> JsonObject:
    """The values of config.json that decide what the model computes."""
    return {
        "model_type": "gpt_neox",
        "vocab_size": config.vocab_size,
        "max_position_embeddings": config.context,
        "hidden_size": config.d_model,
        "num_hidden_layers": config.depth,
        "num_attention_heads": config.n_heads,
        "intermediate_size": config.d_mlp,
        "hidden_act": config.activation,  # "gelu" is the exact one, x Φ(x), as here
        "layer_norm_eps": 1e-5,
        "use_parallel_residual": False,
        "attention_bias": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": 1.0},
        "tie_word_embeddings": config.tied,
    }


def _parts(config: TransformerConfig) -> dict[str, str]:
    return part_names(config, BLOCK, "gpt_neox.layers", "gpt_neox.final_layer_norm")
