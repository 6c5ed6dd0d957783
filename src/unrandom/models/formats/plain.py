"""Writes a model as it is: with its own configuration and names, in fp32.

The model card explains every tensor, and its code is the whole forward pass (`runs/sharing/card.md.j2`). So a setting
or a parameter that is not listed here is refused: the card would be wrong.
"""

from unrandom.core.files import JsonObject
from unrandom.models.config import TransformerConfig
from unrandom.models.formats.conversion import Expressed, Tensors, filled, matched, model_to_fill, weights_of
from unrandom.models.transformer import Transformer

EXPRESSED = Expressed(
    "the code of a model card",
    {
        "activation": ("relu", "gelu"),
        "positions": ("learned", "abacus", "rotary"),
        "kv_shift": (False, True),
        "number_rotation": (False, True),
        "bias": (False, True),
    },
    instead="add it to unrandom.models.formats.plain and unrandom/runs/sharing/card.md.j2",
)

IN_BLOCK = {
    "ln1.weight": "gain of the LayerNorm before the attention",
    "ln1.bias": "bias of the LayerNorm before the attention",
    "attn.W_QKV.weight": "queries, keys and values: rows in the order (q, k, v; head; feature)",
    "attn.W_QKV.bias": "what is added to queries, keys and values, in the order of the rows",
    "attn.W_O.weight": "from the heads' mixed values to the residual stream; columns in the order (head; feature)",
    "attn.W_O.bias": "what the attention adds to the residual stream beside its heads",
    "attn.kv_shift.own_k": "per head, the share of a token's own key; the rest is the key D tokens before",
    "attn.kv_shift.own_v": "per head, the share of a token's own value; the rest is the value D tokens before",
    "ln2.weight": "gain of the LayerNorm before the MLP",
    "ln2.bias": "bias of the LayerNorm before the MLP",
    "mlp.W_in.weight": "from the residual stream to the neurons",
    "mlp.W_in.bias": "what is added to the neurons before their activation",
    "mlp.W_out.weight": "from the neurons to the residual stream",
    "mlp.W_out.bias": "what the MLP adds to the residual stream beside its neurons",
}
OUTSIDE = {
    "embed.weight": "one vector per token",
    "pos_embed.W_pos": "one vector per token position",
    "pos_embed.W_int": "one vector per number: token i belongs to number ⌊i / D⌋",
    "pos_embed.W_digit": "one vector per digit: token i is digit i mod D",
    "ln_final.weight": "gain of the LayerNorm after the last block",
    "ln_final.bias": "bias of the LayerNorm after the last block",
    "unembed.weight": "one row per token: its logit is the product with the final, normalised residual stream",
}


def to_plain(model: Transformer) -> tuple[JsonObject, Tensors]:
    """``config.json`` (a `TransformerConfig`) and every parameter by its own name, in fp32.

    Raises UserError, naming it, for a setting or a parameter that the model card cannot explain.

    >>> import unrandom
    >>> from unrandom.models.formats import to_plain
    >>> config, tensors = to_plain(unrandom.load("um-144", device="cpu").model)
    >>> config["depth"], tensors["blocks.3.mlp.W_in.weight"].shape  # [d_mlp, d_model]
    (4, torch.Size([512, 128]))
    """
    weights = weights_of(model)
    EXPRESSED.check_settings(model.config)
    EXPRESSED.check_all_taken(name for name in weights if not meaning(name))
    return model.config.to_json(), weights


def from_plain(values: JsonObject, tensors: Tensors) -> Transformer:
    """The inverse of `to_plain`, bit for bit. Raises UserError unless the tensors fit the configuration.

    >>> import unrandom
    >>> from unrandom.models.formats import from_plain, to_plain
    >>> model = unrandom.load("um-144", device="cpu").model
    >>> bool((from_plain(*to_plain(model)).W_E == model.W_E).all())
    True
    """
    config = TransformerConfig.parse(values)
    model = model_to_fill(config, tensors)
    return filled(model, matched(tensors, to_plain(model)[1], bias=config.bias))


def meaning(name: str) -> str:
    """What the tensor of this name is, as a phrase for readers; empty for an unknown name."""
    return IN_BLOCK.get(name.split(".", 2)[2], "") if name.startswith("blocks.") else OUTSIDE.get(name, "")
