"""Converts a model, without files, to one of transformers, and from there to one of TransformerLens."""

from importlib import import_module
from typing import Any

import torch

from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.models.tensor_files import Tensors


def of_transformers(values: JsonObject, tensors: Tensors) -> Any:
    """The model of transformers that has this config.json and these tensors, in evaluation mode.

    The state of torch's random numbers is as before. Raises UserError where transformers is not installed.
    """
    transformers = _library("transformers")
    kind = getattr(transformers, values["architectures"][0])
    with torch.random.fork_rng(devices=()):
        model = kind(kind.config_class(**values))
    weights = dict(tensors)
    if "lm_head.weight" in model.state_dict() and "embed_out.weight" in weights:  # the name of GPT-NeoX in files
        weights["lm_head.weight"] = weights.pop("embed_out.weight")
    missing, unknown = model.load_state_dict(weights, strict=False)
    tied = {"lm_head.weight", "embed_out.weight"} if values["tie_word_embeddings"] else set()
    assert set(missing) <= tied, missing
    assert not unknown, unknown
    model.tie_weights()
    return model.eval()


def of_transformer_lens(model: Any) -> Any:
    """The bridge of TransformerLens to a model of transformers, which it changes. Raises UserError if it is missing."""
    sources = _library("transformer_lens.model_bridge.sources")
    return sources.build_bridge_from_module(model, type(model).__name__, hf_config=model.config)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise UserError(f"{name.partition('.')[0]} is not installed: pip install 'unrandom[export]'") from None
