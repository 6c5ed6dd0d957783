"""Converts a model to transformers' class `GPT2LMHeadModel`, with the same logits, and back.

Both have blocks x + attention(LayerNorm(x)), then x + MLP(LayerNorm(x)), with epsilon 1e-5, softmax(q k^T / √d_head),
and queries, keys and values in one matrix, in the order (q|k|v, head, feature). Three things differ:

- A `Conv1D` of GPT-2 multiplies x W where a `Linear` multiplies x W^T, so that matrices in blocks are transposed.
- GPT-2 has biases everywhere. For a model without biases they are zero: x W + 0 = x W.
- GPT-2 has one vector per token position. Abacus positions, where token i is digit i mod D of number ⌊i / D⌋, are
  folded into this table: wpe[i] = W_int[⌊i / D⌋] + W_digit[i mod D]. This is the sum that the model itself computes, so
  that logits are the same.

Rotary positions have no place in GPT-2: see `gpt_neox`.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.models.config import TransformerConfig
from unrandom.models.formats.conversion import (
    OWN,
    POSITION_TABLES,
    Expressed,
    Tensors,
    check_values,
    filled,
    in_fp32,
    matched,
    model_to_fill,
    own_config,
    part_names,
    weights_of,
)
from unrandom.models.transformer import Transformer

GPT2 = "GPT2LMHeadModel"
EMBEDDING, POSITIONS, UNEMBEDDING = "transformer.wte.weight", "transformer.wpe.weight", "lm_head.weight"
BLOCK = {
    "ln1": "ln_1",
    "attn.W_QKV": "attn.c_attn",
    "attn.W_O": "attn.c_proj",
    "ln2": "ln_2",
    "mlp.W_in": "mlp.c_fc",
    "mlp.W_out": "mlp.c_proj",
}
"""The parts of a block by their names in this package: their names in GPT-2."""

EXPRESSED = Expressed(
    "GPT-2", {"activation": ("relu", "gelu"), "positions": ("learned", "abacus"), "bias": (False, True)}
)

# Without influence on logits: what is saved, that nothing is dropped out in further training, and no special tokens.
FURTHER = {
    "architectures": [GPT2],
    "dtype": "float32",
    **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
    **dict.fromkeys(("bos_token_id", "eos_token_id"), None),
}


def to_gpt2(model: Transformer) -> tuple[JsonObject, Tensors]:
    """``config.json`` and the tensors (fp32) of a `GPT2LMHeadModel` with the same logits.

    Raises UserError, naming it, for a setting that is not in EXPRESSED (``kv_shift``, rotary positions), and for a
    parameter that GPT-2 has no tensor for.

    >>> import unrandom
    >>> from unrandom.models.formats import to_gpt2
    >>> config, tensors = to_gpt2(unrandom.load("fm-2p8", device="cpu").model)
    >>> config["n_positions"], tensors["transformer.wpe.weight"].shape  # 49 numbers of 2 digits, but for the last digit
    (97, torch.Size([97, 128]))
    >>> tensors["transformer.h.0.attn.c_attn.weight"].shape  # [d_model, 3 d_model]
    torch.Size([128, 384])
    """
    config, weights = model.config, weights_of(model)
    EXPRESSED.check_settings(config)
    tensors = {EMBEDDING: weights.pop("embed.weight"), POSITIONS: in_fp32(model.W_pos)}
    for table in POSITION_TABLES[config.positions]:
        del weights[f"pos_embed.{table}"]  # they are folded into POSITIONS
    for ours, theirs in _parts(config).items():
        tensors[f"{theirs}.weight"] = weights.pop(f"{ours}.weight").t().contiguous()
        zeros = torch.zeros(tensors[f"{theirs}.weight"].shape[-1])
        tensors[f"{theirs}.bias"] = weights.pop(f"{ours}.bias") if config.bias else zeros
    if not config.tied:
        tensors[UNEMBEDDING] = weights.pop("unembed.weight")
    EXPRESSED.check_all_taken(weights)
    return {**_architecture(config), **FURTHER, OWN: config.to_json()}, tensors


def from_gpt2(values: JsonObject, tensors: Tensors) -> Transformer:
    """The inverse of `to_gpt2`; logits agree to rounding.

    Raises UserError if ``values`` or ``tensors`` describe a model that this package cannot express: another
    architecture or other shapes, biases in a model without, or positions that are no longer a sum of number and digit.

    >>> import unrandom
    >>> from unrandom.models.formats import from_gpt2, to_gpt2
    >>> model = unrandom.load("um-144", device="cpu").model
    >>> bool((from_gpt2(*to_gpt2(model)).W_Q == model.W_Q).all())
    True
    """
    config = own_config(values)
    check_values(values, _architecture(config))
    model = model_to_fill(config, tensors)
    found = matched(tensors, to_gpt2(model)[1], bias=config.bias)
    weights = {f"{ours}.weight": found[f"{theirs}.weight"].t() for ours, theirs in _parts(config).items()}
    if config.bias:
        weights |= {f"{ours}.bias": found[f"{theirs}.bias"] for ours, theirs in _parts(config).items()}
    weights["embed.weight"] = found[EMBEDDING]
    if config.positions == "abacus":
        precision = torch.finfo(tensors[POSITIONS].dtype).eps
        numbers, digits = unfold(found[POSITIONS], config.digits, precision)
        weights |= {"pos_embed.W_int": numbers, "pos_embed.W_digit": digits}
    else:
        weights["pos_embed.W_pos"] = found[POSITIONS]
    if not config.tied:
        weights["unembed.weight"] = found[UNEMBEDDING]
    return filled(model, weights)


def unfold(
    table: Float[Tensor, "pos d_model"], digits: int, precision: float
) -> tuple[Float[Tensor, "numbers d_model"], Float[Tensor, "digits d_model"]]:
    """Number and digit vectors whose sums are the rows: W_int[k] = table[k D], W_digit[j] = table[j] − table[0].

    A table of sums determines both up to a vector v, as (W_int + v) + (W_digit − v) is the same sum; this choice has
    W_digit[0] = 0. Rows were rounded once, and are here again, so that the sums differ from the table by less than
    4 ``precision`` max|table|, where ``precision`` is the distance from 1 to the next number of the table's format.
    Raises UserError if they differ by more, because the table was changed.
    """
    numbers, first = table[::digits].clone(), table[:digits] - table[0]
    offsets = torch.zeros(digits, table.shape[1])
    offsets[: len(first)] = first  # a context shorter than one number leaves out its last digits
    sums = (numbers[:, None] + offsets).flatten(0, 1)[: len(table)]
    if not (sums - table).abs().max() <= 4 * precision * table.abs().max():
        raise UserError(
            f"{POSITIONS} is no longer a sum of a number's and a digit's vector, as abacus positions need: it was "
            "trained further, or changed otherwise"
        )
    return numbers, offsets


def _architecture(config: TransformerConfig) -> JsonObject:
    """The values of config.json that decide what the model computes."""
    return {
        "model_type": "gpt2",
        "vocab_size": config.vocab_size,
        "n_positions": config.context,
        "n_embd": config.d_model,
        "n_layer": config.depth,
        "n_head": config.n_heads,
        "n_inner": None,  # 4 n_embd, as here
        "activation_function": config.activation,  # "gelu" is the exact one, x Φ(x), as here
        "layer_norm_epsilon": 1e-5,
        "scale_attn_weights": True,  # by 1 / √d_head
        "scale_attn_by_inverse_layer_idx": False,
        "tie_word_embeddings": config.tied,
    }


def _parts(config: TransformerConfig) -> dict[str, str]:
    return part_names(config, BLOCK, "transformer.h", "transformer.ln_f")
