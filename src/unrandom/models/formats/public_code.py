"""Reads models of the paper's public code by the names of their tensors, which are a GPT's with `Linear`s.

Its class for one token per number has a vector per token position; its class for digits has abacus positions, one
vector per number (`transformer.wpe`) and one per digit (`transformer.abacus`), the least significant digit first, as
here. Matrices have the shapes of this package, so that weights are copied as they are, and logits agree to rounding.

Distributed training or compilation may have put something before the names. The tensors tell depth, width, kind of
positions, whether there are biases, and whether the unembedding is tied (`settings_of`); they do not tell the number of
heads and the activation.
"""

import re

import torch

from unrandom.core.config import as_typed
from unrandom.core.errors import UserError
from unrandom.models.config import TransformerConfig
from unrandom.models.formats.conversion import Expressed, Tensors, check_names, filled, in_fp32, matched, part_names
from unrandom.models.formats.gpt2 import BLOCK, EMBEDDING, POSITIONS, UNEMBEDDING
from unrandom.models.tensor_files import check_size
from unrandom.models.transformer import Transformer

DIGITS = "transformer.abacus.weight"
PREFIXES = ("module.", "_orig_mod.")
"""Prefixes of names after distributed training and after compilation, in any order."""

EXPRESSED = Expressed(
    "the paper's public code",
    {"activation": ("relu", "gelu"), "positions": ("learned", "abacus"), "bias": (False, True)},
    instead="leave it out",
)
IN_BLOCK = re.compile(r"transformer\.h\.(\d{1,9})\.")


def without_prefixes(tensors: Tensors) -> Tensors:
    """The tensors by their names without PREFIXES. Raises UserError if two then have the same name."""
    found: Tensors = {}
    for name, tensor in tensors.items():
        plain = name
        while plain.startswith(PREFIXES):
            plain = plain.partition(".")[2]
        if plain in found:
            raise UserError(f"{plain!r:.100} is there twice, with and without a prefix")
        found[plain] = tensor
    return found


def settings_of(tensors: Tensors) -> dict[str, int | bool | str]:
    """The settings of a `ModelConfig` that the tensors tell, by name.

    Raises UserError if there is no embedding, as in the file of another model.

    >>> import torch
    >>> from unrandom.models.formats.public_code import settings_of
    >>> settings_of({"transformer.wte.weight": torch.zeros(5, 8), "transformer.h.0.ln_1.weight": torch.ones(8)})
    {'depth': 1, 'd_model': 8, 'positions': 'learned', 'tied': True, 'bias': False}
    """
    if EMBEDDING not in tensors:
        raise UserError(f"this is not a model of the paper's public code: it has no tensor {EMBEDDING}")
    blocks = {found[1] for name in tensors if (found := IN_BLOCK.match(name))}
    return {
        "depth": len(blocks),
        "d_model": _shape(tensors, EMBEDDING)[1],
        "positions": "abacus" if DIGITS in tensors else "learned",
        "tied": _is_tied(tensors),
        "bias": any(name.endswith(".bias") for name in tensors),
    }


def from_public_code(config: TransformerConfig, tensors: Tensors) -> Transformer:
    """The model with these weights, in evaluation mode.

    Raises UserError, naming the setting to change or the first tensor that is wrong, unless the tensors fit the
    configuration; and, naming it, for a setting that the public code lacks (``kv_shift``, rotary positions).
    """
    EXPRESSED.check_settings(config)
    for name, told in settings_of(tensors).items():
        if (given := getattr(config, name)) != told:
            raise UserError(f"the tensors have model.{name}={as_typed(told)}, but {as_typed(given)} was given")
    _check_sizes(config, tensors)
    left = {name: tensor for name, tensor in tensors.items() if not (config.tied and name == UNEMBEDDING)}
    names = _names(config)
    check_names(left, names.values())
    check_size(config, left, "the configuration")
    model = Transformer(config)
    parameters = {name: parameter.detach() for name, parameter in model.named_parameters()}
    assert set(names) == set(parameters), "every parameter has a name in the public code"
    found = matched(left, {theirs: parameters[ours] for ours, theirs in names.items()}, bias=config.bias)
    return filled(model, {ours: found[theirs] for ours, theirs in names.items()})


def _names(config: TransformerConfig) -> dict[str, str]:
    """The name of every parameter: in this package, and in the public code."""
    kinds = ("weight", "bias")[: 1 + config.bias]
    parts = part_names(config, BLOCK, "transformer.h", "transformer.ln_f")
    names = {f"{ours}.{kind}": f"{theirs}.{kind}" for ours, theirs in parts.items() for kind in kinds}
    names["embed.weight"] = EMBEDDING
    if config.positions == "abacus":
        names |= {"pos_embed.W_int": POSITIONS, "pos_embed.W_digit": DIGITS}
    else:
        names["pos_embed.W_pos"] = POSITIONS
    return names if config.tied else {**names, "unembed.weight": UNEMBEDDING}


def _check_sizes(config: TransformerConfig, tensors: Tensors) -> None:
    """Raise UserError, naming the setting to change, unless tables have a row for each token, digit and position."""
    if (tokens := _shape(tensors, EMBEDDING)[0]) != config.vocab_size:
        raise UserError(
            f"{EMBEDDING} has {tokens:,} rows, one per token, but the settings have {config.vocab_size:,} tokens: set "
            "data.base, or data.modulus where a number is one token"
        )
    abacus, digits = config.positions == "abacus", config.digits
    if abacus and (rows := _shape(tensors, DIGITS)[0]) != digits:
        raise UserError(
            f"{DIGITS} has {rows:,} rows, one per digit, but the settings have {digits} digits per number: set "
            "data.modulus or data.digits"
        )
    needed = config.numbers if abacus else config.context
    if (rows := _shape(tensors, POSITIONS)[0]) != needed:
        raise UserError(
            f"{POSITIONS} has {rows:,} rows, but data.context={_numbers(config.context, digits)} needs {needed:,}: "
            + _context_to_set(rows * digits - (digits > 1) if abacus else rows, digits)
        )


def _context_to_set(tokens: int, digits: int) -> str:
    """The setting with which a model reads this number of tokens: its numbers and the next one, without one token."""
    numbers = _numbers(tokens, digits)
    if (tokens + 1) % digits or numbers < 2:
        return f"no data.context fits {digits} digits per number"
    return f"set data.context={numbers}"


def _numbers(tokens: int, digits: int) -> int:
    return (tokens + 1) // digits - 1


def _is_tied(tensors: Tensors) -> bool:
    """Whether the unembedding is missing or equal to the embedding."""
    head, embedding = tensors.get(UNEMBEDDING), tensors[EMBEDDING]
    if head is None:
        return True
    is_comparable = head.is_floating_point() and embedding.is_floating_point()
    return is_comparable and torch.equal(in_fp32(head), in_fp32(embedding))


def _shape(tensors: Tensors, name: str) -> tuple[int, int]:
    """Rows and columns of a table. Raises UserError if it is missing, or no table."""
    if name not in tensors:
        raise UserError(f"{name!r} is missing")
    shape = tuple(tensors[name].shape)
    if len(shape) != 2:
        raise UserError(f"{name} has shape {shape}, but two axes are needed")
    return shape[0], shape[1]
