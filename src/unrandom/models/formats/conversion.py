"""What the conversions share: weights in fp32 by name, and checks of files that another program may have changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from unrandom.core.config import as_typed
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.models.config import TransformerConfig
from unrandom.models.tensor_files import Tensors, check_size
from unrandom.models.transformer import Transformer

OWN = "unrandom"  # key under which a config.json for another library holds the model's own configuration
SHAPE = ("depth", "n_heads", "d_model", "tied", "vocab_size", "context", "digits")
"""The settings of a model that every format expresses, whatever their value."""

POSITION_TABLES = {"learned": ("W_pos",), "abacus": ("W_int", "W_digit"), "rotary": ()}
"""The names of the parameters in ``pos_embed`` by the setting ``positions``."""


@dataclass(frozen=True)
class Expressed:
    """What a format can express. Everything else is refused, including new parts of the model."""

    about: str  # the format, for messages
    choices: Mapping[str, Sequence[object]]  # the values that it expresses of settings beyond SHAPE
    instead: str = "--to safetensors writes the model as it is"  # what to do about a refusal

    def check_settings(self, config: TransformerConfig) -> None:
        """Raise UserError, naming the first, for a setting that is not stated and has not its default."""
        for name, field in type(config).model_fields.items():
            value = getattr(config, name)
            if name not in SHAPE and value not in self.choices.get(name, (field.default,)):
                raise self._refused(f"model.{name}={as_typed(value)}")

    def check_all_taken(self, left: Iterable[str]) -> None:
        """Raise UserError, naming the first, if the format has no tensor for the parameters that are ``left``."""
        for name in sorted(left):
            raise self._refused(f"the model's parameter {name}")

    def _refused(self, what: str) -> UserError:
        return UserError(f"{self.about} cannot express {what}, which changes logits; {self.instead}")


def weights_of(model: Transformer) -> Tensors:
    """A copy of every parameter by name, in fp32 on the CPU. The matrix that a tied model uses twice is there once."""
    return {name: in_fp32(parameter) for name, parameter in model.named_parameters()}


def part_names(config: TransformerConfig, block: Mapping[str, str], blocks: str, final: str) -> dict[str, str]:
    """The name of every part with a weight and, there or here, a bias: in this package, and in another class.

    ``block`` maps the names within a block, ``blocks`` is the other class's list of them, ``final`` its last LayerNorm.
    """
    names = {
        f"blocks.{layer}.{ours}": f"{blocks}.{layer}.{theirs}"
        for layer in range(config.depth)
        for ours, theirs in block.items()
    }
    return {**names, "ln_final": final}


def in_fp32(tensor: Tensor) -> Tensor:
    """A contiguous copy in fp32 on the CPU, without gradient."""
    return tensor.detach().to("cpu", torch.float32, copy=True).contiguous()


def own_config(values: JsonObject) -> TransformerConfig:
    """The model's own configuration in a config.json for another library. Raises UserError if it has none."""
    if OWN not in values:
        raise UserError(f"config.json has no key {OWN!r}, so that it was not written by unrandom export")
    return TransformerConfig.parse(values[OWN])


def check_values(values: JsonObject, expected: Mapping[str, object]) -> None:
    """Raise UserError, naming the first, if a value of config.json is missing or is not the expected one."""
    for key, value in expected.items():
        if values.get(key) != value:
            raise UserError(f"config.json has {key}={values.get(key)!r:.60}, but this model needs {value!r}")


def model_to_fill(config: TransformerConfig, tensors: Tensors) -> Transformer:
    """A model of this configuration whose weights are still to be set.

    Raises UserError, before any memory is used, if it has more parameters than there are numbers in ``tensors``. (An
    export has at least as many: zero biases and the folded positions are more than the two tables of abacus positions.)
    """
    check_size(config, tensors, "config.json")
    return Transformer(config)


def check_names(tensors: Iterable[str], expected: Iterable[str]) -> None:
    """Raise UserError, naming the first, for a tensor that is missing or unknown."""
    known = set(expected)
    if wrong := sorted(set(tensors) ^ known):
        raise UserError(f"{wrong[0]!r:.100} is {'missing' if wrong[0] in known else 'no tensor of this model'}")


def matched(tensors: Tensors, expected: Tensors, *, bias: bool) -> Tensors:
    """The tensors in fp32, if they are the expected ones up to their values; biases must be zero unless ``bias``.

    Raises UserError, naming the first tensor that is missing, unknown, of another shape, not of floating-point numbers,
    not finite, or a bias other than zero for a model without biases.
    """
    check_names(tensors, expected)
    found = {}
    for name, like in expected.items():
        shape, needed = tuple(tensors[name].shape), tuple(like.shape)
        if shape != needed:
            raise UserError(f"{name} has shape {shape}, but this model needs {needed}")
        if not tensors[name].is_floating_point():
            raise UserError(f"{name} has whole numbers ({tensors[name].dtype}), but floating-point ones are needed")
        found[name] = in_fp32(tensors[name])
        if not found[name].isfinite().all():
            raise UserError(f"{name} has values that are not finite")
        if not bias and name.endswith(".bias") and found[name].any():
            raise UserError(f"{name} is not zero, but this model has no biases (model.bias is false)")
    return found


@torch.no_grad()
def filled(model: Transformer, weights: Tensors) -> Transformer:
    """The model with these weights, whose shapes must be the parameters', in evaluation mode."""
    parameters = dict(model.named_parameters())
    assert set(parameters) == set(weights), "a conversion gives every parameter once"
    for name, parameter in parameters.items():
        assert parameter.shape == weights[name].shape, name
        parameter.copy_(weights[name])
    return model.eval()
