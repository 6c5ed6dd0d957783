"""Reads tensors from safetensors files alone, so that nothing is ever unpickled."""

from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.core.memory import available_memory
from unrandom.core.reading import opened
from unrandom.models.config import TransformerConfig
from unrandom.models.counts import parameter_count

Tensors = dict[str, Tensor]
"""The tensors of a safetensors file by name."""

MAX_HEADER, MAX_PARAMETER, MAX_FILE = 2**24, 64, 2**36  # bytes


def largest_file(config: TransformerConfig) -> int:
    """The size in bytes that no file of a model's weights or optimiser state has: some numbers per parameter."""
    return MAX_HEADER + MAX_PARAMETER * parameter_count(config)


def read_tensors(path: Path, config: TransformerConfig) -> Tensors:
    """The tensors in a safetensors file about a model. Raises UserError for any other file, and for one that is
    larger than free memory or than `largest_file`."""
    return _read(path, largest_file(config))


def read_any_tensors(path: Path) -> Tensors:
    """The tensors in a safetensors file about a model whose configuration is not known. Raises UserError for any
    other file, and for one that is larger than free memory or than MAX_FILE."""
    return _read(path, MAX_FILE)


def _read(path: Path, most: int) -> Tensors:
    with opened(path, most) as (file, size):
        if size > (available_memory() or size):
            raise UserError(f"{path} has {size:,} bytes, more than fit into memory")
        content = file.read(size)
    try:
        return safetensors.torch.load(content)
    except (SafetensorError, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise UserError(f"{path} is not a safetensors file ({error!s:.200}); nothing else is ever loaded") from None


def check_size(config: TransformerConfig, tensors: Tensors, source: Path | str) -> None:
    """Raise UserError, naming ``source``, if a model has more parameters than there are numbers in ``tensors``.

    A model that is built first would use the memory that its configuration asks for.
    """
    described, stored = parameter_count(config), sum(tensor.numel() for tensor in tensors.values())
    if described > stored:
        raise UserError(f"{source} describes a model of {described:,} parameters, but {stored:,} numbers are stored")
