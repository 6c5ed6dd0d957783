"""In which precision and on which attention path does a model compute? The faster ones for its device, as measured."""

from contextlib import AbstractContextManager, nullcontext

import torch

from unrandom.models.attention import AttentionPath
from unrandom.models.config import TransformerConfig


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

    Explicit on the CPU for short contexts, where the fused backward pass is slower, and for heads wider than 256
    features, which no fused kernel supports; fused otherwise.
    """
    if device.type == "cpu":
        return "explicit" if config.context <= 512 else "fused"
    return "explicit" if config.d_head > 256 else "fused"
