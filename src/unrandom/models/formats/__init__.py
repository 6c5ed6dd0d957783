"""Formats in which other programs read a model: GPT-2, GPT-NeoX, and the model as it is.

Each format is a pair of functions: ``to_…(model)`` returns ``config.json`` as JSON values and the tensors of
``model.safetensors``; ``from_…(config, tensors)`` is its inverse. These need no other library; `huggingface_model` and
`transformer_lens_model`, which make a model in memory, do.
"""

from typing import Any

from unrandom.core.errors import lookup
from unrandom.core.files import JsonObject
from unrandom.models.formats.conversion import Tensors, own_config
from unrandom.models.formats.gpt2 import GPT2, from_gpt2, to_gpt2
from unrandom.models.formats.gpt_neox import GPT_NEOX, from_gpt_neox, to_gpt_neox
from unrandom.models.formats.in_memory import of_transformer_lens, of_transformers
from unrandom.models.formats.plain import from_plain, meaning, to_plain
from unrandom.models.transformer import Transformer

READERS = {"gpt2": from_gpt2, "gpt_neox": from_gpt_neox}


def to_huggingface(model: Transformer) -> tuple[JsonObject, Tensors]:
    """The model as the class of transformers that can express it: GPT-NeoX for rotary positions, GPT-2 for others.
    Raises UserError for ``kv_shift``, which neither can."""
    return to_gpt_neox(model) if model.config.positions == "rotary" else to_gpt2(model)


def from_huggingface(values: JsonObject, tensors: Tensors) -> Transformer:
    """The inverse of `to_huggingface`. Raises UserError if the model cannot be expressed here."""
    return lookup("supported model type", str(values.get("model_type")), READERS)(values, tensors)


def huggingface_model(model: Transformer) -> Any:
    """The model as one of transformers, in memory: a copy in fp32 on the CPU. Raises UserError as `to_huggingface`."""
    return of_transformers(*to_huggingface(model))


def transformer_lens_model(model: Transformer) -> Any:
    """The model as a bridge of TransformerLens, in memory, around a copy. Raises UserError as `to_huggingface`."""
    return of_transformer_lens(huggingface_model(model))
