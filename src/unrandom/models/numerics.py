"""The precision and the attention path that are fastest on a device, as measured; and whether two results of the
same computation differ by rounding errors alone."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

from unrandom.models.attention import AttentionPath
from unrandom.models.config import TransformerConfig

TOLERANCE = 1e-4
"""Allowed difference of logits in fp32, as a share of the largest of them."""


def has_fast_bf16(device: torch.device) -> bool:
    """Whether the device has hardware for bf16 matrix products; without it they are slower than fp32."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type == "cpu" and hasattr(torch.cpu, "get_capabilities"):
        capabilities = torch.cpu.get_capabilities()
        return bool(capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))
    return False


def choose_precision(asked: str, device: torch.device) -> str:
    """``"bf16"`` or ``"fp32"``: the one requested, or for ``"auto"`` the faster one."""
    if asked == "auto":
        return "bf16" if has_fast_bf16(device) else "fp32"
    return asked


def autocast(precision: str, device: torch.device) -> AbstractContextManager:
    """The autocast context for a forward pass in this precision."""
    return torch.autocast(device.type, dtype=torch.bfloat16) if precision == "bf16" else nullcontext()


def choose_attention(config: TransformerConfig, device: torch.device) -> AttentionPath:
    """The faster attention path.

    On the CPU: explicit for short contexts, blockwise for longer ones, where it keeps no pattern, and takes about as
    long as the fused kernel in fp32 and less in bf16. On a GPU: explicit for heads wider than 256 features, which no
    fused kernel supports; fused otherwise.
    """
    if device.type == "cpu":
        return "explicit" if config.context <= 256 else "blockwise"
    return "explicit" if config.d_head > 256 else "fused"


def difference(found: Tensor, expected: Tensor) -> float:
    """The largest difference, as a share of the largest magnitude of the expected values.

    Processors add the terms of a product in different orders, so the rounding errors of all values of a tensor are
    proportional to its large values: a difference is judged by the largest one, not by the value at its own place.
    NaN if any value is, and infinite if nothing but zeros was expected and anything else was found.
    """
    if found.shape != expected.shape:
        raise ValueError(f"values of the shapes {tuple(found.shape)} and {tuple(expected.shape)} cannot be compared")
    found, expected = found.detach().cpu().double(), expected.detach().cpu().double()
    largest_error, largest = float((found - expected).abs().max()), float(expected.abs().max())
    if largest == 0:
        return 0.0 if largest_error == 0 else float("inf")
    return largest_error / largest


def agree(found: Tensor, expected: Tensor, tolerance: float = TOLERANCE) -> bool:
    """Whether the largest difference is at most ``tolerance`` of the largest magnitude; never if a value is NaN."""
    return difference(found, expected) <= tolerance
